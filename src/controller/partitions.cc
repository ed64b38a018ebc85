// SPDX-License-Identifier: Apache-2.0
// One partition at a time: who is in sync after an event, who is eligible, who leads, and the
// record that says so.
#include "partitions.h"

#include <algorithm>
#include <functional>

#include "configs.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {
namespace {

using metadata::PartitionRegistration;
using Brokers = std::vector<BrokerId>;

/// From this level of metadata.version on a replica that leaves does not raise the leader's epoch
/// (3.6-IV0).
constexpr std::int16_t kShrinkKeepsEpoch = 12;
/// Directory ids with a meaning (KIP-858): not yet known where, so taken as online.
constexpr Uuid kMigrating{0, 0};
constexpr Uuid kUnassigned{0, 1};

/// One partition on its way from one state to the next.
class Change {
public:
    using CanLead = std::function<bool(BrokerId)>;

    Change(const View& view, std::string_view topic, const PartitionRegistration& now,
           CanLead can_lead)
        : view_(view), topic_(topic), now_(now), next_(now), can_lead_(std::move(can_lead)) {}

    void remove(BrokerId broker, bool uncleanly) {
        if (uncleanly) std::erase(now_eligible_, broker);
        if (uncleanly) std::erase(now_in_sync_, broker);
        std::erase(next_.in_sync_replicas, broker);
        // Without eligible replicas the last one in sync stays listed: it is the only one that is
        // known to have all.
        if (next_.in_sync_replicas.empty() && !view_.has_eligible_replicas()) {
            next_.in_sync_replicas = now_.in_sync_replicas;
        }
    }

    /// Whoever was told that a replica is lacking records asked for one all the same.
    void allow_loss() { may_lose_ = true; }

    /// The first of the replicas leads if it is in sync, whoever leads now.
    void elect_preferred() {
        settle_eligible();
        if (can_lead_in_sync(next_.replicas.front())) next_.leader = next_.replicas.front();
        elect();
    }

    void elect() {
        settle_eligible();
        const bool stays = next_.leader != kNoBroker && can_lead_in_sync(next_.leader);
        if (!stays) elect_new();
        settle_last_known_leader();
    }

    const PartitionRegistration& next() const { return next_; }

private:
    bool can_lead_in_sync(BrokerId broker) const {
        return contains(next_.in_sync_replicas, broker) && can_lead_(broker);
    }

    void elect_new() {
        next_.leader = kNoBroker;
        for (const BrokerId replica : next_.replicas) {
            if (can_lead_in_sync(replica)) {
                next_.leader = replica;
                return;
            }
        }
        for (const BrokerId replica : next_.replicas) {
            if (contains(next_.eligible_leader_replicas, replica) && can_lead_(replica)) {
                lead_alone(replica);
                return;
            }
        }
        elect_with_loss();
    }

    void elect_with_loss() {
        const Brokers& last_known = next_.last_known_eligible_leader_replicas;
        const bool nobody_is_known = next_.in_sync_replicas.empty() &&
                                     next_.eligible_leader_replicas.empty() &&
                                     last_known.size() == 1;
        Brokers candidates;
        if (nobody_is_known) candidates = last_known;
        if (may_lose_) {
            candidates.insert(candidates.end(), next_.replicas.begin(), next_.replicas.end());
        }
        const auto chosen = std::ranges::find_if(candidates, can_lead_);
        if (chosen == candidates.end()) return;
        // Whoever else was eligible has records that this one may lack: they are of another history
        // now.
        now_in_sync_.clear();
        now_eligible_.clear();
        next_.is_recovering = true;
        lead_alone(*chosen);
    }

    void lead_alone(BrokerId broker) {
        next_.leader = broker;
        next_.in_sync_replicas = {broker};
        settle_eligible();
    }

    /// Who was in sync or eligible and is no longer in sync is eligible while too few are in sync.
    void settle_eligible() {
        next_.eligible_leader_replicas.clear();
        if (!view_.has_eligible_replicas()) return;
        const auto enough = std::min(static_cast<std::size_t>(min_insync_replicas(view_, topic_)),
                                     next_.replicas.size());
        if (next_.in_sync_replicas.size() >= enough) return;
        for (const Brokers* const brokers : {&now_eligible_, &now_in_sync_}) {
            for (const BrokerId broker : *brokers) {
                if (contains(next_.in_sync_replicas, broker)) continue;
                if (contains(next_.eligible_leader_replicas, broker)) continue;
                next_.eligible_leader_replicas.push_back(broker);
            }
        }
    }

    void settle_last_known_leader() {
        Brokers& last_known = next_.last_known_eligible_leader_replicas;
        if (!view_.has_eligible_replicas() || !next_.in_sync_replicas.empty()) {
            last_known.clear();
        } else if (now_.leader != kNoBroker) {
            last_known = {now_.leader};
        }
    }

