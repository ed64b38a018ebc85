// SPDX-License-Identifier: Apache-2.0
// When each broker was last heard of, and how far its image had come. Not in any record: a new
// controller begins with what the image says and gives everybody a whole session.
#pragma once

#include <map>
#include <optional>

#include "milena/env/clock.h"
#include "milena/metadata/image.h"

namespace milena::controller {

struct Contact {
    BrokerEpoch epoch;
    env::Instant last_heard{};
    Offset metadata_offset{-1};
    /// Set while it is in controlled shutdown: the end of the records that moved its leaderships
    /// away.
    std::optional<Offset> shutdown_offset{};
    /// This controller has had a heartbeat of it.
    bool sent_heartbeat = false;
};

class BrokerContacts {
public:
    explicit BrokerContacts(env::Duration session_timeout) : session_timeout_(session_timeout) {}

    /// Everybody who is not fenced was heard of just now.
    void begin(const metadata::Image& image, env::Instant now);

    /// A registration: whatever was known of an earlier epoch is void.
    void registered(BrokerId broker, BrokerEpoch epoch, env::Instant now);
    void heartbeat(BrokerId broker, BrokerEpoch epoch, Offset metadata_offset, env::Instant now);
    void shutting_down(BrokerId broker, Offset offset);
    void forget(BrokerId broker) { by_id_.erase(broker); }

    /// Null if nothing is known of that epoch of the broker.
    const Contact* find(BrokerId broker, BrokerEpoch epoch) const;
    bool has_session(BrokerId broker, BrokerEpoch epoch, env::Instant now) const;

    /// The unfenced broker that has been silent for longest, if its session has ended.
    std::optional<BrokerId> expired(const metadata::ClusterImage& cluster, env::Instant now) const;
    /// When the next session of an unfenced broker ends.
    env::Instant next_expiry(const metadata::ClusterImage& cluster) const;
    /// How far all brokers that serve have come; the greatest offset if none does.
    Offset lowest_active_offset(const metadata::ClusterImage& cluster) const;

private:
    env::Duration session_timeout_;
    std::map<BrokerId, Contact> by_id_;
};

}  // namespace milena::controller
