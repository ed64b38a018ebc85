// SPDX-License-Identifier: Apache-2.0
// Requests about groups, each to the broker that coordinates the group: asked for with one
// FindCoordinator for all of them, and asked again while coordinators move or are not ready.
#pragma once

#include "cluster/session.h"

namespace milena::cli {

/// Groups by the broker that coordinates them.
using ByCoordinator = std::map<BrokerId, std::vector<std::string>>;

/// Not now, or not here: the coordinator is to be looked for again.
bool is_coordinator_moving(ErrorCode code);

/// Who coordinates each of the groups. TimeoutException's code when `give_up` comes first.
env::Task<Result<ByCoordinator>> find_coordinators(Session& session,
                                                   std::vector<std::string> groups,
                                                   env::Instant give_up);

/// Asks one coordinator about its groups; gives those that have to be asked about again.
using AskCoordinator = std::function<env::Task<Result<std::vector<std::string>>>(
    BrokerId coordinator, const std::vector<std::string>& groups)>;

/// `ask` for the coordinators of all groups, until none has to be asked again.
env::Task<Result<void>> ask_coordinators(Session& session, std::vector<std::string> groups,
                                         env::Instant give_up, const AskCoordinator& ask);

}  // namespace milena::cli
