// SPDX-License-Identifier: Apache-2.0
// Short words for tests of the cores: moments, partition states, a leader that is fed one event
// after the other.
#pragma once

#include <vector>

#include "core/leader_core.h"

namespace milena::replication {

inline env::Instant at(std::int64_t seconds) {
    return env::Instant(std::chrono::seconds(seconds));
}

inline std::vector<BrokerId> members(const IsrProposal& proposal) {
    std::vector<BrokerId> brokers;
    for (const InSyncMember& member : proposal.in_sync_replicas) brokers.push_back(member.broker);
    return brokers;
}

inline std::vector<BrokerId> brokers(std::initializer_list<int> numbers) {
    std::vector<BrokerId> ids;
    for (const int number : numbers) ids.push_back(BrokerId(number));
    return ids;
}

/// Led by broker 1 among 1, 2, 3.
inline PartitionState led_by_1(std::initializer_list<int> isr, int partition_epoch = 1,
                               int leader_epoch = 5) {
    return {BrokerId(1), LeaderEpoch(leader_epoch), PartitionEpoch(partition_epoch),
            brokers({1, 2, 3}), brokers(isr)};
}

/// Leader 1 of a log [0, 10) at second 0, high watermark at 10 until something is said.
struct Leading {
    explicit Leading(std::initializer_list<int> isr, std::int32_t min_insync = 1,
                     std::int64_t high_watermark = 10)
        : core(led_by_1(isr), {.min_insync_replicas = min_insync},
               {Offset(0), Offset(10), Offset(10)}, Offset(high_watermark), at(0)) {}

    LeaderOutput append(std::int64_t records, std::int64_t second = 1) {
        const Append place = core.stage(records);
        return core.appended(place.base_offset + records, at(second));
    }
    LeaderOutput fetched(int replica, std::int64_t from, std::int64_t second = 1) {
        return core.follower_fetched({BrokerId(replica), Offset(from)}, at(second));
    }
    bool park(std::int64_t required, std::int64_t deadline, std::uint64_t ticket) {
        return core.park({Offset(required), at(deadline), ticket});
    }
    std::int64_t hw() const { return core.high_watermark().value; }

    LeaderCore core;
};

}  // namespace milena::replication
