// SPDX-License-Identifier: Apache-2.0
// One proposal after the other; each is checked against the image, in Kafka's order, so that a
// leader hears what it must do next.
#include "partition/alter_partition.h"

#include <set>

#include <fmt/format.h>

#include "partition/partition_change.h"

namespace milena::controller {
namespace {

using metadata::PartitionRegistration;

constexpr std::int8_t kRecovered = 0;
constexpr std::int8_t kRecovering = 1;

bool is_eligible(const View& view, const InSyncReplica& replica) {
    const auto* const broker = view.image.cluster->find_broker(replica.broker);
    if (!broker || broker->fenced || broker->in_controlled_shutdown) return false;
    return replica.broker_epoch.value == -1 || replica.broker_epoch == broker->epoch;
}

/// Different replicas of the partition, its leader among them.
bool is_valid_set(const PartitionRegistration& now, const std::vector<InSyncReplica>& replicas) {
    std::set<BrokerId> seen;
    for (const InSyncReplica& replica : replicas) {
        if (!contains(now.replicas, replica.broker) || !seen.insert(replica.broker).second)
            return false;
    }
    return seen.contains(now.leader);
}

ErrorCode check_epochs(BrokerId sender, const PartitionRegistration& now,
                       const ProposedPartition& proposed) {
    // Who knows more than this controller has heard from a later one.
    if (proposed.leader_epoch > now.leader_epoch || proposed.partition_epoch > now.partition_epoch)
        return ErrorCode::not_controller;
    if (proposed.leader_epoch < now.leader_epoch) return ErrorCode::fenced_leader_epoch;
    if (sender != now.leader) return ErrorCode::invalid_request;
    if (proposed.partition_epoch < now.partition_epoch) return ErrorCode::invalid_update_version;
    return ErrorCode::none;
}

ErrorCode check_recovery(const PartitionRegistration& now, const ProposedPartition& proposed) {
    const bool recovers = proposed.leader_recovery_state == kRecovering;
    if (!recovers && proposed.leader_recovery_state != kRecovered)
        return ErrorCode::invalid_request;
    // Who has not recovered has nothing that others could be in sync with; and there is no way
    // back.
    const bool is_refused =
        recovers && (proposed.in_sync_replicas.size() > 1 || !now.is_recovering);
    return is_refused ? ErrorCode::invalid_request : ErrorCode::none;
}

ErrorCode check(const View& view, BrokerId sender, const PartitionRegistration& now,
                const ProposedPartition& proposed) {
    if (const ErrorCode code = check_epochs(sender, now, proposed); code != ErrorCode::none)
        return code;
    if (!is_valid_set(now, proposed.in_sync_replicas)) return ErrorCode::invalid_request;
    if (const ErrorCode code = check_recovery(now, proposed); code != ErrorCode::none) return code;
    const bool all_eligible = std::ranges::all_of(
        proposed.in_sync_replicas,
        [&](const InSyncReplica& replica) { return is_eligible(view, replica); });
    return all_eligible ? ErrorCode::none : ErrorCode::ineligible_replica;
}

class Alteration {
public:
    Alteration(const View& view, BrokerId sender) : view_(view), sender_(sender) {}

    AlteredTopic alter(const ProposedTopic& asked) {
        AlteredTopic told{asked.topic};
        const auto topic = view_.image.topics->find(asked.topic);
        std::optional<ElectionRules> rules;
        if (topic) rules.emplace(view_, *topic);
        for (const ProposedPartition& proposed : asked.partitions) {
            told.partitions.push_back(topic ? alter(*topic, *rules, proposed)
                                            : refused(proposed, ErrorCode::unknown_topic_id));
        }
        return told;
    }

    Records records() && { return std::move(records_); }

private:
    static AlteredPartition refused(const ProposedPartition& proposed, ErrorCode code) {
        return {.partition = proposed.partition, .code = code};
    }

    AlteredPartition alter(const metadata::TopicImage& topic, const ElectionRules& rules,
                           const ProposedPartition& proposed) {
        const PartitionRegistration* const now = topic.partitions.find(proposed.partition);
        if (!now) return refused(proposed, ErrorCode::unknown_topic_or_partition);
        if (const ErrorCode code = check(view_, sender_, *now, proposed); code != ErrorCode::none)
            return refused(proposed, code);
        // All decisions of one request look at the same image: the second on a partition would be
        // made on what the first has changed.
        if (!done_.insert({topic.id, proposed.partition}).second)
            return refused(proposed, ErrorCode::invalid_update_version);
        if (records_.size() >= kRecordsMax) return refused(proposed, ErrorCode::request_timed_out);
        return decide(PartitionChange(view_, rules, {topic.id, proposed.partition}, *now), rules,
                      proposed);
    }

    AlteredPartition decide(PartitionChange change, const ElectionRules& rules,
                            const ProposedPartition& proposed) {
        std::vector<BrokerId> in_sync;
        for (const InSyncReplica& replica : proposed.in_sync_replicas)
            in_sync.push_back(replica.broker);
        change.set_in_sync_replicas(in_sync);
        change.set_recovering(proposed.leader_recovery_state == kRecovering);
        change.settle(rules.automatic);
        if (auto record = change.record()) records_.push_back(std::move(*record));
        const PartitionRegistration& next = change.next();
        if (next.leader != sender_) return refused(proposed, ErrorCode::new_leader_elected);
        return {.partition = proposed.partition,
                .leader = next.leader,
                .leader_epoch = next.leader_epoch,
                .in_sync_replicas = next.in_sync_replicas.to_vector(),
                .is_recovering = next.is_recovering,
                .partition_epoch = next.partition_epoch};
    }

    const View& view_;
    BrokerId sender_;
    std::set<PartitionKey> done_;
    Records records_;
};

}  // namespace

Result<const metadata::BrokerRegistration*> check_broker_epoch(const View& view, BrokerId id,
                                                               BrokerEpoch epoch) {
    const auto* const broker = view.image.cluster->find_broker(id);
    if (broker && broker->epoch == epoch) return broker;
    return fail(ErrorCode::stale_broker_epoch,
                broker ? fmt::format("broker {} is of epoch {}, the request is of {}", id,
                                     broker->epoch, epoch)
                       : fmt::format("broker {} is not registered", id));
}

Decision<AlterPartitionReply> alter_partition(const View& view,
                                              const AlterPartitionRequest& request) {
    if (const auto sender = check_broker_epoch(view, request.broker, request.epoch); !sender)
        return {{}, std::unexpected(sender.error())};
    Alteration alteration(view, request.broker);
    std::vector<AlteredTopic> told;
    for (const ProposedTopic& topic : request.topics) told.push_back(alteration.alter(topic));
    return {std::move(alteration).records(), std::move(told)};
}

}  // namespace milena::controller
