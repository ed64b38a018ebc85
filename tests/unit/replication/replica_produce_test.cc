// SPDX-License-Identifier: Apache-2.0
// A produce in its steps: what a core does itself, what it leaves to the pools, and what may happen
// to the partition while a batch is written.
#include "local_partition.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "core_script.h"
#include "memory_log.h"
#include "produce.h"
#include "sim/world.h"
#include "support/batches.h"

namespace milena::replication {
namespace {

PartitionState state(int leader, std::initializer_list<int> replicas, int partition_epoch = 0,
                     int leader_epoch = 0) {
    return {BrokerId(leader), LeaderEpoch(leader_epoch), PartitionEpoch(partition_epoch),
            brokers(replicas), brokers(replicas)};
}

/// A batch on its way, and where it is.
struct OnItsWay {
    explicit OnItsWay(std::vector<std::byte> of) : bytes(std::move(of)) {
        batch.records = bytes;
        batch.done = [this](ProduceAnswer answer) { answered = std::move(answer); };
    }
    std::vector<std::byte> bytes;
    Production batch;
    std::optional<ProduceAnswer> answered;
};

class ReplicaProduceTest : public testing::Test {
protected:
    /// Broker 1 with one replica, leading, unless told otherwise.
    void start(std::initializer_list<int> replicas = {1}) { start_in(*env_, replicas); }
    void start_in(env::Env& env, std::initializer_list<int> replicas = {1}) {
        auto log = std::make_unique<MemoryLog>();
        log_ = log.get();
        partition_ = std::make_shared<LocalPartition>(env, Logger(),
                                                      ReplicaParts{BrokerId(1),
                                                                   {"t", PartitionIndex(0)},
                                                                   Uuid{1, 2},
                                                                   std::move(log),
                                                                   Offset(0),
                                                                   settings_});
        ASSERT_TRUE(partition_->become(state(1, replicas)));
    }
    Timestamp now() { return env_->clock().wall(); }
    env::Instant soon() { return env_->clock().now() + std::chrono::seconds(30); }
    FetchAnswer fetch(std::int64_t from, BrokerId replica = kNoBroker) {
        FetchQuestion question;
        question.from = Offset(from);
        question.replica = replica;
        question.bytes_max = 1 << 20;
        return partition_->fetch(question);
    }

