// SPDX-License-Identifier: Apache-2.0
// Elections of leaders, as kafka-leader-election asks for them.
#pragma once

#include "cluster/offsets.h"

namespace milena::cli {

/// As the wire numbers them.
enum class ElectionType : std::int8_t { preferred = 0, unclean = 1 };

/// "PREFERRED".
std::string_view name_of(ElectionType type);

struct WantedElection {
    ElectionType type = ElectionType::preferred;
    std::optional<std::vector<TopicPartition>> partitions;  ///< nothing is all
};

/// {"partitions": [{"topic": "foo", "partition": 1}]}
Result<std::vector<TopicPartition>> parse_partitions_to_elect(std::string_view json);

/// What became of a partition's election: no error if it was held, ELECTION_NOT_NEEDED if there was
/// nothing to do.
struct ElectionOutcome {
    TopicPartition partition;
    Error error{ErrorCode::none, ""};
};

/// Holds the election. The outcomes are in the order of Kafka's tool.
env::Task<Result<std::vector<ElectionOutcome>>> elect_leaders(Session& session,
                                                              const WantedElection& election);

}  // namespace milena::cli
