// SPDX-License-Identifier: Apache-2.0
// Which brokers may be dead, by evidence and not by silence: nothing connects a broker with this
// controller any more, and for kGrace nobody listens at any endpoint that it has registered. A
// connection that is taken, or that fails in any other way, is no such evidence: then the broker's
// session decides, as ever. Soft state, as all that is known of contacts.
//
//   connection lost ── probe, refused ── probe, refused ── … kGrace over, refused ── dead
//                          └── not refused when kGrace is over: the session decides
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "milena/controller/controller.h"
#include "milena/env/clock.h"
#include "milena/metadata/image.h"

namespace milena::controller {

class BrokerSuspicions {
public:
    /// How long nobody may have listened. A process that restarts is back within it, or is dead.
    static constexpr env::Duration kGrace = std::chrono::milliseconds(150);
    static constexpr env::Duration kProbePause = std::chrono::milliseconds(50);
    /// Probes under way at a time, and how many must have been refused.
    static constexpr std::size_t kProbesMax = 64;
    static constexpr int kRefusalsMin = 2;

    /// A controller begins: no broker has contacted it yet, but the one of its own node needs no
    /// connection.
    void begin(const metadata::ClusterImage& cluster, BrokerId self, env::Instant now);
    /// The connection over which that incarnation sent heartbeats has closed.
    void connection_lost(BrokerId broker, BrokerEpoch epoch, env::Instant now);
    /// It has registered, sent a heartbeat, or is unregistered.
    void clear(BrokerId broker) { lost_.erase(broker); }

    /// Whether that incarnation has had no connection for kGrace.
    bool is_cut_off(BrokerId broker, BrokerEpoch epoch, env::Instant now) const;

    /// Whom to connect to now; each of them is to be followed by probed().
    std::vector<BrokerProbe> take_probes(const metadata::ClusterImage& cluster, env::Instant now);
    /// Nobody listened at any endpoint of it (`is_refused`), or it can't be said.
    void probed(const BrokerProbe& probe, bool is_refused, env::Instant now);

    /// An unfenced broker that is dead.
    std::optional<BrokerId> dead(const metadata::ClusterImage& cluster) const;
    /// When there is something to probe, or somebody dead.
    env::Instant deadline(const metadata::ClusterImage& cluster) const;

private:
    struct Lost {
        BrokerEpoch epoch;
        env::Instant since{};
        env::Instant next_probe{};
        int refusals = 0;             ///< since the last probe that was not refused
        std::uint64_t under_way = 0;  ///< the number of its probe; 0: none
        bool is_probed = true;        ///< until its session is to decide
        bool is_dead = false;
    };
    bool is_of_interest(const metadata::ClusterImage& cluster, BrokerId broker,
                        const Lost& lost) const;
    bool has_room() const { return under_way_ < kProbesMax; }

    std::map<BrokerId, Lost> lost_;
    std::size_t under_way_ = 0;
    std::uint64_t last_number_ = 0;
};

}  // namespace milena::controller
