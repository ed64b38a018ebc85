// SPDX-License-Identifier: Apache-2.0
// Records are appended to a partition that takes them in place, in the pools, or not at all.
#include "coordinators/group_append.h"

#include <gtest/gtest.h>

#include "milena/record/records.h"
#include "unit/drivers/coordinators/led_partition.h"

namespace milena::drivers {
namespace {

coordinator::Record record_of(std::size_t value_bytes) {
    return {std::vector<std::byte>(8, std::byte{'k'}),
            std::vector<std::byte>(value_bytes, std::byte{'v'})};
}

class GroupAppendTest : public ::testing::Test {
protected:
    GroupAppendTest() : node_(world_.add_node("n1")), led_(node_, settings()) { led_.lead(kAlone); }

    static replication::PartitionSettings settings() {
        replication::PartitionSettings settings;
        settings.rules.batch_bytes_max = 8 << 20;
        return settings;
    }
    Result<Appended> append(const std::vector<coordinator::Record>& records,
                            AppendRules rules = {}) {
        Result<Appended> out;
        const auto task = [&]() -> env::Task<void> {
            out = co_await append_records({node_, node_.core(0), led_.partition}, rules, records,
                                          [](replication::ProduceAnswer) {});
        };
        EXPECT_TRUE(world_.run(node_, task()));
        return out;
    }
    /// The header of the batch at `offset`.
    record::BatchView batch_at(Offset offset) {
        const auto page = led_.partition->fetch(
            {.from = offset, .bytes_max = 1 << 20, .at_least_one_batch = true});
        EXPECT_EQ(page.code, ErrorCode::none);
        memory_.resize(page.records.length);
        EXPECT_TRUE(page.records.file->read_at(page.records.position, memory_));
        return **record::first_batch(memory_);
    }

    sim::World world_{1};
    sim::Node& node_;
    LedPartition led_;
    std::vector<std::byte> memory_;
};

TEST_F(GroupAppendTest, WritesTheRecordsOfADecisionAsOneBatch) {
    const auto appended = append({record_of(3), {std::vector<std::byte>(4), std::nullopt}});
    ASSERT_TRUE(appended);
    EXPECT_EQ(appended->base_offset, Offset(0));
    EXPECT_EQ(appended->expires_at, env::kNever) << "it is committed";
    const auto batch = batch_at(Offset(0));
    EXPECT_EQ(batch.record_count(), 2);
    EXPECT_NEAR(static_cast<double>(batch.base_timestamp().value),
                static_cast<double>(node_.clock().wall().value), 1000);
    EXPECT_EQ(append({record_of(3)})->base_offset, Offset(2));
}

TEST_F(GroupAppendTest, WritesInTheCodecThatIsConfigured) {
    for (const std::size_t bytes : {3UL, 200'000UL}) {
        const Offset at = led_.partition->log_end_offset();
        ASSERT_TRUE(append({record_of(bytes)}, {.codec = record::Codec::lz4}));
        EXPECT_EQ(batch_at(at).codec(), record::Codec::lz4);
    }
}

TEST_F(GroupAppendTest, WritesALargeBatchInThePools) {
    const auto appended = append({record_of(3 << 20)});
    ASSERT_TRUE(appended) << appended.error().why;
    EXPECT_EQ(led_.partition->log_end_offset(), Offset(1));
}

TEST_F(GroupAppendTest, FailsWithABatchThatIsTooLarge) {
    const auto appended = append({record_of(9 << 20)});
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().code, ErrorCode::message_too_large);
    EXPECT_EQ(coordinator_code(appended.error().code), ErrorCode::unknown_server_error);
}

TEST_F(GroupAppendTest, BuildsNoBatchOfMoreThanAnyDecisionMayHave) {
    const std::vector<coordinator::Record> records(257, record_of(1 << 20));
    const auto appended = append(records);
    ASSERT_FALSE(appended);
    EXPECT_EQ(appended.error().code, ErrorCode::message_too_large);
    EXPECT_EQ(appended.error().why, "one decision has too many records");
}

TEST_F(GroupAppendTest, SaysWhenABatchThatWaitsIsGivenUp) {
    led_.lead(kBoth);
    const auto appended = append({record_of(3)}, {.timeout = std::chrono::seconds(7)});
    ASSERT_TRUE(appended);
    EXPECT_LE(appended->expires_at, node_.clock().now() + std::chrono::seconds(7));
}

TEST(CoordinatorCode, IsWhatKafkaTells) {
    EXPECT_EQ(coordinator_code(ErrorCode::not_enough_replicas),
              ErrorCode::coordinator_not_available);
    EXPECT_EQ(coordinator_code(ErrorCode::request_timed_out), ErrorCode::coordinator_not_available);
    EXPECT_EQ(coordinator_code(ErrorCode::not_leader_or_follower), ErrorCode::not_coordinator);
    EXPECT_EQ(coordinator_code(ErrorCode::kafka_storage_error), ErrorCode::not_coordinator);
}

}  // namespace
}  // namespace milena::drivers
