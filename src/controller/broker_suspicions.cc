// SPDX-License-Identifier: Apache-2.0
// Probes follow each other until the grace is over; the last one decides.
#include "broker_suspicions.h"

#include <algorithm>

#include "milena/base/invariant.h"

namespace milena::controller {

void BrokerSuspicions::begin(const metadata::ClusterImage& cluster, BrokerId self,
                             env::Instant now) {
    lost_.clear();
    for (const auto& [id, broker] : cluster.brokers) {
        if (id != self) connection_lost(id, broker.epoch, now);
    }
}

void BrokerSuspicions::connection_lost(BrokerId broker, BrokerEpoch epoch, env::Instant now) {
    lost_.insert_or_assign(broker, Lost{.epoch = epoch, .since = now, .next_probe = now});
}

bool BrokerSuspicions::is_cut_off(BrokerId broker, BrokerEpoch epoch, env::Instant now) const {
    const auto at = lost_.find(broker);
    return at != lost_.end() && at->second.epoch == epoch && now >= at->second.since + kGrace;
}

bool BrokerSuspicions::is_of_interest(const metadata::ClusterImage& cluster, BrokerId broker,
                                      const Lost& lost) const {
    const auto* const registered = cluster.find_broker(broker);
    return registered != nullptr && registered->epoch == lost.epoch && !registered->fenced &&
           lost.is_probed;
}

std::vector<BrokerProbe> BrokerSuspicions::take_probes(const metadata::ClusterImage& cluster,
                                                       env::Instant now) {
    std::vector<BrokerProbe> due;
    for (auto& [id, lost] : lost_) {
        if (!has_room()) break;
        if (lost.under_way != 0 || lost.is_dead || lost.next_probe > now) continue;
        if (!is_of_interest(cluster, id, lost)) continue;
        lost.under_way = ++last_number_;
        ++under_way_;
        due.push_back({id, lost.under_way, cluster.find_broker(id)->endpoints});
    }
    return due;
}

void BrokerSuspicions::probed(const BrokerProbe& probe, bool is_refused, env::Instant now) {
    INVARIANT(under_way_ > 0, "the result of a probe that nobody took");
    --under_way_;
    const auto at = lost_.find(probe.broker);
    // It was heard of meanwhile, and perhaps lost once more.
    if (at == lost_.end() || at->second.under_way != probe.number) return;
    Lost& lost = at->second;
    lost.under_way = 0;
    lost.refusals = is_refused ? lost.refusals + 1 : 0;
    const env::Instant end = lost.since + kGrace;
    if (now >= end && is_refused && lost.refusals >= kRefusalsMin) {
        lost.is_dead = true;
    } else if (now >= end && !is_refused) {
        lost.is_probed = false;
    } else {
        lost.next_probe = now + kProbePause;
        if (now < end) lost.next_probe = std::min(lost.next_probe, end);
    }
}

std::optional<BrokerId> BrokerSuspicions::dead(const metadata::ClusterImage& cluster) const {
    for (const auto& [id, lost] : lost_) {
        if (lost.is_dead && is_of_interest(cluster, id, lost)) return id;
    }
    return std::nullopt;
}

env::Instant BrokerSuspicions::deadline(const metadata::ClusterImage& cluster) const {
    env::Instant next = env::kNever;
    for (const auto& [id, lost] : lost_) {
        if (!is_of_interest(cluster, id, lost)) continue;
        if (lost.is_dead) return env::Instant::min();
        if (lost.under_way == 0 && has_room()) next = std::min(next, lost.next_probe);
    }
    return next;
}

}  // namespace milena::controller
