// SPDX-License-Identifier: Apache-2.0
// A follower's replica of a coordinators' partition on a simulated disk: the test plays its leader,
// and so decides what it has, what of it is committed, and what is cut.
#pragma once

#include <map>
#include <string>
#include <utility>

#include <gtest/gtest.h>

#include "milena/replication/partition.h"
#include "milena/storage/state_store.h"
#include "sim/world.h"
#include "support/memory_state_store.h"
#include "support/producers.h"

namespace milena::drivers {

inline constexpr Uuid kTopic{7, 8};

class FollowedReplica {
public:
    explicit FollowedReplica(env::Env& env, std::int32_t index = 0)
        : name_{"__consumer_offsets", PartitionIndex(index)} {
        auto log = storage::Log::open(env, Logger(), "/data/" + name_.text(), {}, {});
        EXPECT_TRUE(log) << log.error().why;
        if (!log) return;
        partition = replication::Partition::make(
            env, Logger(), {BrokerId(1), name_, kTopic, *std::move(log), Offset(0), {}});
        follow(0);
    }

    void follow(std::int32_t leader_epoch) {
        const std::vector<BrokerId> both{BrokerId(1), BrokerId(2)};
        EXPECT_TRUE(partition->become({BrokerId(2), LeaderEpoch(leader_epoch),
                                       PartitionEpoch(++partition_epoch_), both, both}));
    }
    /// The leader's answer to what the follower asks next.
    bool take(BytesView records, std::int64_t high_watermark,
              std::optional<storage::EpochEnd> diverging = {}) {
        const auto plan = partition->next_fetch();
        if (!plan) return false;
        const auto step = partition->take_fetched(*plan,
                                                  {.high_watermark = Offset(high_watermark),
                                                   .log_start = partition->log_start_offset(),
                                                   .diverging = diverging,
                                                   .records = records},
                                                  replication::ProducePlace::disk_pool);
        return step.has_value();
    }
    storage::StateSpace space() const { return {kTopic, name_.partition}; }

    std::shared_ptr<replication::Partition> partition;

private:
    const storage::TopicPartition name_;
    std::int32_t partition_epoch_ = 0;
};

/// A key of that type, which a test may read.
inline std::string typed_key(std::int16_t type, std::string_view name) {
    return std::string{static_cast<char>(type >> 8), static_cast<char>(type & 0xFF)} +
           std::string(name);
}

using Pairs = std::vector<std::pair<std::string, std::optional<std::string>>>;

inline std::vector<std::byte> batch_at(std::int64_t base_offset, const Pairs& records,
                                       support::BatchSpec spec = {}) {
    spec.base_offset = base_offset;
    for (const auto& [key, value] : records)
        spec.records.push_back({.timestamp = 1000, .key = key, .value = value});
    return support::make_batch(spec);
}

inline std::map<std::string, std::string> content(const storage::StateStore& store,
                                                  const storage::StateSpace& space) {
    std::map<std::string, std::string> out;
    EXPECT_TRUE(store.scan(space, {}, {}, [&](BytesView key, BytesView value) {
        out.emplace(as_text(key), as_text(value));
        return true;
    }));
    return out;
}

}  // namespace milena::drivers
