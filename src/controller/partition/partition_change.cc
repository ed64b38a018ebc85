// SPDX-License-Identifier: Apache-2.0
// The rules of KRaft for one partition, in the order in which they build on each other.
#include "partition/partition_change.h"

#include <algorithm>

#include "configs.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {

using metadata::PartitionRegistration;
using Brokers = PartitionChange::Brokers;

/// From this level of metadata.version on a replica that leaves the in-sync set does not raise the
/// leader's epoch (3.6-IV0).
static constexpr std::int16_t kShrinkKeepsEpoch = 12;
/// Directory ids with a meaning (KIP-858): not yet known where, so taken as online.
static constexpr Uuid kMigrating{0, 0};
static constexpr Uuid kUnassigned{0, 1};

template <class All, class Part>
static bool contains_all(const All& all, const Part& part) {
    return std::ranges::all_of(part, [&](BrokerId broker) { return contains(all, broker); });
}

template <class All, class Gone>
static Brokers without(const All& all, const Gone& gone) {
    Brokers rest;
    for (const BrokerId broker : all) {
        if (!contains(gone, broker)) rest.push_back(broker);
    }
    return rest;
}

ElectionRules::ElectionRules(const View& view, const metadata::TopicImage& topic)
    : automatic(unclean_election_enabled(view, topic.name) ? Election::unclean : Election::clean),
      min_insync_replicas(
          static_cast<std::size_t>(controller::min_insync_replicas(view, topic.name))) {}

Uuid first_directory(const View& view, BrokerId broker) {
    const auto* const registration = view.image.cluster->find_broker(broker);
    if (!registration) return kUnassigned;
    const auto& directories = registration->log_directories;
    if (directories.empty()) return kMigrating;
    return directories.size() == 1 ? directories.front() : kUnassigned;
}

bool has_directory(const metadata::BrokerRegistration& broker, Uuid directory) {
    return broker.log_directories.empty() || directory == kMigrating || directory == kUnassigned ||
           contains(broker.log_directories, directory);
}

PartitionChange::PartitionChange(const View& view, const ElectionRules& rules,
                                 const PartitionKey& key, const PartitionRegistration& now)
    : view_(view), rules_(rules), key_(key), now_(now), next_(now) {
    candidates_ = now.eligible_leader_replicas.to_vector();
    for (const BrokerId broker : now.in_sync_replicas) {
        if (!contains(candidates_, broker)) candidates_.push_back(broker);
    }
}

void PartitionChange::joins(BrokerId broker) {
    joining_ = broker;
}

void PartitionChange::leaves(BrokerId broker, bool uncleanly) {
    leaving_ = broker;
    if (uncleanly) std::erase(candidates_, broker);
    Brokers rest = without(next_.in_sync_replicas, Brokers{broker});
    // Without eligible replicas the last one in sync stays listed: it is the only one that is known
    // to have all.
    if (rest.empty() && !view_.has_eligible_replicas()) return;
    next_.in_sync_replicas = rest;
}

void PartitionChange::set_directory(BrokerId broker, Uuid directory) {
    const auto at = std::ranges::find(next_.replicas, broker);
    INVARIANT(at != next_.replicas.end(), "a directory of a broker that has no replica");
    std::vector<Uuid> directories = next_.directories.to_vector();
    directories[static_cast<std::size_t>(at - next_.replicas.begin())] = directory;
    next_.directories = directories;
}

void PartitionChange::set_replicas(const Brokers& replicas, const Brokers& adding,
                                   const Brokers& removing) {
    std::vector<Uuid> directories;
    for (const BrokerId replica : replicas) {
        const auto at = std::ranges::find(next_.replicas, replica);
        directories.push_back(
            at == next_.replicas.end()
                ? first_directory(view_, replica)
                : next_.directories[static_cast<std::size_t>(at - next_.replicas.begin())]);
    }
    next_.replicas = replicas;
    next_.directories = directories;
    next_.adding_replicas = adding;
    next_.removing_replicas = removing;
}

void PartitionChange::settle(Election election) {
    complete_reassignment();
    settle_eligible();
    elect(election);
    settle_last_known_leader();
    settle_epochs();
}

void PartitionChange::complete_reassignment() {
    const auto adding = next_.adding_replicas;
    const auto removing = next_.removing_replicas;
    if (adding.empty() && removing.empty()) return;
    Brokers in_sync = without(next_.in_sync_replicas, removing);
    const Brokers replicas = without(next_.replicas, removing);
    if (!removing.empty() && (in_sync.empty() || replicas.empty())) return;
    if (!contains_all(in_sync, adding)) return;
    // Where fewer come than go, those that stay must be there before the others are given up.
    if (adding.size() < removing.size() && !contains_all(in_sync, replicas)) return;
    next_.in_sync_replicas = in_sync;
    set_replicas(replicas, {}, {});
}

/// Who was in sync or eligible and is no longer in sync is eligible while too few are in sync.
void PartitionChange::settle_eligible() {
    Brokers eligible;
    const auto enough = std::min(rules_.min_insync_replicas, next_.replicas.size());
    if (view_.has_eligible_replicas() && next_.in_sync_replicas.size() < enough) {
        for (const BrokerId broker : candidates_) {
            if (!contains(next_.in_sync_replicas, broker) && contains(next_.replicas, broker))
                eligible.push_back(broker);
        }
    }
    next_.eligible_leader_replicas = eligible;
}

