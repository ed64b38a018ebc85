// SPDX-License-Identifier: Apache-2.0
// The way from a request's handler to the coordinator of a group on this node.
#pragma once

#include <string_view>
#include <vector>

#include "milena/coordinator/group_requests.h"
#include "milena/env/env.h"
#include "milena/env/task.h"

namespace milena::coordinator {

class GroupGateway {
public:
    virtual ~GroupGateway() = default;

    /// The answer of the group's coordinator, when what it says is committed. NOT_COORDINATOR: it
    /// is not here. COORDINATOR_LOAD_IN_PROGRESS: it has just come here, or too many requests wait.
    /// COORDINATOR_NOT_AVAILABLE: it can't write now; ask again. From a coroutine on `owner`, and
    /// back to it. There is always an answer: one that waits for members ends with their rebalance.
    virtual env::Task<Result<GroupReply>> ask(env::Executor owner, std::string_view group,
                                              GroupRequest request) = 0;
    /// The same question to every coordinator of this node, by partition. One that is still being
    /// loaded is COORDINATOR_LOAD_IN_PROGRESS.
    virtual env::Task<std::vector<Result<GroupReply>>> ask_all(env::Executor owner,
                                                               GroupRequest request) = 0;
};

/// The partition of __consumer_offsets whose leader is a group's coordinator: Java's
/// String.hashCode of its name, without sign, modulo the number of partitions.
PartitionIndex coordinator_partition(std::string_view group, std::int32_t partitions);

}  // namespace milena::coordinator
