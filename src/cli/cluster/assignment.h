// SPDX-License-Identifier: Apache-2.0
// Which partitions a tool reads, and from where: it assigns them to itself, as there are no groups
// yet.
#pragma once

#include "cluster/offsets.h"

namespace milena::cli {

/// The topics that are asked for.
struct TopicChoice {
    std::string topic;    ///< one, which the cluster may create
    std::string include;  ///< or those that match this pattern
};

/// The partitions of the topics, sorted; asks again until there is one. None when `give_up` comes
/// first.
env::Task<Result<std::vector<TopicPartition>>> find_partitions(Session& session,
                                                               const TopicChoice& choice,
                                                               env::Instant give_up);

/// Where to begin in each: at `begin` if that is an offset, or at what ListOffsets says for it.
env::Task<Result<std::map<TopicPartition, std::int64_t>>> positions_at(
    Session& session, std::vector<TopicPartition> partitions, std::int64_t begin);

}  // namespace milena::cli
