// SPDX-License-Identifier: Apache-2.0
// Kafka's order among the replicas of a rack: the longest log, then who caught up last, then the
// highest id.
#include "fetch/replica_selector.h"

#include <algorithm>
#include <tuple>

#include "leader_endpoints.h"

namespace milena::server {

bool ReplicaSelector::is_in_rack(BrokerId id) const {
    const auto* const broker = image_.cluster->find_broker(id);
    return broker != nullptr && !broker->fenced && broker->rack == rack_ &&
           endpoint_of(*broker, listener_) != nullptr;
}

BrokerId ReplicaSelector::select(BrokerId leader,
                                 std::span<const replication::ReadableFollower> followers) const {
    if (is_in_rack(leader)) return kNoBroker;
    const auto rank = [](const replication::ReadableFollower& one) {
        return std::tuple(one.log_end, -one.since_caught_up, one.replica);
    };
    const replication::ReadableFollower* best = nullptr;
    for (const auto& one : followers) {
        if (is_in_rack(one.replica) && (best == nullptr || rank(*best) < rank(one))) best = &one;
    }
    return best == nullptr ? kNoBroker : best->replica;
}

}  // namespace milena::server
