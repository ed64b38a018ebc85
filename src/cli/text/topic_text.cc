// SPDX-License-Identifier: Apache-2.0
// The lines of kafka-topics --describe.
#include "text/topic_text.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "text/hash_order.h"

namespace milena::cli {
namespace {

std::size_t replication_factor(const TopicDescription& topic, const PartitionState& partition) {
    const auto moving = topic.reassignments.find(partition.index);
    const std::size_t adding =
        moving == topic.reassignments.end() ? 0 : moving->second.adding.size();
    return partition.replicas.size() - std::min(adding, partition.replicas.size());
}

/// What the topic overrides, in the order of the tool.
std::string overrides(const std::vector<ConfigEntry>& configs) {
    std::vector<std::string_view> names;
    for (const ConfigEntry& entry : configs) names.push_back(entry.name);
    std::string text;
    for (const std::size_t at : hash_order(names)) {
        const ConfigEntry& entry = configs[at];
        if (entry.source == ConfigSource::defaults) continue;
        text += fmt::format("{}{}={}", text.empty() ? "" : ",", entry.name,
                            entry.value.value_or("null"));
    }
    return text;
}

std::string topic_line(const TopicDescription& topic) {
    return fmt::format(
        "Topic: {}\tTopicId: {}\tPartitionCount: {}\tReplicationFactor: {}\tConfigs: {}\n",
        topic.state.name, topic.state.id, topic.state.partitions.size(),
        topic.state.partitions.empty() ? 0
                                       : replication_factor(topic, topic.state.partitions.front()),
        overrides(topic.configs));
}

std::string eligible(const std::optional<BrokerIds>& ids) {
    return ids ? fmt::format("{}", fmt::join(*ids, ",")) : "N/A";
}

std::string partition_line(const TopicDescription& topic, const PartitionState& partition) {
    std::string line = fmt::format(
        "\tTopic: {}\tPartition: {}\tLeader: {}\tReplicas: {}\tIsr: {}", topic.state.name,
        partition.index, partition.leader < 0 ? "none" : std::to_string(partition.leader),
        fmt::join(partition.replicas, ","), fmt::join(partition.in_sync_replicas, ","));
    const auto moving = topic.reassignments.find(partition.index);
    if (moving != topic.reassignments.end()) {
        line += fmt::format("\tAdding Replicas: {}\tRemoving Replicas: {}",
                            fmt::join(moving->second.adding, ","),
                            fmt::join(moving->second.removing, ","));
    }
    return line + fmt::format("\tElr: {}\tLastKnownElr: {}\n",
                              eligible(partition.eligible_leader_replicas),
                              eligible(partition.last_known_elr));
}

std::size_t min_in_sync_replicas(const std::vector<ConfigEntry>& configs) {
    std::size_t number = 1;
    for (const ConfigEntry& entry : configs) {
        if (entry.name != "min.insync.replicas" || !entry.value) continue;
        std::from_chars(entry.value->data(), entry.value->data() + entry.value->size(), number);
    }
    return number;
}

bool is_wanted(const TopicDescription& topic, const PartitionState& partition,
               const DescribeFilter& filter, const std::set<std::int32_t>& live_brokers) {
    if (!filter.chooses_partitions()) return true;
    const std::size_t in_sync = partition.in_sync_replicas.size();
    const std::size_t wanted = min_in_sync_replicas(topic.configs);
    const bool has_leader = partition.leader >= 0;
    return (filter.under_replicated && in_sync < replication_factor(topic, partition)) ||
           (filter.unavailable && !live_brokers.contains(partition.leader)) ||
           (filter.under_min_isr && (!has_leader || in_sync < wanted)) ||
           (filter.at_min_isr && in_sync == wanted);
}

}  // namespace

std::string describe_text(const TopicDescription& topic, const DescribeFilter& filter,
                          const std::set<std::int32_t>& live_brokers) {
    const bool overrides_any = std::ranges::any_of(topic.configs, [](const ConfigEntry& entry) {
        return entry.source != ConfigSource::defaults;
    });
    std::string text;
    if (!filter.chooses_partitions() && (!filter.only_overridden || overrides_any))
        text += topic_line(topic);
    if (filter.only_overridden) return text;
    for (const PartitionState& partition : topic.state.partitions) {
        if (is_wanted(topic, partition, filter, live_brokers))
            text += partition_line(topic, partition);
    }
    return text;
}

}  // namespace milena::cli
