// SPDX-License-Identifier: Apache-2.0
// Plans from JSON and to it.
#include "moves/plan.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "moves/json_fields.h"
#include "text/exceptions.h"
#include "text/table.h"

namespace milena::cli {
namespace {

using Json = nlohmann::json;

/// What is listed more than once, each once.
template <class T>
std::vector<T> twice(const std::vector<T>& all) {
    std::map<T, std::size_t> counts;
    std::vector<T> found;
    for (const T& one : all) {
        if (++counts[one] == 2) found.push_back(one);
    }
    return found;
}

/// Of a file that is an object of a version that is known; its field `name`, an empty list if it
/// has none.
Result<std::vector<Json>> list_in(std::string_view text, std::string_view name) {
    const auto json = parse_json(text);
    if (!json) return refuse_operation("The input string is not a valid JSON");
    TRY_VOID(check_object(*json));
    TRY_VOID(check_version(*json));
    const auto list = json->find(name);
    if (list == json->end()) return std::vector<Json>{};
    return objects_of(*list);
}

Result<void> add_partition(const Json& entry, ReassignmentPlan& plan) {
    TopicPartition partition;
    TRY(partition.topic, text_field(entry, "topic"));
    TRY(partition.partition, number_field(entry, "partition"));
    TRY(auto replicas, numbers_field(entry, "replicas"));
    std::vector<std::string> directories(replicas.size(), std::string(kAnyDirectory));
    if (entry.contains("log_dirs")) {
        TRY(directories, texts_field(entry, "log_dirs"));
    }
    if (directories.size() != replicas.size()) {
        return refuse_command(fmt::format(
            "Size of replicas list [{}] is different from size of log dirs list [{}] for "
            "partition {}",
            fmt::join(replicas, ", "), fmt::join(directories, ", "), partition.text()));
    }
    for (std::size_t i = 0; i < replicas.size(); ++i) {
        if (directories[i] != kAnyDirectory)
            plan.directories[{replicas[i], partition}] = directories[i];
    }
    plan.partitions.emplace_back(std::move(partition), std::move(replicas));
    return ok();
}

}  // namespace

std::string PartitionReplica::text() const {
    return fmt::format("{}-{}", partition.text(), broker);
}

Result<ReassignmentPlan> parse_plan(std::string_view json) {
    TRY(const auto entries, list_in(json, "partitions"));
    ReassignmentPlan plan;
    for (const Json& entry : entries) TRY_VOID(add_partition(entry, plan));
    return plan;
}

Result<void> check_plan(const ReassignmentPlan& plan) {
    if (plan.partitions.empty())
        return refuse_command("Partition reassignment list cannot be empty");
    std::vector<std::string> names;
    std::vector<std::string> with_twice;
    for (const auto& [partition, replicas] : plan.partitions) {
        if (replicas.empty()) return refuse_command("Partition replica list cannot be empty");
        names.push_back(partition.text());
        const BrokerIds brokers = twice(replicas);
        if (brokers.empty()) continue;
        with_twice.push_back(fmt::format("{} contains multiple entries for {}", partition.text(),
                                         fmt::join(brokers, ",")));
    }
    if (const auto partitions = twice(names); !partitions.empty()) {
        return refuse_command(
            fmt::format("Partition reassignment contains duplicate topic partitions: {}",
                        fmt::join(partitions, ",")));
    }
    if (with_twice.empty()) return ok();
    return refuse_command(
        fmt::format("Partition replica lists may not contain duplicate entries: {}",
                    fmt::join(with_twice, ".")));
}

std::string plan_json(const PartitionReplicas& replicas, const ReplicaDirectories& directories) {
    std::vector<std::string> entries;
    for (const auto& [partition, brokers] : replicas) {
        std::vector<std::string> paths;
        for (const std::int32_t broker : brokers) {
            const auto known = directories.find({broker, partition});
            paths.push_back(json_string(
                known == directories.end() ? kAnyDirectory : std::string_view(known->second)));
        }
        entries.push_back(
            fmt::format(R"({{"topic":{},"partition":{},"replicas":[{}],"log_dirs":[{}]}})",
                        json_string(partition.topic), partition.partition, fmt::join(brokers, ","),
                        fmt::join(paths, ",")));
    }
    return fmt::format(R"({{"version":1,"partitions":[{}]}})", fmt::join(entries, ","));
}

Result<std::vector<std::string>> parse_topics_to_move(std::string_view json) {
    TRY(const auto entries, list_in(json, "topics"));
    std::vector<std::string> topics;
    for (const Json& entry : entries) {
        TRY(auto topic, text_field(entry, "topic"));
        topics.push_back(std::move(topic));
    }
    if (const auto again = twice(topics); !again.empty()) {
        return refuse_command(fmt::format(
            "List of topics to reassign contains duplicate entries: [{}]", fmt::join(again, ", ")));
    }
    return topics;
}

Result<BrokerIds> parse_broker_list(std::string_view text) {
    BrokerIds brokers;
    for (;;) {
        const std::string_view one = text.substr(0, text.find(','));
        std::int32_t id = 0;
        const auto [end, error] = std::from_chars(one.data(), one.data() + one.size(), id);
        if (one.empty() || error != std::errc() || end != one.data() + one.size())
            return refuse(fmt::format("For input string: \"{}\"", one));
        brokers.push_back(id);
        if (one.size() == text.size()) break;
        text.remove_prefix(one.size() + 1);
    }
    if (const auto again = twice(brokers); !again.empty()) {
        return refuse_command(
            fmt::format("Broker list contains duplicate entries: [{}]", fmt::join(again, ", ")));
    }
    return brokers;
}

}  // namespace milena::cli
