// SPDX-License-Identifier: Apache-2.0
// A partition over the real log, on a simulated disk: producers with an id, and transactions.
#include "milena/replication/partition.h"

#include <cerrno>

#include <gtest/gtest.h>

#include "core_script.h"
#include "produce.h"
#include "sim/world.h"
#include "support/producers.h"

namespace milena::replication {
namespace {

using support::Marker;
using support::Sent;

constexpr BrokerId kSelf{1};
constexpr BrokerId kFollower{2};

class Listener final : public FetchListener {
public:
    void partition_has_news() override { ++told; }
    int told = 0;
};

class PartitionTest : public ::testing::Test {
protected:
    void SetUp() override {
        storage::LogOptions options;
        options.producer_expiration_ms = kExpirationMs;
        auto log = storage::Log::open(node, Logger(), "/data/t-0", options, {});
        ASSERT_TRUE(log) << log.error().why;
        log_ = log->get();
        settings_.log = options;
        settings_.rules.timestamp_before_max_ms = INT64_MAX;
        settings_.rules.timestamp_after_max_ms = INT64_MAX;
        parts_.emplace(kSelf, TopicPartition{"t", PartitionIndex(0)}, Uuid{1, 2}, *std::move(log),
                       Offset(0), settings_);
    }
    /// Broker 1 leads, alone or with broker 2. What was put into the log before is there.
    void lead(std::initializer_list<int> replicas = {1}, Offset high_watermark = Offset(0)) {
        parts_->high_watermark = high_watermark;
        partition = Partition::make(node, Logger(), *std::move(parts_));
        ASSERT_TRUE(partition->become(
            {kSelf, LeaderEpoch(0), PartitionEpoch(0), brokers(replicas), brokers(replicas)}));
    }
    void put(const Sent& sent) {
        ASSERT_TRUE(log_->append(support::sent_batch(log_->log_end_offset().value, sent)));
    }
    void put(const Marker& marker) {
        ASSERT_TRUE(log_->append(support::marker_batch(log_->log_end_offset().value, marker)));
    }

