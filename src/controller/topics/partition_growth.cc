// SPDX-License-Identifier: Apache-2.0
// Checks how far a topic is to grow and where to, and writes its new partitions; those that it has
// are not touched.
#include "topics/partition_growth.h"

#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "milena/protocol/records/metadata.h"
#include "topics/manual_assignment.h"
#include "topics/new_partitions.h"
#include "topics/topics.h"

namespace milena::controller {
namespace {

using metadata::TopicImage;

std::int64_t partitions_of(const TopicImage& topic) {
    return static_cast<std::int64_t>(topic.partitions.size());
}

/// How many partitions the topic is to get.
Result<std::int32_t> check_count(const TopicImage& topic, std::int32_t count) {
    const std::int64_t before = partitions_of(topic);
    if (count == before) {
        return fail(ErrorCode::invalid_partitions,
                    fmt::format("Topic already has {} partition(s).", before));
    }
    if (count < before) {
        return fail(ErrorCode::invalid_partitions,
                    fmt::format("The topic {} currently has {} partition(s); {} would not be an "
                                "increase.",
                                topic.name, before, count));
    }
    return static_cast<std::int32_t>(count - before);
}

Result<std::vector<Replicas>> check_assignments(const View& view, const TopicImage& topic,
                                                std::int32_t additional,
                                                const std::vector<Replicas>& assignments) {
    if (assignments.size() != static_cast<std::size_t>(additional)) {
        return fail(ErrorCode::invalid_replica_assignment,
                    fmt::format("Attempted to add {} additional partition(s), but only {} "
                                "assignment(s) were specified.",
                                additional, assignments.size()));
    }
    const std::size_t factor = topic.partitions.begin()->second.replicas.size();
    auto index = static_cast<std::int32_t>(topic.partitions.size());
    for (const Replicas& replicas : assignments) {
        TRY_VOID(check_assignment(view, PartitionIndex(index++), replicas, factor));
    }
    return assignments;
}

Result<std::vector<Replicas>> choose_replicas(const View& view, const TopicImage& topic,
                                              const NewPartitions& wanted, env::Random& random) {
    TRY(const std::int32_t additional, check_count(topic, wanted.count));
    if (wanted.assignments) return check_assignments(view, topic, additional, *wanted.assignments);
    const std::size_t factor = topic.partitions.begin()->second.replicas.size();
    return place(usable_brokers(view), additional, static_cast<std::int16_t>(factor), random);
}

Result<Records> grow(const View& view, const NewPartitions& wanted, env::Random& random) {
    const auto topic = view.image.topics->find(wanted.topic);
    if (!topic) return fail(ErrorCode::unknown_topic_or_partition, {});
    INVARIANT(!topic->partitions.empty(), "a topic without partitions");
    TRY(const std::vector<Replicas> partitions, choose_replicas(view, *topic, wanted, random));
    Records records;
    auto index = static_cast<std::int32_t>(topic->partitions.size());
    for (const Replicas& replicas : partitions) {
        records.push_back(metadata::record_of(topic->id, PartitionIndex(index++),
                                              new_partition(view, replicas), view.versions()));
    }
    return records;
}

using TimesNamed = std::map<std::string_view, int>;

bool asks_for_too_much(const View& view, const CreatePartitionsRequest& request,
                       const TimesNamed& times_named) {
    std::int64_t additional = 0;
    for (const NewPartitions& wanted : request.topics) {
        const auto topic = view.image.topics->find(wanted.topic);
        const bool counts = topic && times_named.at(wanted.topic) == 1;
        if (counts) additional += std::max<std::int64_t>(0, wanted.count - partitions_of(*topic));
    }
    return additional > static_cast<std::int64_t>(kRecordsMax);
}

}  // namespace

Decision<std::vector<GrownTopic>> create_partitions(const View& view,
                                                    const CreatePartitionsRequest& request,
                                                    env::Random& random) {
    TimesNamed times_named;
    for (const NewPartitions& wanted : request.topics) ++times_named[wanted.topic];
    const bool too_much = asks_for_too_much(view, request, times_named);

    Decision<std::vector<GrownTopic>> decision;
    for (const NewPartitions& wanted : request.topics) {
        const int times = std::exchange(times_named[wanted.topic], 0);
        if (times == 0) continue;  // told before
        Result<Records> records = Records();
        if (times > 1) {
            records = fail(ErrorCode::invalid_request, "Duplicate topic name.");
        } else if (too_much) {
            records = fail(ErrorCode::policy_violation,
                           "Excessively large number of additional partitions per request.");
        } else {
            records = grow(view, wanted, random);
        }
        GrownTopic grown{.name = wanted.topic};
        if (records) {
            append(decision.records, std::move(*records));
        } else {
            grown.code = records.error().code;
            grown.why = std::move(records.error().why);
        }
        decision.reply.push_back(std::move(grown));
    }
    if (request.validate_only) decision.records.clear();
    return decision;
}

}  // namespace milena::controller
