// SPDX-License-Identifier: Apache-2.0
// Decides which topics of a request are made or deleted, and writes their records.
#include "topics.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "configs.h"
#include "manual_assignment.h"
#include "milena/protocol/records/metadata.h"
#include "topic_names.h"

namespace milena::controller {
namespace {

constexpr std::string_view kMetadataTopic = "__cluster_metadata";
constexpr std::string_view kMinInsyncReplicas = "min.insync.replicas";
/// Directory ids with a meaning (KIP-858).
constexpr Uuid kMigrating{0, 0};
constexpr Uuid kUnassigned{0, 1};

Result<void> check_counts(const NewTopic& topic) {
    if (!topic.assignments.empty()) {
        const auto bad = [](std::string_view what) {
            return fail(
                ErrorCode::invalid_request,
                fmt::format(
                    "A manual partition assignment was specified, but {} was not set to -1.",
                    what));
        };
        if (topic.replication_factor != -1) return bad("replication factor");
        if (topic.partition_count != -1) return bad("numPartitions");
        return ok();
    }
    if (topic.replication_factor < -1 || topic.replication_factor == 0) {
        return fail(ErrorCode::invalid_replication_factor,
                    "Replication factor must be larger than 0, or -1 to use the default value.");
    }
    if (topic.partition_count < -1 || topic.partition_count == 0) {
        return fail(ErrorCode::invalid_partitions,
                    "Number of partitions was set to an invalid non-positive value.");
    }
    return ok();
}

/// Brokers that may get replicas: all but those whose every directory is closed to new ones.
std::vector<UsableBroker> usable_brokers(const View& view) {
    std::vector<UsableBroker> brokers;
    for (const auto& [id, broker] : view.image.cluster->brokers) {
        const auto& cordoned = broker.cordoned_log_directories;
        const bool is_closed = cordoned && !broker.log_directories.empty() &&
                               std::ranges::all_of(broker.log_directories, [&](Uuid directory) {
                                   return contains(*cordoned, directory);
                               });
        if (!is_closed)
            brokers.push_back({id, broker.rack.value_or(""), !view.image.cluster->is_active(id)});
    }
    return brokers;
}

std::int32_t partition_count(const View& view, const NewTopic& topic) {
    if (!topic.assignments.empty()) return static_cast<std::int32_t>(topic.assignments.size());
    return topic.partition_count == -1 ? view.options.num_partitions : topic.partition_count;
}

Result<std::vector<Replicas>> choose_replicas(const View& view, const NewTopic& topic,
                                              env::Random& random) {
    if (!topic.assignments.empty()) return check_assignments(view, topic.assignments);
    const std::int16_t factor = topic.replication_factor == -1
                                    ? view.options.default_replication_factor
                                    : topic.replication_factor;
    return place(usable_brokers(view), partition_count(view, topic), factor, random);
}

/// Where a broker will put a new replica, if that is known before it says so.
Uuid first_directory(const View& view, BrokerId broker) {
    const auto& directories = view.image.cluster->find_broker(broker)->log_directories;
    if (directories.empty()) return kMigrating;
    return directories.size() == 1 ? directories.front() : kUnassigned;
}

metadata::PartitionRegistration new_partition(const View& view, const Replicas& replicas) {
    metadata::PartitionRegistration partition;
    partition.replicas = replicas;
    for (const BrokerId replica : replicas) {
        partition.directories.push_back(first_directory(view, replica));
        if (view.image.cluster->is_active(replica)) partition.in_sync_replicas.push_back(replica);
    }
    INVARIANT(!partition.in_sync_replicas.empty(), "a new partition that nobody can lead");
    partition.leader = partition.in_sync_replicas.front();
    partition.leader_epoch = LeaderEpoch(0);
    partition.partition_epoch = PartitionEpoch(0);
    return partition;
}

Uuid new_topic_id(const View& view, env::Random& random) {
    for (;;) {
        const Uuid id = env::random_uuid(random);
        if (!view.image.topics->by_id.contains(id)) return id;
    }
}

Records topic_records(const View& view, const CreatedTopic& topic, const config::ConfigMap& configs,
                      const std::vector<Replicas>& partitions) {
    Records records{metadata::encode_record(protocol::TopicRecord{topic.name, topic.id})};
    for (const auto& [name, value] : configs) {
        records.push_back(metadata::encode_record(
            protocol::ConfigRecord{static_cast<std::int8_t>(metadata::ResourceType::topic),
                                   topic.name, name, std::string_view(value)}));
    }
    // A topic of this name may have left eligible replicas behind under another minimum (KIP-966).
    if (view.has_eligible_replicas() && configs.contains(kMinInsyncReplicas)) {
        records.push_back(metadata::encode_record(protocol::ClearElrRecord{topic.name}));
    }
    for (std::size_t index = 0; index < partitions.size(); ++index) {
        records.push_back(
            metadata::record_of(topic.id, PartitionIndex(static_cast<std::int32_t>(index)),
                                new_partition(view, partitions[index]), view.versions()));
    }
    return records;
}

Result<Records> create(const View& view, const NewTopic& topic, env::Random& random,
                       CreatedTopic& created) {
    TRY_VOID(check_topic_name(topic.name));
    if (topic.name == kMetadataTopic) {
        return fail(ErrorCode::invalid_request,
                    fmt::format("Creation of internal topic {} is prohibited.", kMetadataTopic));
    }
    if (view.image.topics->by_name.contains(topic.name)) {
        return fail(ErrorCode::topic_already_exists,
                    fmt::format("Topic '{}' already exists.", topic.name));
    }
    TRY_VOID(check_no_collision(*view.image.topics, topic.name));
    TRY(const config::ConfigMap configs, check_topic_configs(view, topic.configs));
    TRY_VOID(check_counts(topic));
    TRY(const std::vector<Replicas> partitions, choose_replicas(view, topic, random));

    created.id = new_topic_id(view, random);
    created.partition_count = static_cast<std::int32_t>(partitions.size());
    created.replication_factor = static_cast<std::int16_t>(partitions.front().size());
    created.configs = effective_configs(view, configs);
    return topic_records(view, created, configs, partitions);
}

CreatedTopic refused(const std::string& name, Error error) {
    CreatedTopic topic;
    topic.name = name;
    topic.code = error.code;
    topic.why = std::move(error.why);
    return topic;
}

CreateTopicsReply refuse_all(const CreateTopicsRequest& request, const Error& error) {
    CreateTopicsReply reply;
    std::set<std::string_view> seen;
    for (const NewTopic& topic : request.topics) {
        if (seen.insert(topic.name).second) reply.topics.push_back(refused(topic.name, error));
    }
    return reply;
}

bool asks_for_too_much(const View& view, const CreateTopicsRequest& request) {
    std::size_t partitions = 0;
    for (const NewTopic& topic : request.topics) {
        partitions += static_cast<std::size_t>(std::max(0, partition_count(view, topic)));
    }
    return partitions > kRecordsMax || request.topics.size() > kRecordsMax;
}

}  // namespace

Decision<CreateTopicsReply> create_topics(const View& view, const CreateTopicsRequest& request,
                                          env::Random& random) {
    if (asks_for_too_much(view, request)) {
        return {{},
                refuse_all(request, {ErrorCode::policy_violation,
                                     "Excessively large number of partitions per request."})};
    }
    std::map<std::string_view, int> times_named;
    for (const NewTopic& topic : request.topics) ++times_named[topic.name];

    Decision<CreateTopicsReply> decision;
    for (const NewTopic& topic : request.topics) {
        int& times = times_named[topic.name];
        if (times == 0) continue;  // told before
        const bool is_repeated = std::exchange(times, 0) > 1;
        CreatedTopic created{.name = topic.name};
        Result<Records> records = is_repeated
                                      ? fail(ErrorCode::invalid_request, "Duplicate topic name.")
                                      : create(view, topic, random, created);
        if (!records) {
            decision.reply.topics.push_back(refused(topic.name, std::move(records.error())));
            continue;
        }
        append(decision.records, std::move(*records));
        decision.reply.topics.push_back(std::move(created));
    }
    if (decision.records.size() > kRecordsMax) {
        return {{},
                refuse_all(request, {ErrorCode::policy_violation,
                                     "Unable to perform excessively large batch operation."})};
    }
    if (request.validate_only) decision.records.clear();
    return decision;
}

static Result<Uuid> find_to_delete(const View& view, const TopicToDelete& topic) {
    if (!view.options.delete_topic_enable)
        return fail(ErrorCode::topic_deletion_disabled, "Topic deletion is disabled.");
    if (!topic.id.is_zero()) {
        if (!view.image.topics->by_id.contains(topic.id)) {
            return fail(ErrorCode::unknown_topic_id, "This server does not host this topic ID.");
        }
        return topic.id;
    }
    const Uuid* const id = view.image.topics->by_name.find(topic.name);
    if (!id)
        return fail(ErrorCode::unknown_topic_or_partition,
                    "This server does not host this topic-partition.");
    return *id;
}

Decision<std::vector<DeletedTopic>> delete_topics(const View& view,
                                                  std::span<const TopicToDelete> topics) {
    Decision<std::vector<DeletedTopic>> decision;
    std::set<Uuid> named;
    for (const TopicToDelete& topic : topics) {
        DeletedTopic deleted{.name = topic.name, .id = topic.id};
        Result<Uuid> id = find_to_delete(view, topic);
        if (id && !named.insert(*id).second)
            id = fail(ErrorCode::invalid_request, "Duplicate topic.");
        if (id) {
            deleted.name = view.image.topics->find(*id)->name;
            deleted.id = *id;
            decision.records.push_back(metadata::encode_record(protocol::RemoveTopicRecord{*id}));
        } else {
            deleted.code = id.error().code;
            deleted.why = std::move(id.error().why);
        }
        decision.reply.push_back(std::move(deleted));
    }
    return decision;
}

}  // namespace milena::controller
