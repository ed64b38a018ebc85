// SPDX-License-Identifier: Apache-2.0
// Decides which topics of a request are made or deleted, and writes their records.
#include "topics/topics.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "configs.h"
#include "milena/protocol/records/metadata.h"
#include "topics/manual_assignment.h"
#include "topics/new_partitions.h"
#include "topics/topic_names.h"

namespace milena::controller {
namespace {

constexpr std::string_view kMetadataTopic = "__cluster_metadata";
constexpr std::string_view kMinInsyncReplicas = "min.insync.replicas";

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
    auto placed = place(usable_brokers(view), partition_count(view, topic), factor, random);
    if (placed) return placed;
    return fail_at(fmt::format("Unable to replicate the partition {} time(s)", factor),
                   placed.error());
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
                refuse_all(request, {ErrorCode::policy_violation, std::string(kTooManyRecords)})};
    }
    if (request.validate_only) decision.records.clear();
    return decision;
}

namespace {

Result<Uuid> find_to_delete(const View& view, const TopicToDelete& topic) {
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

/// Sorts out what a request names twice: then none of it is deleted.
class Deletion {
public:
    explicit Deletion(const View& view) : view_(view) {}

    void add_repeated(const TopicToDelete& topic) {
        refuse(topic, {ErrorCode::invalid_request,
                       topic.id.is_zero() ? "Duplicate topic name." : "Duplicate topic id."});
    }
    void add(const TopicToDelete& topic) {
        const Result<Uuid> id = find_to_delete(view_, topic);
        if (!id) return refuse(topic, id.error());
        const auto [at, is_first] = chosen_.try_emplace(*id, &topic);
        if (is_first) return;
        // Told once, under the name, even if the id came first.
        const TopicToDelete& named = topic.id.is_zero() ? topic : *at->second;
        refuse({named.name, *id},
               {ErrorCode::invalid_request,
                "The provided topic name maps to an ID that was already supplied."});
        at->second = nullptr;
    }

    Decision<std::vector<DeletedTopic>> finish() && {
        Decision<std::vector<DeletedTopic>> decision;
        for (const auto& [id, topic] : chosen_) {
            if (!topic) continue;
            decision.records.push_back(metadata::encode_record(protocol::RemoveTopicRecord{id}));
            decision.reply.push_back({.name = view_.image.topics->find(id)->name, .id = id});
        }
        std::ranges::move(refused_, std::back_inserter(decision.reply));
        return decision;
    }

private:
    void refuse(const TopicToDelete& topic, const Error& error) {
        refused_.push_back({topic.name, topic.id, error.code, error.why});
    }

    const View& view_;
    std::map<Uuid, const TopicToDelete*> chosen_;
    std::vector<DeletedTopic> refused_;
};

}  // namespace

Decision<std::vector<DeletedTopic>> delete_topics(const View& view,
                                                  std::span<const TopicToDelete> topics) {
    if (!view.options.delete_topic_enable) {
        Decision<std::vector<DeletedTopic>> refused;
        for (const TopicToDelete& topic : topics)
            refused.reply.push_back({topic.name, topic.id, ErrorCode::topic_deletion_disabled});
        return refused;
    }
    std::map<std::pair<Uuid, std::string_view>, int> times_named;
    const auto key = [](const TopicToDelete& topic) {
        const std::string_view name = topic.name;
        return std::pair(topic.id, topic.id.is_zero() ? name : std::string_view());
    };
    for (const TopicToDelete& topic : topics) ++times_named[key(topic)];
    Deletion deletion(view);
    for (const TopicToDelete& topic : topics) {
        const int times = std::exchange(times_named[key(topic)], 0);
        if (times == 1) deletion.add(topic);
        if (times > 1) deletion.add_repeated(topic);
    }
    return std::move(deletion).finish();
}

}  // namespace milena::controller