    const View& view_;
    std::string_view topic_;
    const PartitionRegistration& now_;
    PartitionRegistration next_;
    CanLead can_lead_;
    bool may_lose_ = unclean_election_enabled(view_, topic_);
    Brokers now_in_sync_ = now_.in_sync_replicas;
    Brokers now_eligible_ = now_.eligible_leader_replicas;
};

/// The difference as a record; nothing if there is none.
std::optional<RecordValue> record_of(const View& view, const PartitionKey& key,
                                     const PartitionRegistration& now,
                                     const PartitionRegistration& next) {
    if (now == next) return std::nullopt;
    const auto isr = metadata::numbers(next.in_sync_replicas);
    const auto eligible = metadata::numbers(next.eligible_leader_replicas);
    const auto last_known = metadata::numbers(next.last_known_eligible_leader_replicas);
    protocol::PartitionChangeRecord record;
    record.partition_id = key.partition.value;
    record.topic_id = key.topic;
    if (next.in_sync_replicas != now.in_sync_replicas) record.isr = isr;
    if (next.eligible_leader_replicas != now.eligible_leader_replicas)
        record.eligible_leader_replicas = eligible;
    if (next.last_known_eligible_leader_replicas != now.last_known_eligible_leader_replicas) {
        record.last_known_elr = last_known;
    }
    if (next.is_recovering != now.is_recovering)
        record.leader_recovery_state = next.is_recovering ? 1 : 0;
    const bool shrinks = next.in_sync_replicas.size() < now.in_sync_replicas.size();
    if (next.leader != now.leader || (shrinks && view.metadata_version() < kShrinkKeepsEpoch)) {
        record.leader = next.leader.value;
    }
    return metadata::encode_record(record, view.versions().partition_change);
}

bool has_online_directory(const metadata::BrokerRegistration& broker,
                          const PartitionRegistration& partition) {
    const auto at = std::ranges::find(partition.replicas, broker.id);
    if (at == partition.replicas.end() || broker.log_directories.empty()) return true;
    const Uuid directory =
        partition.directories[static_cast<std::size_t>(at - partition.replicas.begin())];
    return directory == kMigrating || directory == kUnassigned ||
           contains(broker.log_directories, directory);
}

bool is_in(const PartitionRegistration& partition, BrokerId broker,
           const std::vector<Uuid>& directories) {
    for (std::size_t i = 0; i < partition.replicas.size(); ++i) {
        if (partition.replicas[i] == broker) return contains(directories, partition.directories[i]);
    }
    return false;
}

/// Adapts the partitions in `keys`, those for which `wanted` says so.
Records adapt(const View& view, const PartitionIndexes::Keys& keys, BrokerId broker,
              BrokerEvent event, const std::function<bool(const PartitionRegistration&)>& wanted) {
    Records records;
    for (const PartitionKey& key : keys) {
        const auto topic = view.image.topics->find(key.topic);
        INVARIANT(topic != nullptr, "an indexed topic that is not in the image");
        const PartitionRegistration& now = topic->partitions.at(key.partition);
        if (!wanted(now)) continue;
        Change change(view, topic->name, now, [&](BrokerId candidate) {
            const auto* const registration = view.image.cluster->find_broker(candidate);
            if (!registration || !has_online_directory(*registration, now)) return false;
            return candidate == broker ? event == BrokerEvent::joins
                                       : view.image.cluster->is_active(candidate);
        });
        if (event != BrokerEvent::joins)
            change.remove(broker, event == BrokerEvent::leaves_uncleanly);
        change.elect();
        if (auto record = record_of(view, key, now, change.next()))
            records.push_back(std::move(*record));
    }
    return records;
}

}  // namespace

Records partition_changes(const View& view, BrokerId broker, BrokerEvent event) {
    const auto& keys = event == BrokerEvent::joins ? view.partitions.without_leader()
                                                   : view.partitions.with_member(broker);
    return adapt(view, keys, broker, event, [&](const PartitionRegistration& partition) {
        return event != BrokerEvent::joins || contains(partition.replicas, broker);
    });
}

std::optional<RecordValue> election_change(const View& view, const metadata::TopicImage& topic,
                                           PartitionIndex index, ElectionType type) {
    const PartitionRegistration& now = topic.partitions.at(index);
    Change change(view, topic.name, now, [&](BrokerId candidate) {
        const auto* const registration = view.image.cluster->find_broker(candidate);
        return registration && has_online_directory(*registration, now) &&
               view.image.cluster->is_active(candidate);
    });
    if (type == ElectionType::preferred) {
        change.elect_preferred();
    } else {
        change.allow_loss();
        change.elect();
    }
    return record_of(view, {topic.id, index}, now, change.next());
}

Records directory_failure_changes(const View& view, BrokerId broker,
                                  const std::vector<Uuid>& failed) {
    return adapt(
        view, view.partitions.with_member(broker), broker, BrokerEvent::leaves,
        [&](const PartitionRegistration& partition) { return is_in(partition, broker, failed); });
}

}  // namespace milena::controller
