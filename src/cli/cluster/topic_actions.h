// SPDX-License-Identifier: Apache-2.0
// What kafka-topics does once it knows what is wanted.
#pragma once

#include "text/topic_text.h"

namespace milena::cli {

/// Brokers of each partition, by partition.
using ReplicaAssignment = std::vector<BrokerIds>;
/// "1:2,2:3"; an empty text is none.
Result<ReplicaAssignment> parse_replica_assignment(std::string_view text);

using TopicConfigs = std::vector<std::pair<std::string, std::string>>;
/// "name=value" texts.
Result<TopicConfigs> parse_topic_configs(const std::vector<std::string>& entries);

struct NewTopic {
    std::string name;
    std::int64_t partitions = -1;          ///< −1: as the cluster likes
    std::int64_t replication_factor = -1;  ///< −1: as the cluster likes
    ReplicaAssignment assignment;
    TopicConfigs configs;
    bool may_exist = false;
};

/// The topics that an action is for.
struct TopicChoice {
    std::string pattern;
    bool has_pattern = false;  ///< without one it is all topics
    std::optional<Uuid> id;
    bool may_be_absent = false;
    bool with_internal = true;
    std::int32_t page = 2000;
};

env::Task<Result<void>> create_topic(Session& session, const NewTopic& topic);
env::Task<Result<void>> print_topics(Session& session, const TopicChoice& choice);
env::Task<Result<void>> print_descriptions(Session& session, const TopicChoice& choice,
                                           const DescribeFilter& filter);
env::Task<Result<void>> add_partitions(Session& session, const TopicChoice& choice,
                                       std::int64_t count, const ReplicaAssignment& assignment);
env::Task<Result<void>> delete_topics(Session& session, const TopicChoice& choice);

}  // namespace milena::cli
