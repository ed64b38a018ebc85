// SPDX-License-Identifier: Apache-2.0
// Sessions of brokers: soft state, gone with the controller that keeps it.
#include "broker_contacts.h"

#include <algorithm>

namespace milena::controller {

void BrokerContacts::begin(const metadata::Image& image, env::Instant now) {
    by_id_.clear();
    for (const auto& [id, broker] : image.cluster->brokers) {
        if (broker.fenced) continue;
        Contact contact{.epoch = broker.epoch, .last_heard = now};
        if (broker.in_controlled_shutdown) contact.shutdown_offset = image.provenance.last_offset;
        by_id_.emplace(id, contact);
    }
}

void BrokerContacts::registered(BrokerId broker, BrokerEpoch epoch, env::Instant now) {
    by_id_.insert_or_assign(broker, Contact{.epoch = epoch, .last_heard = now});
}

void BrokerContacts::heartbeat(BrokerId broker, BrokerEpoch epoch, Offset metadata_offset,
                               env::Instant now) {
    Contact& contact = by_id_[broker];
    if (contact.epoch != epoch) contact = Contact{.epoch = epoch};
    contact.last_heard = now;
    contact.metadata_offset = metadata_offset;
    contact.sent_heartbeat = true;
}

void BrokerContacts::shutting_down(BrokerId broker, Offset offset) {
    if (const auto at = by_id_.find(broker); at != by_id_.end())
        at->second.shutdown_offset = offset;
}

const Contact* BrokerContacts::find(BrokerId broker, BrokerEpoch epoch) const {
    const auto at = by_id_.find(broker);
    return at != by_id_.end() && at->second.epoch == epoch ? &at->second : nullptr;
}

bool BrokerContacts::has_session(BrokerId broker, BrokerEpoch epoch, env::Instant now) const {
    const Contact* const contact = find(broker, epoch);
    return contact && now < contact->last_heard + session_timeout_;
}

std::optional<BrokerId> BrokerContacts::expired(const metadata::ClusterImage& cluster,
                                                env::Instant now) const {
    std::optional<BrokerId> longest;
    env::Instant earliest = env::kNever;
    for (const auto& [id, broker] : cluster.brokers) {
        if (broker.fenced || has_session(id, broker.epoch, now)) continue;
        const Contact* const contact = find(id, broker.epoch);
        const env::Instant heard = contact ? contact->last_heard : env::Instant::min();
        if (!longest || heard < earliest) {
            longest = id;
            earliest = heard;
        }
    }
    return longest;
}

env::Instant BrokerContacts::next_expiry(const metadata::ClusterImage& cluster) const {
    env::Instant next = env::kNever;
    for (const auto& [id, broker] : cluster.brokers) {
        if (broker.fenced) continue;
        const Contact* const contact = find(id, broker.epoch);
        next =
            std::min(next, contact ? contact->last_heard + session_timeout_ : env::Instant::min());
    }
    return next;
}

Offset BrokerContacts::lowest_active_offset(const metadata::ClusterImage& cluster) const {
    Offset lowest(INT64_MAX);
    for (const auto& [id, broker] : cluster.brokers) {
        if (!cluster.is_active(id)) continue;
        const Contact* const contact = find(id, broker.epoch);
        lowest = std::min(lowest, contact ? contact->metadata_offset : Offset(-1));
    }
    return lowest;
}

}  // namespace milena::controller
