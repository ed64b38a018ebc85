// SPDX-License-Identifier: Apache-2.0
// Topics by Metadata, directories by DescribeLogDirs.
#include "moves/current.h"

#include <set>

#include <fmt/format.h>

#include "moves/move_text.h"
#include "moves/replica_directories.h"

namespace milena::cli {

env::Task<Result<std::map<std::string, TopicState>>> topics_that_must_be(
    Session& session, const std::vector<std::string>& names) {
    CO_TRY(auto topics, co_await find_topics(session, names));
    for (const std::string& name : names) {
        if (topics.contains(name)) continue;
        co_return fail(ErrorCode::unknown_topic_or_partition,
                       fmt::format("Topic {} not found.", name));
    }
    co_return topics;
}

env::Task<Result<PartitionReplicas>> replicas_of(Session& session,
                                                 const PartitionReplicas& wanted) {
    std::vector<std::string> names;
    for (const auto& [partition, replicas] : wanted) {
        if (names.empty() || names.back() != partition.topic) names.push_back(partition.topic);
    }
    CO_TRY(const auto topics, co_await topics_that_must_be(session, names));
    PartitionReplicas found;
    for (const auto& [name, topic] : topics) {
        for (const PartitionState& partition : topic.partitions) {
            const TopicPartition one{name, partition.index};
            if (wanted.contains(one)) found[one] = partition.replicas;
        }
    }
    std::vector<TopicPartition> missing;
    for (const auto& [partition, replicas] : wanted) {
        if (!found.contains(partition)) missing.push_back(partition);
    }
    if (missing.empty()) co_return found;
    co_return fail(ErrorCode::unknown_topic_or_partition,
                   fmt::format("Unable to find partition: {}", names_of(missing)));
}

env::Task<Result<ReplicaDirectories>> directories_of(Session& session,
                                                     const PartitionReplicas& replicas) {
    CO_TRY_VOID(co_await session.client().refresh_nodes());
    std::set<PartitionReplica> of_live;
    for (const auto& [partition, brokers] : replicas) {
        for (const std::int32_t broker : brokers) {
            if (session.client().nodes().contains(BrokerId(broker)))
                of_live.insert({broker, partition});
        }
    }
    CO_TRY(const auto places, co_await places_of(session, of_live));
    ReplicaDirectories directories;
    for (const auto& [replica, place] : places) {
        if (!place.current.empty()) directories[replica] = place.current;
    }
    co_return directories;
}

}  // namespace milena::cli
