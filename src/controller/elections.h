// SPDX-License-Identifier: Apache-2.0
// Elections that somebody asks for (KIP-460): of the preferred leader, or of any replica where
// nobody leads.
#pragma once

#include "view.h"

namespace milena::controller {

/// In the order of the request; asked for all, every topic is told with those of its partitions
/// that do not have the leader that was asked for already.
Decision<std::vector<ElectedTopic>> elect_leaders(const View& view,
                                                  const ElectLeadersRequest& request);

}  // namespace milena::controller
