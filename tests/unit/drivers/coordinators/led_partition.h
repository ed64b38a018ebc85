// SPDX-License-Identifier: Apache-2.0
// A partition of __consumer_offsets on a simulated disk, led by broker 1, with a follower 2 whose
// fetches are the test's.
#pragma once

#include <gtest/gtest.h>

#include "milena/replication/partition.h"
#include "sim/world.h"

namespace milena::drivers {

inline const std::vector<BrokerId> kAlone{BrokerId(1)};
inline const std::vector<BrokerId> kBoth{BrokerId(1), BrokerId(2)};

struct LedPartition {
    explicit LedPartition(sim::Node& node, replication::PartitionSettings settings = {}) {
        auto log =
            storage::Log::open(node, Logger(), "/data/__consumer_offsets-3", settings.log, {});
        partition = replication::Partition::make(node, Logger(),
                                                 {BrokerId(1),
                                                  {"__consumer_offsets", PartitionIndex(3)},
                                                  kTopic,
                                                  std::move(log).value(),
                                                  Offset(0),
                                                  settings});
    }

    /// Broker 1, and who else is to have it all.
    void lead(const std::vector<BrokerId>& replicas) { become(BrokerId(1), replicas); }
    void become(BrokerId leader, const std::vector<BrokerId>& replicas) {
        ++epoch;
        EXPECT_TRUE(partition->become(
            {leader, LeaderEpoch(epoch), PartitionEpoch(epoch), replicas, replicas}));
    }
    /// The follower has all there is.
    void follower_catches_up() const {
        const auto answer = partition->fetch({.from = partition->log_end_offset(),
                                              .current_leader_epoch = LeaderEpoch(epoch),
                                              .replica = BrokerId(2),
                                              .bytes_max = 1 << 20});
        EXPECT_EQ(answer.code, ErrorCode::none);
    }

    static constexpr Uuid kTopic{7, 7};
    std::shared_ptr<replication::Partition> partition;
    std::int32_t epoch = 0;
};

}  // namespace milena::drivers