    std::optional<ProduceAnswer> produce(const Sent& sent, Acks acks = Acks::leader) {
        auto batch = support::sent_batch(0, sent);
        return produce_in(*partition, batch, acks, node.clock().now() + std::chrono::seconds(30),
                          [this](ProduceAnswer answer) { done.push_back(answer); });
    }
    FetchAnswer fetch(std::int64_t from, BrokerId replica = kNoBroker) {
        return partition->fetch({.from = Offset(from),
                                 .replica = replica,
                                 .read_committed = replica == kNoBroker,
                                 .bytes_max = 100'000});
    }
    Offset latest(bool read_committed) {
        return partition->find_offset({.read_committed = read_committed}).offset;
    }

    static constexpr std::int64_t kExpirationMs = 1LL << 50;
    sim::World world{1};
    sim::Node& node{world.add_node("n1")};
    PartitionSettings settings_;
    storage::Log* log_ = nullptr;
    std::optional<ReplicaParts> parts_;
    std::shared_ptr<Partition> partition;
    std::vector<ProduceAnswer> done;
};

TEST_F(PartitionTest, ABatchThatIsSentAgainIsAnsweredAsTheFirstTimeAndNotAppended) {
    lead();
    EXPECT_EQ(produce({.sequence = 0, .records = 3})->base_offset, Offset(0));
    EXPECT_EQ(produce({.sequence = 3, .records = 2})->base_offset, Offset(3));
    const auto again = produce({.sequence = 0, .records = 3, .timestamp = 1000});
    ASSERT_TRUE(again);
    EXPECT_EQ(again->code, ErrorCode::none);
    EXPECT_EQ(again->base_offset, Offset(0));
    EXPECT_EQ(again->log_append_time, Timestamp(1000));
    EXPECT_EQ(again->log_start_offset, Offset(0));
    EXPECT_EQ(partition->log_end_offset(), Offset(5));
    EXPECT_EQ(produce({.sequence = 5})->base_offset, Offset(5));
}

TEST_F(PartitionTest, ABatchThatIsSentAgainWaitsForWhereItLies) {
    lead({1, 2});
    EXPECT_FALSE(produce({.sequence = 0}, Acks::all));
    EXPECT_FALSE(produce({.sequence = 1}, Acks::all));
    EXPECT_FALSE(produce({.sequence = 0}, Acks::all));
    EXPECT_TRUE(done.empty());
    fetch(1, kFollower);
    ASSERT_EQ(done.size(), 2U) << "the first batch, twice";
    EXPECT_EQ(done[0].base_offset, Offset(0));
    EXPECT_EQ(done[1].base_offset, Offset(0));
    const auto known = produce({.sequence = 0}, Acks::all);
    ASSERT_TRUE(known) << "it is replicated already";
    EXPECT_EQ(known->base_offset, Offset(0));
    fetch(2, kFollower);
    ASSERT_EQ(done.size(), 3U);
    EXPECT_EQ(done[2].base_offset, Offset(1));
    EXPECT_EQ(partition->log_end_offset(), Offset(2));
}

TEST_F(PartitionTest, WhatASequenceOrEpochForbidsIsRefusedWithTheLogsStart) {
    lead();
    produce({.epoch = 1, .sequence = 0});
    const auto gap = produce({.epoch = 1, .sequence = 2}, Acks::all);
    ASSERT_TRUE(gap);
    EXPECT_EQ(gap->code, ErrorCode::out_of_order_sequence_number);
    EXPECT_EQ(gap->base_offset, Offset(-1));
    EXPECT_EQ(gap->log_start_offset, Offset(0));
    EXPECT_EQ(produce({.epoch = 0, .sequence = 1})->code, ErrorCode::invalid_producer_epoch);
    EXPECT_EQ(partition->log_end_offset(), Offset(1));
}

TEST_F(PartitionTest, ABatchThatCouldNotBeWrittenMayBeSentAgain) {
    lead();
    produce({.sequence = 0});
    node.faults().fail_call(0, ENOSPC);
    EXPECT_EQ(produce({.sequence = 1})->code, ErrorCode::kafka_storage_error);
    const auto again = produce({.sequence = 1});
    EXPECT_EQ(again->code, ErrorCode::none);
    EXPECT_EQ(again->base_offset, Offset(1));
}

TEST_F(PartitionTest, AnOpenTransactionEndsWhatIsCommitted) {
    put(Sent{.producer = 1});
    put(Sent{.producer = 7, .is_transactional = true});
    put(Sent{.producer = 1, .sequence = 1});
    lead();
    const FetchAnswer answer = fetch(0);
    EXPECT_EQ(answer.high_watermark, Offset(3));
    EXPECT_EQ(answer.last_stable_offset, Offset(1));
    EXPECT_EQ(answer.records.length, support::sent_batch(0, {}).size()) << "the first batch only";
    EXPECT_EQ(latest(true), Offset(1));
    EXPECT_EQ(latest(false), Offset(3));
    EXPECT_EQ(fetch(1).records.length, 0U);
}

TEST_F(PartitionTest, AbortedTransactionsAreToldToReadersOfCommittedDataOnly) {
    put(Sent{.producer = 7, .is_transactional = true});
    put(Marker{.producer = 7, .is_abort = true});
    lead();
    EXPECT_EQ(fetch(0).aborted,
              (std::vector<storage::AbortedTransaction>{{ProducerId(7), Offset(0)}}));
    EXPECT_TRUE(partition->fetch({.from = Offset(0), .bytes_max = 1000}).aborted.empty());
    EXPECT_TRUE(fetch(2).aborted.empty());
}

TEST_F(PartitionTest, AMarkerCountsWhenItIsReplicatedAndWakesThoseWhoWait) {
    put(Sent{.producer = 7, .is_transactional = true});
    put(Marker{.producer = 7});
    lead({1, 2}, Offset(1));
    EXPECT_EQ(fetch(0).last_stable_offset, Offset(0));
    const auto listener = std::make_shared<Listener>();
    partition->listen(listener);
    fetch(2, kFollower);
    EXPECT_EQ(listener->told, 1);
    EXPECT_EQ(fetch(0).last_stable_offset, Offset(2));
    EXPECT_GT(fetch(0).records.length, 0U);
}

TEST_F(PartitionTest, TellsOfItsProducersAndForgetsSilentOnes) {
    put(Sent{.producer = 8, .sequence = 4, .is_transactional = true, .timestamp = 2000});
    lead();
    produce({.producer = 7, .epoch = 3, .sequence = 0, .records = 2, .timestamp = 1000});
    const std::vector<storage::ActiveProducer> both{
        {.id = ProducerId(7), .epoch = 3, .last_sequence = 1, .last_timestamp = Timestamp(1000)},
        {.id = ProducerId(8),
         .epoch = 0,
         .last_sequence = 4,
         .last_timestamp = Timestamp(2000),
         .transaction_start = Offset(0)}};
    EXPECT_EQ(partition->active_producers(), both);
    partition->expire_producers(Timestamp(1000 + kExpirationMs));
    EXPECT_EQ(partition->active_producers(), std::vector{both[1]});
    partition->stop();
    EXPECT_EQ(partition->active_producers().error().code, ErrorCode::not_leader_or_follower);
}

}  // namespace
}  // namespace milena::replication
