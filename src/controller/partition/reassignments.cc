// SPDX-License-Identifier: Apache-2.0
// What comes and what goes is counted from the replicas that the partition had before any move, so
// that a move may be changed on its way. The texts are what Kafka's tools show to their users.
#include "partition/reassignments.h"

#include <set>

#include <fmt/format.h>

#include "configs.h"
#include "milena/controller/topic_names.h"
#include "partition/partition_change.h"
#include "topics/manual_assignment.h"

namespace milena::controller {
namespace {

using metadata::PartitionRegistration;
using metadata::TopicImage;
using Brokers = PartitionChange::Brokers;

bool is_moving(const PartitionRegistration& partition) {
    return !partition.adding_replicas.empty() || !partition.removing_replicas.empty();
}

/// The replicas before the move that is on its way.
Brokers original_replicas(const PartitionRegistration& now) {
    Brokers original;
    for (const BrokerId broker : now.replicas) {
        if (!contains(now.adding_replicas, broker)) original.push_back(broker);
    }
    return original;
}

/// How many the partition has, or is to have by the move that is on its way.
std::size_t replication_factor(const PartitionRegistration& now) {
    return now.replicas.size() - now.removing_replicas.size();
}

class Reassignments {
public:
    Reassignments(const View& view, const ReassignmentsRequest& request)
        : view_(view), request_(request) {}

    ReassignedTopic alter(const TopicReassignment& asked) {
        ReassignedTopic told{asked.topic};
        const auto topic = view_.image.topics->find(asked.topic);
        for (const Reassignment& one : asked.partitions) {
            ReassignedPartition& answer = told.partitions.emplace_back(one.partition);
            if (const auto done = alter(topic.get(), asked.topic, one); !done) {
                answer.code = done.error().code;
                answer.why = done.error().why;
            }
        }
        return told;
    }

    Records records() && { return std::move(records_); }

private:
    Result<void> alter(const TopicImage* topic, std::string_view name, const Reassignment& asked) {
        if (topic == nullptr) {
            return fail(ErrorCode::unknown_topic_or_partition,
                        fmt::format("Unable to find a topic named {}.",
                                    name.substr(0, kTopicNameBytesMax)));
        }
        const PartitionRegistration* const now = topic->partitions.find(asked.partition);
        if (now == nullptr) {
            return fail(ErrorCode::unknown_topic_or_partition,
                        fmt::format("Unable to find partition {}:{}.", name, asked.partition));
        }
        // A second move in one decision would be made on what the first has changed.
        if (!done_.insert({topic->id, asked.partition}).second)
            return fail(ErrorCode::invalid_request, "The partition is named twice.");
        const ElectionRules rules(view_, *topic);
        PartitionChange change(view_, rules, {topic->id, asked.partition}, *now);
        if (asked.replicas) {
            TRY_VOID(begin(*now, *asked.replicas, change));
        } else {
            TRY_VOID(cancel(*topic, *now, asked.partition, change));
        }
        if (auto record = change.record()) records_.push_back(std::move(*record));
        return ok();
    }

    Result<void> begin(const PartitionRegistration& now, const Brokers& target,
                       PartitionChange& change) const {
        TRY_VOID(check_replicas(view_, target, std::nullopt));
        if (!request_.allow_replication_factor_change && target.size() != replication_factor(now)) {
            return fail(ErrorCode::invalid_replication_factor,
                        fmt::format("The replication factor is changed from {} to {}",
                                    replication_factor(now), target.size()));
        }
        const Brokers original = original_replicas(now);
        std::set<BrokerId> adding;
        std::set<BrokerId> removing;
        for (const BrokerId broker : target) {
            if (!contains(original, broker)) adding.insert(broker);
        }
        for (const BrokerId broker : now.replicas) {
            if (!contains(target, broker)) removing.insert(broker);
        }
        Brokers all = target;
        all.insert(all.end(), removing.begin(), removing.end());
        change.set_replicas(all, {adding.begin(), adding.end()},
                            {removing.begin(), removing.end()});
        change.settle(Election::clean);
        return ok();
    }

    Result<void> cancel(const TopicImage& topic, const PartitionRegistration& now,
                        PartitionIndex index, PartitionChange& change) const {
        if (!is_moving(now)) {
            return fail(ErrorCode::no_reassignment_in_progress,
                        "No partition reassignment is in progress.");
        }
        const Brokers original = original_replicas(now);
        if (original.empty()) {
            return fail(ErrorCode::invalid_replica_assignment,
                        "Invalid replica assignment: addingReplicas contains all replicas.");
        }
        Brokers in_sync;
        for (const BrokerId broker : now.in_sync_replicas) {
            if (contains(original, broker)) in_sync.push_back(broker);
        }
        const bool loses_all = in_sync.empty() && !now.in_sync_replicas.empty();
        const bool may_lose = unclean_election_enabled(view_, topic.name);
        // All that is in sync would go: what stays may lack records.
        if (loses_all && !may_lose) {
            return fail(ErrorCode::invalid_replica_assignment,
                        fmt::format("Unable to revert partition assignment for {}:{} because it "
                                    "would require an unclean leader election.",
                                    topic.name, index));
        }
        if (in_sync.empty() && !view_.has_eligible_replicas()) in_sync = {original.front()};
        change.set_in_sync_replicas(in_sync);
        change.set_replicas(original, {}, {});
        change.settle(may_lose ? Election::unclean : Election::clean);
        return ok();
    }

    const View& view_;
    const ReassignmentsRequest& request_;
    std::set<PartitionKey> done_;
    Records records_;
};

}  // namespace

Decision<Result<std::vector<ReassignedTopic>>> alter_reassignments(
    const View& view, const ReassignmentsRequest& request) {
    Reassignments reassignments(view, request);
    std::vector<ReassignedTopic> told;
    for (const TopicReassignment& topic : request.topics)
        told.push_back(reassignments.alter(topic));
    Records records = std::move(reassignments).records();
    if (records.size() > kRecordsMax)
        return {{}, fail(ErrorCode::policy_violation, std::string(kTooManyRecords))};
    return {std::move(records), std::move(told)};
}

}  // namespace milena::controller