    std::unique_ptr<env::RealEnv> env_ = env::make_real_env(1);
    PartitionSettings settings_;
    MemoryLog* log_ = nullptr;
    std::shared_ptr<LocalPartition> partition_;
};

TEST_F(ReplicaProduceTest, AWriteInThePoolHoldsNobodyUp) {
    // While the disk does not come back from a write, everything else is asked of the partition by
    // the thread that writes: it would wait for itself if the guard were held.
    start({1, 2});
    int steps = 0;
    log_->write_in(std::make_shared<HookedFile>([&] {
        ++steps;
        EXPECT_EQ(fetch(0).high_watermark, Offset(0));
        EXPECT_EQ(fetch(0, BrokerId(2)).records.length, 0U);
        EXPECT_EQ(partition_->log_end_offset(), Offset(0));
        EXPECT_TRUE(partition_->figures().leads);
        EXPECT_EQ(partition_->expire(env_->clock().now()), env::kNever);
        EXPECT_TRUE(partition_->remove_old_segments()->empty());
        EXPECT_TRUE(partition_->flush());
        OnItsWay other(batch_of(1, now()));
        EXPECT_EQ(partition_->produce(other.batch, ProducePlace::core), ProduceStep::needs_disk);
    }));
    OnItsWay sent(batch_of(2, now()));
    sent.batch.acks = Acks::all;
    sent.batch.deadline = soon();
    ASSERT_EQ(partition_->produce(sent.batch, ProducePlace::disk_pool), ProduceStep::parked);
    EXPECT_EQ(steps, 1);
    EXPECT_TRUE(sent.batch.is_appended);
    EXPECT_EQ(partition_->log_end_offset(), Offset(2));
    fetch(2, BrokerId(2));
    ASSERT_TRUE(sent.answered);
    EXPECT_EQ(sent.answered->base_offset, Offset(0));
}

TEST_F(ReplicaProduceTest, ASlowWriteSendsTheNextOnesToThePool) {
    start();
    log_->write_in(std::make_shared<HookedFile>(
        [] { std::this_thread::sleep_for(2 * env::WriteLane::kSlow); }));
    OnItsWay slow(batch_of(1, now()));
    EXPECT_EQ(partition_->produce(slow.batch, ProducePlace::core), ProduceStep::answered);
    EXPECT_FALSE(partition_->write_lane()->is_calm());
    log_->write_in(std::make_shared<HookedFile>([] {}));
    OnItsWay next(batch_of(1, now()));
    EXPECT_EQ(partition_->produce(next.batch, ProducePlace::core), ProduceStep::needs_disk);
    EXPECT_FALSE(next.batch.is_appended);
    EXPECT_EQ(partition_->produce(next.batch, ProducePlace::disk_pool), ProduceStep::answered);
    EXPECT_EQ(next.batch.answer.base_offset, Offset(1));
    for (int i = 0; !partition_->write_lane()->is_calm(); ++i) {
        ASSERT_LT(i, 1000);
        OnItsWay quick(batch_of(1, now()));
        partition_->produce(quick.batch, ProducePlace::disk_pool);
    }
    OnItsWay again(batch_of(1, now()));
    EXPECT_EQ(partition_->produce(again.batch, ProducePlace::core), ProduceStep::answered);
}

TEST_F(ReplicaProduceTest, WritebackIsBegunWhileTheDirectoryIsNotCalm) {
    start();
    log_->write_in(std::make_shared<HookedFile>(
        [] { std::this_thread::sleep_for(2 * env::WriteLane::kSlow); }));
    const auto file = std::make_shared<HookedFile>([] {});
    const auto produce = [&](ProducePlace place) {
        OnItsWay sent(batch_of(1, now()));
        EXPECT_EQ(partition_->produce(sent.batch, place), ProduceStep::answered);
    };
    produce(ProducePlace::core);
    ASSERT_FALSE(partition_->write_lane()->is_calm());
    log_->write_in(file);
    produce(ProducePlace::disk_pool);
    EXPECT_EQ(file->writebacks(), 1);
    for (int i = 0; !partition_->write_lane()->is_calm(); ++i) {
        ASSERT_LT(i, 1000);
        produce(ProducePlace::disk_pool);
    }
    const int before = file->writebacks();
    produce(ProducePlace::core);
    produce(ProducePlace::disk_pool);  // as for an index block
    EXPECT_EQ(file->writebacks(), before);
}

TEST_F(ReplicaProduceTest, WhatIsMoreThanOneWriteGoesToThePool) {
    start();
    log_->set_rolls_next(true);
    OnItsWay sent(batch_of(1, now()));
    EXPECT_EQ(partition_->produce(sent.batch, ProducePlace::core), ProduceStep::needs_disk);
    EXPECT_EQ(partition_->log_end_offset(), Offset(0));
    EXPECT_EQ(partition_->produce(sent.batch, ProducePlace::disk_pool), ProduceStep::answered);
    EXPECT_EQ(partition_->log_end_offset(), Offset(1));
}

TEST_F(ReplicaProduceTest, ALeadershipThatEndsDuringAWriteEndsAfterIt) {
    start({1, 2});
    log_->write_in(std::make_shared<HookedFile>([&] {
        EXPECT_TRUE(partition_->become(state(2, {1, 2}, 1, 1)));
        EXPECT_EQ(partition_->current_leader().leader, BrokerId(1));
    }));
    OnItsWay sent(batch_of(2, now()));
    sent.batch.acks = Acks::all;
    sent.batch.deadline = soon();
    EXPECT_EQ(partition_->produce(sent.batch, ProducePlace::disk_pool), ProduceStep::parked);
    EXPECT_EQ(partition_->current_leader().leader, BrokerId(2));
    EXPECT_EQ(partition_->log_end_offset(), Offset(2));
    ASSERT_TRUE(sent.answered);
    EXPECT_EQ(sent.answered->code, ErrorCode::not_leader_or_follower);
}

TEST_F(ReplicaProduceTest, ARoleThatWaitedForAWriteAndCanNotBeTakenEndsWhatWaits) {
    start({1, 2});
    log_->write_in(std::make_shared<HookedFile>([&] {
        EXPECT_TRUE(partition_->become(state(1, {1, 2}, 1, 1)));
        log_->fail_epochs();
    }));
    OnItsWay sent(batch_of(2, now()));
    sent.batch.acks = Acks::all;
    sent.batch.deadline = soon();
    EXPECT_EQ(partition_->produce(sent.batch, ProducePlace::disk_pool), ProduceStep::parked);
    ASSERT_TRUE(sent.answered);
    EXPECT_EQ(sent.answered->code, ErrorCode::kafka_storage_error);
    EXPECT_TRUE(partition_->offline());
    OnItsWay next(batch_of(1, now()));
    EXPECT_EQ(partition_->produce(next.batch, ProducePlace::core), ProduceStep::answered);
    EXPECT_EQ(next.batch.answer.code, ErrorCode::kafka_storage_error);
}

TEST_F(ReplicaProduceTest, ADirectoryIsNotFreeWhileABatchIsWrittenIntoIt) {
    start();
    std::atomic<bool> is_written = false;
    std::thread remover;
    log_->write_in(std::make_shared<HookedFile>([&] {
        partition_->abandon();
        remover = std::thread([&] {
            partition_->wait_for_writes();
            EXPECT_TRUE(is_written.load());
        });
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        is_written = true;
    }));
    OnItsWay sent(batch_of(1, now()));
    EXPECT_EQ(partition_->produce(sent.batch, ProducePlace::disk_pool), ProduceStep::answered);
    remover.join();
    partition_->wait_for_writes();
}

TEST_F(ReplicaProduceTest, AppendTimeAscendsHoweverLongABatchHasWaitedSinceItWasLookedAt) {
    settings_.rules.timestamp_type = record::TimestampType::log_append;
    sim::World world(1);
    sim::Node& node = world.add_node("n1");
    start_in(node);
    for (const ProducePlace place : {ProducePlace::core, ProducePlace::disk_pool}) {
        OnItsWay early(batch_of(1, node.clock().wall()));
        partition_->prepare(early.batch);
        world.run_for(std::chrono::seconds(5));
        OnItsWay late(batch_of(1, node.clock().wall()));
        ASSERT_EQ(partition_->produce(late.batch, ProducePlace::core), ProduceStep::answered);
        ASSERT_EQ(partition_->produce(early.batch, place), ProduceStep::answered);
        ASSERT_EQ(early.batch.answer.code, ErrorCode::none);
        EXPECT_GE(early.batch.answer.log_append_time, late.batch.answer.log_append_time);
        const record::BatchView appended(log_->batches().back().bytes);
        EXPECT_EQ(appended.max_timestamp(), early.batch.answer.log_append_time);
        EXPECT_TRUE(appended.check_crc());
    }
    partition_.reset();
}

TEST_F(ReplicaProduceTest, APartitionThatGoesDuringAWriteTakesItsBatchAlong) {
    for (const bool is_deleted : {true, false}) {
        start();
        log_->write_in(std::make_shared<HookedFile>(
            [&] { is_deleted ? partition_->abandon() : partition_->take_offline(); }));
        OnItsWay sent(batch_of(2, now()));
        EXPECT_EQ(partition_->produce(sent.batch, ProducePlace::disk_pool), ProduceStep::answered);
        EXPECT_EQ(sent.batch.answer.code,
                  is_deleted ? ErrorCode::not_leader_or_follower : ErrorCode::kafka_storage_error);
        EXPECT_FALSE(sent.batch.is_appended);
    }
}

TEST_F(ReplicaProduceTest, AStagedBatchThatIsNotWrittenGivesItsOffsetToTheNext) {
    start();
    log_->fail_appends_after(0, false);
    OnItsWay failed(batch_of(2, now()));
    EXPECT_EQ(partition_->produce(failed.batch, ProducePlace::disk_pool), ProduceStep::answered);
    EXPECT_EQ(failed.batch.answer.code, ErrorCode::kafka_storage_error);
    log_->fail_appends_after(-1, false);
    auto next = batch_of(1, now());
    EXPECT_EQ(produce_in(*partition_, next, Acks::leader, soon(), {})->base_offset, Offset(0));
}

TEST_F(ReplicaProduceTest, MuchToDecompressAndEverythingToCompressIsForTheComputePool) {
    start();
    const std::string value(300'000, 'x');
    const auto compressed = [&](std::size_t bytes) {
        return support::make_batch(
            {.codec = record::Codec::zstd,
             .records = {{.timestamp = now().value, .value = value.substr(0, bytes)}}});
    };
    OnItsWay small(compressed(1000));
    EXPECT_EQ(partition_->produce(small.batch, ProducePlace::core), ProduceStep::answered);
    OnItsWay large(compressed(300'000));
    EXPECT_EQ(partition_->produce(large.batch, ProducePlace::core), ProduceStep::needs_compute);
    partition_->prepare(large.batch);
    EXPECT_EQ(partition_->produce(large.batch, ProducePlace::core), ProduceStep::answered);
    EXPECT_EQ(large.batch.answer.code, ErrorCode::none);

    settings_.codec = record::Codec::gzip;
    partition_->configure(settings_);
    OnItsWay other(compressed(10));
    EXPECT_EQ(partition_->produce(other.batch, ProducePlace::core), ProduceStep::needs_compute);
    partition_->prepare(other.batch);
    EXPECT_EQ(partition_->produce(other.batch, ProducePlace::core), ProduceStep::answered);
    EXPECT_EQ(log_->batches().size(), 3U);
}

}  // namespace
}  // namespace milena::replication
