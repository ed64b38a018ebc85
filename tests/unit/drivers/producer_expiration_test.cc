// SPDX-License-Identifier: Apache-2.0
// Silent producers are forgotten at the interval, and the loop ends when it is told to.
#include "milena/drivers/producer_expiration.h"

#include <gtest/gtest.h>

#include "sim/world.h"
#include "support/producers.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;

std::shared_ptr<replication::Partition> partition_with_producer(sim::Node& node) {
    storage::LogOptions options;
    options.producer_expiration_ms = 90'000;
    auto log = storage::Log::open(node, Logger(), "/data/t-0", options, {}).value();
    const std::int64_t now = node.clock().wall().value;
    EXPECT_TRUE(log->append(support::sent_batch(0, {.timestamp = now})));
    auto partition = replication::Partition::make(
        node, Logger(),
        {BrokerId(1), {"t", PartitionIndex(0)}, Uuid{1, 2}, std::move(log), Offset(1), {}});
    const std::vector<BrokerId> alone{BrokerId(1)};
    EXPECT_TRUE(partition->become({BrokerId(1), LeaderEpoch(0), PartitionEpoch(0), alone, alone}));
    return partition;
}

TEST(ProducerExpiration, ForgetsSilentProducersAtItsInterval) {
    sim::World world(1);
    sim::Node& node = world.add_node("n1");
    const auto partition = partition_with_producer(node);
    ProducerExpiration expiration(
        node, [&] { return std::vector<std::shared_ptr<replication::Partition>>{partition}; }, 60s);
    const auto start = [&]() -> env::Task<void> {
        expiration.start();
        co_return;
    };
    const auto stop = [&]() -> env::Task<void> { co_await expiration.stop(); };
    ASSERT_TRUE(world.run(node, start()));
    world.run_for(61s);
    EXPECT_EQ(partition->active_producers()->size(), 1U) << "silent for one minute";
    world.run_for(60s);
    EXPECT_EQ(partition->active_producers()->size(), 0U);
    ASSERT_TRUE(world.run(node, env::run_on(node.control(), stop())));
}

}  // namespace
}  // namespace milena::drivers