bool PartitionChange::can_lead(BrokerId broker) const {
    const auto* const registration = view_.image.cluster->find_broker(broker);
    if (!registration || broker == leaving_) return false;
    const auto at = std::ranges::find(next_.replicas, broker);
    if (at != next_.replicas.end()) {
        const auto index = static_cast<std::size_t>(at - next_.replicas.begin());
        if (!has_directory(*registration, next_.directories[index])) return false;
    }
    return broker == joining_ || view_.image.cluster->is_active(broker);
}

bool PartitionChange::can_lead_cleanly(BrokerId broker) const {
    const bool has_all =
        contains(next_.in_sync_replicas, broker) ||
        (next_.in_sync_replicas.empty() && contains(next_.eligible_leader_replicas, broker));
    return has_all && can_lead(broker);
}

void PartitionChange::elect(Election election) {
    const BrokerId preferred = next_.replicas.front();
    if (election == Election::preferred && can_lead_cleanly(preferred)) {
        lead(preferred);
    } else if (next_.leader == kNoBroker || !can_lead_cleanly(next_.leader)) {
        elect_new(election);
    }
}

void PartitionChange::elect_new(Election election) {
    const auto clean =
        std::ranges::find_if(next_.replicas, [&](BrokerId one) { return can_lead_cleanly(one); });
    if (clean != next_.replicas.end()) return lead(*clean);
    next_.leader = kNoBroker;
    elect_last_known();
    if (next_.leader != kNoBroker || election != Election::unclean) return;
    const auto any =
        std::ranges::find_if(next_.replicas, [&](BrokerId one) { return can_lead(one); });
    if (any != next_.replicas.end()) lead_with_loss(*any);
}

void PartitionChange::elect_last_known() {
    const auto& last_known = next_.last_known_eligible_leader_replicas;
    const bool nobody_is_known =
        next_.in_sync_replicas.empty() && next_.eligible_leader_replicas.empty();
    if (!view_.has_eligible_replicas() || !nobody_is_known || last_known.size() != 1) return;
    const BrokerId broker = last_known.front();
    if (contains(next_.replicas, broker) && can_lead(broker)) lead_with_loss(broker);
}

void PartitionChange::lead(BrokerId broker) {
    next_.leader = broker;
    if (contains(next_.in_sync_replicas, broker)) return;
    next_.in_sync_replicas = Brokers{broker};
    next_.eligible_leader_replicas =
        without(next_.eligible_leader_replicas, next_.in_sync_replicas);
}

/// Whoever else was eligible has records that this one may lack: they are of another history now.
void PartitionChange::lead_with_loss(BrokerId broker) {
    next_.leader = broker;
    next_.in_sync_replicas = Brokers{broker};
    next_.eligible_leader_replicas = Brokers{};
    next_.is_recovering = true;
}

void PartitionChange::settle_last_known_leader() {
    if (next_.leader != kNoBroker || !view_.has_eligible_replicas()) {
        next_.last_known_eligible_leader_replicas = Brokers{};
    } else if (now_.leader != kNoBroker && now_.last_known_eligible_leader_replicas.empty()) {
        next_.last_known_eligible_leader_replicas = Brokers{now_.leader};
    }
}

void PartitionChange::settle_epochs() {
    const bool takes_away = !contains_all(next_.replicas, now_.replicas);
    const bool shrinks = view_.metadata_version() < kShrinkKeepsEpoch &&
                         !contains_all(next_.in_sync_replicas, now_.in_sync_replicas);
    const bool is_changed = !(next_ == now_);
    if (next_.leader != now_.leader || takes_away || shrinks) ++next_.leader_epoch.value;
    if (is_changed) ++next_.partition_epoch.value;
}

std::optional<RecordValue> PartitionChange::record() const {
    if (next_ == now_) return std::nullopt;
    const metadata::RecordVersions versions = view_.versions();
    using metadata::number_view;
    protocol::PartitionChangeRecord record;
    record.partition_id = key_.partition.value;
    record.topic_id = key_.topic;
    if (next_.replicas != now_.replicas) record.replicas = number_view(next_.replicas);
    if (next_.in_sync_replicas != now_.in_sync_replicas)
        record.isr = number_view(next_.in_sync_replicas);
    if (next_.adding_replicas != now_.adding_replicas)
        record.adding_replicas = number_view(next_.adding_replicas);
    if (next_.removing_replicas != now_.removing_replicas)
        record.removing_replicas = number_view(next_.removing_replicas);
    if (next_.eligible_leader_replicas != now_.eligible_leader_replicas)
        record.eligible_leader_replicas = number_view(next_.eligible_leader_replicas);
    if (next_.last_known_eligible_leader_replicas != now_.last_known_eligible_leader_replicas)
        record.last_known_elr = number_view(next_.last_known_eligible_leader_replicas);
    if (versions.log_directories && next_.directories != now_.directories)
        record.directories = std::span<const Uuid>(next_.directories);
    if (next_.is_recovering != now_.is_recovering)
        record.leader_recovery_state = next_.is_recovering ? 1 : 0;
    if (next_.leader_epoch != now_.leader_epoch) record.leader = next_.leader.value;
    return metadata::encode_record(record, versions.partition_change);
}

}  // namespace milena::controller
