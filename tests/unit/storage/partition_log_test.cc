// SPDX-License-Identifier: Apache-2.0
// Appending, rolling, cutting, epochs, durability: one partition's log through its door.
#include "partition_log.h"

#include "log_fixture.h"

namespace milena::storage {
namespace {

using support::plain_batch;

class PartitionLogTest : public LogTest {};

/// `count` batches of two records each, one append a batch.
void fill(Log& log, int count, std::int32_t epoch = 0) {
    for (int batch = 0; batch < count; ++batch) {
        const Offset at = log.log_end_offset();
        ASSERT_TRUE(log.append(plain_batch(at.value, 2, 1000 + at.value, epoch)));
    }
}

TEST_F(PartitionLogTest, StartsEmptyWithASegmentAtItsStart) {
    const auto log = open(small_segments(), {.clean = true, .log_start_offset = Offset(50)});
    EXPECT_EQ(log->log_start_offset(), Offset(50));
    EXPECT_EQ(log->log_end_offset(), Offset(50));
    EXPECT_EQ(log->durable_end_offset(), Offset(50));
    EXPECT_EQ(log->size_bytes(), 0U);
    EXPECT_EQ(log->last_epoch(), kNoLeaderEpoch);
    EXPECT_EQ(names(), std::vector<std::string>{"00000000000000000050.log"});
}

TEST_F(PartitionLogTest, GivesBackEveryBatchInOrder) {
    const auto log = open();
    std::vector<std::vector<std::byte>> expected;
    for (int batch = 0; batch < 40; ++batch) {
        expected.push_back(plain_batch(3 * batch, 3, batch));
        ASSERT_TRUE(log->append(expected.back()));
    }
    EXPECT_GT(segment_count(), 3U);
    EXPECT_EQ(all_batches(*log), expected);
    EXPECT_EQ(log->size_bytes(), 40 * expected[0].size());
}

TEST_F(PartitionLogTest, TakesSeveralBatchesAtOnceAndKeepsGaps) {
    const auto log = open();
    auto together = plain_batch(5, 2, 1, 3);
    const auto second = plain_batch(20, 1, 1, 4);
    together.insert(together.end(), second.begin(), second.end());
    ASSERT_TRUE(log->append(together));
    EXPECT_EQ(log->log_end_offset(), Offset(21));
    EXPECT_EQ(log->last_epoch(), LeaderEpoch(4));
    EXPECT_EQ(all_batches(*log), (std::vector{plain_batch(5, 2, 1, 3), second}));
}

TEST_F(PartitionLogTest, RefusesWhatDoesNotFollow) {
    const auto log = open();
    fill(*log, 2);
    EXPECT_EQ(log->append(plain_batch(3, 1, 1)).error().code, ErrorCode::corrupt_message);
    auto cut = plain_batch(4, 1, 1);
    cut.pop_back();
    EXPECT_EQ(log->append(cut).error().code, ErrorCode::corrupt_message);
    EXPECT_EQ(log->log_end_offset(), Offset(4));
    EXPECT_FALSE(log->offline());
}

TEST_F(PartitionLogTest, RollsWhenTheFirstBatchOfTheSegmentIsOld) {
    LogOptions options = small_segments();
    options.segment_ms = 100;
    const auto log = open(options);
    ASSERT_TRUE(log->append(plain_batch(0, 1, 1000)));
    ASSERT_TRUE(log->append(plain_batch(1, 1, 1100)));
    EXPECT_EQ(segment_count(), 1U);
    ASSERT_TRUE(log->append(plain_batch(2, 1, 1101)));
    EXPECT_EQ(segment_count(), 2U);
}

TEST_F(PartitionLogTest, RollsByTheClockWhereRecordsHaveNoTime) {
    LogOptions options = small_segments();
    options.segment_ms = 100;
    const auto log = open(options);
    ASSERT_TRUE(log->append(plain_batch(0, 1, -1)));
    world.run_for(std::chrono::milliseconds(100));
    ASSERT_TRUE(log->append(plain_batch(1, 1, -1)));
    EXPECT_EQ(segment_count(), 1U);
    world.run_for(std::chrono::milliseconds(2));
    ASSERT_TRUE(log->append(plain_batch(2, 1, -1)));
    EXPECT_EQ(segment_count(), 2U);
}

TEST_F(PartitionLogTest, RollsWhenAnIndexIsFull) {
    const auto log =
        open({.segment_bytes = 1 << 20, .index_interval_bytes = 0, .segment_index_bytes = 5 * 12});
    fill(*log, 6);
    EXPECT_GT(segment_count(), 1U);
    EXPECT_EQ(all_batches(*log)->size(), 6U);
}

TEST_F(PartitionLogTest, RollsWhereAnOffsetIsTooFarFromTheBase) {
    const auto log = open();
    auto together = plain_batch(0, 1, 1);
    const auto far = plain_batch(1LL << 31, 1, 1);
    together.insert(together.end(), far.begin(), far.end());
    ASSERT_TRUE(log->append(together));
    EXPECT_EQ(segment_count(), 2U);
    EXPECT_EQ(all_batches(*log), (std::vector{plain_batch(0, 1, 1), far}));
}

TEST_F(PartitionLogTest, ABatchLargerThanASegmentHasOneOfItsOwn) {
    const auto log = open();
    fill(*log, 1);
    ASSERT_TRUE(log->append(plain_batch(2, 1, 1, 0, 5000)));
    fill(*log, 1);
    EXPECT_EQ(segment_count(), 3U);
    EXPECT_EQ(all_batches(*log)->size(), 3U);
}

TEST_F(PartitionLogTest, ComesBackAfterACleanStop) {
    auto log = open();
    fill(*log, 30, 2);
    const auto before = all_batches(*log);
    log = reopen(std::move(log));
    EXPECT_EQ(log->log_end_offset(), Offset(60));
    EXPECT_EQ(log->durable_end_offset(), Offset(60));
    EXPECT_EQ(log->last_epoch(), LeaderEpoch(2));
    EXPECT_EQ(all_batches(*log), before);
    fill(*log, 10, 3);
    EXPECT_EQ(all_batches(*log)->size(), 40U);
}

TEST_F(PartitionLogTest, KnowsItsLastEpochWhereTheLastSegmentIsEmpty) {
    auto log = open();
    fill(*log, 3, 5);
    log = reopen(std::move(log));
    ASSERT_TRUE(node.files().open(path("00000000000000000006.log"), env::OpenMode::create));
    log = reopen_unclean(std::move(log));
    EXPECT_EQ(log->log_end_offset(), Offset(6));
    EXPECT_EQ(log->last_epoch(), LeaderEpoch(5));
}

TEST_F(PartitionLogTest, IsDurableToWhereItWasFlushed) {
    const auto log = open();
    fill(*log, 10);
    EXPECT_EQ(log->durable_end_offset(), Offset(0));
    ASSERT_TRUE(log->flush());
    EXPECT_EQ(log->durable_end_offset(), Offset(20));
    fill(*log, 1);
    EXPECT_EQ(log->durable_end_offset(), Offset(20));
}

TEST_F(PartitionLogTest, ASyncElsewhereCountsUpToWhereItBegan) {
    const auto log = open();
    fill(*log, 5);
    Log::PendingSync pending = log->pending_sync();
    fill(*log, 5);
    ASSERT_TRUE(pending.run());
    log->mark_durable(pending);
    EXPECT_EQ(log->durable_end_offset(), Offset(10));
    EXPECT_FALSE(log->pending_sync().empty());
}

TEST_F(PartitionLogTest, WhatASegmentTookAfterASyncAndBeforeItWasSealedIsSyncedByTheNext) {
    auto log = open();
    fill(*log, 2);
    Log::PendingSync first = log->pending_sync();
    ASSERT_TRUE(first.run());
    // More into the same file, and then into the next one, before the sync is heard of.
    while (segment_count() == 1) fill(*log, 1);
    log->mark_durable(first);
    Log::PendingSync second = log->pending_sync();
    ASSERT_TRUE(second.run());
    log->mark_durable(second);
    EXPECT_EQ(log->durable_end_offset(), log->log_end_offset());
    const auto disk = node.files().disk().find(path("00000000000000000000.log"));
    EXPECT_FALSE(disk->content.is_dirty()) << "records that are called durable are not on the disk";
}

TEST_F(PartitionLogTest, WhatWasCutDuringASyncIsNotTakenForDurable) {
    const auto log = open();
    fill(*log, 5);
    Log::PendingSync pending = log->pending_sync();
    ASSERT_TRUE(pending.run());
    ASSERT_TRUE(log->truncate_to(Offset(4)));
    fill(*log, 3);
    log->mark_durable(pending);
    EXPECT_EQ(log->durable_end_offset(), Offset(4));
}

TEST_F(PartitionLogTest, NothingIsPendingAfterAFlush) {
    const auto log = open();
    EXPECT_FALSE(log->pending_sync().empty());  // the first segment's name
    fill(*log, 10);
    ASSERT_TRUE(log->flush());
    EXPECT_TRUE(log->pending_sync().empty());
}

TEST_F(PartitionLogTest, AFailedSyncTakesItOffline) {
    const auto log = open();
    fill(*log, 1);
    node.faults().set_syncs_fail(true);
    EXPECT_EQ(log->flush().error().code, ErrorCode::kafka_storage_error);
    EXPECT_TRUE(log->offline());
    node.faults().clear();
    EXPECT_EQ(log->append(plain_batch(2, 1, 1)).error().code, ErrorCode::kafka_storage_error);
    EXPECT_EQ(all_batches(*log)->size(), 1U);
}

TEST_F(PartitionLogTest, AFullDiskRefusesAndRecoversByItself) {
    const auto log = open();
    fill(*log, 3);
    node.files().set_capacity(log->size_bytes() + 500);
    Result<void> refused = ok();
    while (refused) refused = log->append(plain_batch(log->log_end_offset().value, 2, 1));
    EXPECT_TRUE(env::is_out_of_space(refused.error())) << refused.error().why;
    EXPECT_FALSE(log->offline());
    const Offset end = log->log_end_offset();
    EXPECT_EQ(all_batches(*log)->size(), static_cast<std::size_t>(end.value) / 2);
    node.files().set_capacity(1 << 20);
    ASSERT_TRUE(log->append(plain_batch(end.value, 2, 1)));
    EXPECT_EQ(all_batches(*log)->size(), static_cast<std::size_t>(end.value) / 2 + 1);
}

TEST_F(PartitionLogTest, AFullDiskWithoutRoomForTheEpochsLeavesThemToTheNextSync) {
    const auto log = open();
    fill(*log, 3);
    node.files().set_capacity(log->size_bytes());
    ASSERT_TRUE(log->flush());
    EXPECT_FALSE(log->offline());
    EXPECT_EQ(log->durable_end_offset(), Offset(0));
    node.files().set_capacity(1 << 20);
    ASSERT_TRUE(log->flush());
    EXPECT_EQ(log->durable_end_offset(), log->log_end_offset());
    EXPECT_TRUE(node.files().exists(path("leader-epoch-checkpoint")));
}

TEST_F(PartitionLogTest, TruncatesWithinAndAcrossSegments) {
    for (const std::int64_t end : {58, 40, 22, 2}) {
        auto log = open(small_segments(), {.clean = true});
        fill(*log, static_cast<int>(30 - log->log_end_offset().value / 2));
        ASSERT_TRUE(log->truncate_to(Offset(end)));
        EXPECT_EQ(log->log_end_offset(), Offset(end));
        EXPECT_EQ(log->durable_end_offset(), Offset(end));
        EXPECT_EQ(all_batches(*log)->size(), static_cast<std::size_t>(end) / 2);
        fill(*log, 3);
        EXPECT_EQ(all_batches(*log)->size(), static_cast<std::size_t>(end) / 2 + 3);
        ASSERT_TRUE(log->close());
    }
}

TEST_F(PartitionLogTest, TruncatingInsideABatchDropsTheWholeOfIt) {
    const auto log = open();
    fill(*log, 4);
    ASSERT_TRUE(log->truncate_to(Offset(5)));
    EXPECT_EQ(log->log_end_offset(), Offset(4));
}

TEST_F(PartitionLogTest, TruncatingBehindTheEndChangesNothing) {
    const auto log = open();
    fill(*log, 4);
    ASSERT_TRUE(log->truncate_to(Offset(9)));
    EXPECT_EQ(log->log_end_offset(), Offset(8));
}

TEST_F(PartitionLogTest, TruncatingIntoAGapEndsThere) {
    const auto log = open();
    ASSERT_TRUE(log->append(plain_batch(0, 1, 1)));
    ASSERT_TRUE(log->append(plain_batch(10, 1, 1)));
    ASSERT_TRUE(log->truncate_to(Offset(5)));
    EXPECT_EQ(log->log_end_offset(), Offset(5));
}

TEST_F(PartitionLogTest, RestartsEmptyAtAnyOffset) {
    auto log = open();
    fill(*log, 20, 1);
    ASSERT_TRUE(log->restart_at(Offset(1000)));
    EXPECT_EQ(log->log_start_offset(), Offset(1000));
    EXPECT_EQ(log->log_end_offset(), Offset(1000));
    EXPECT_EQ(log->last_epoch(), kNoLeaderEpoch);
    EXPECT_EQ(log->end_of_epoch(LeaderEpoch(1)), std::nullopt);
    EXPECT_EQ(segment_count(), 1U);
    ASSERT_TRUE(log->append(plain_batch(1000, 1, 1, 2)));
    log = reopen(std::move(log));
    EXPECT_EQ(log->log_end_offset(), Offset(1001));
}

TEST_F(PartitionLogTest, TheStartIsRaisedToTheEndAndNoFurther) {
    const auto log = open();
    fill(*log, 3);
    EXPECT_EQ(log->raise_start(Offset(7)).error().code, ErrorCode::offset_out_of_range);
    ASSERT_TRUE(log->raise_start(Offset(6)));
    EXPECT_EQ(log->read(Offset(6), Offset(6), 1, true)->length, 0U);
    fill(*log, 1);
    EXPECT_EQ(all_batches(*log)->size(), 1U);
}

TEST_F(PartitionLogTest, TruncatingToTheStartInsideABatchLeavesNothing) {
    const auto log = open();
    fill(*log, 3);
    ASSERT_TRUE(log->raise_start(Offset(3)));
    ASSERT_TRUE(log->truncate_to(Offset(3)));
    EXPECT_EQ(log->log_start_offset(), Offset(3));
    EXPECT_EQ(log->log_end_offset(), Offset(3));
    EXPECT_EQ(log->size_bytes(), 0U);
}

TEST_F(PartitionLogTest, AnEpochWithoutABatchGoesWithATruncationBehindTheEnd) {
    const auto log = open();
    fill(*log, 2, 1);
    ASSERT_TRUE(log->begin_epoch(LeaderEpoch(7)));
    ASSERT_TRUE(log->truncate_to(Offset(9)));
    EXPECT_EQ(log->end_of_epoch(LeaderEpoch(7)), std::nullopt);
    EXPECT_EQ(log->end_of_epoch(LeaderEpoch(1)), (EpochEnd{LeaderEpoch(1), Offset(4)}));
    EXPECT_EQ(log->log_end_offset(), Offset(4));
}

TEST_F(PartitionLogTest, EpochsEndWhereTheNextBegins) {
    auto log = open();
    fill(*log, 2, 1);
    fill(*log, 2, 4);
    ASSERT_TRUE(log->begin_epoch(LeaderEpoch(7)));
    const auto check = [&] {
        EXPECT_EQ(log->end_of_epoch(LeaderEpoch(-2)), (EpochEnd{LeaderEpoch(-2), Offset(0)}));
        EXPECT_EQ(log->end_of_epoch(kNoLeaderEpoch), std::nullopt);
        EXPECT_EQ(log->end_of_epoch(LeaderEpoch(0)), (EpochEnd{LeaderEpoch(0), Offset(0)}));
        EXPECT_EQ(log->end_of_epoch(LeaderEpoch(1)), (EpochEnd{LeaderEpoch(1), Offset(4)}));
        EXPECT_EQ(log->end_of_epoch(LeaderEpoch(3)), (EpochEnd{LeaderEpoch(1), Offset(4)}));
        EXPECT_EQ(log->end_of_epoch(LeaderEpoch(4)), (EpochEnd{LeaderEpoch(4), Offset(8)}));
        EXPECT_EQ(log->epoch_at(Offset(3)), LeaderEpoch(1));
        EXPECT_EQ(log->epoch_at(Offset(4)), LeaderEpoch(4));
    };
    check();
    EXPECT_EQ(log->end_of_epoch(LeaderEpoch(7)), (EpochEnd{LeaderEpoch(7), Offset(8)}));
    EXPECT_EQ(log->end_of_epoch(LeaderEpoch(8)), std::nullopt);
    EXPECT_EQ(log->last_epoch(), LeaderEpoch(4));
    log = reopen(std::move(log));
    check();
    EXPECT_EQ(log->end_of_epoch(LeaderEpoch(7)), std::nullopt) << "it had no batch";
}

TEST_F(PartitionLogTest, TruncationForgetsTheEpochsItCuts) {
    const auto log = open();
    fill(*log, 2, 1);
    fill(*log, 2, 2);
    ASSERT_TRUE(log->truncate_to(Offset(4)));
    EXPECT_EQ(log->last_epoch(), LeaderEpoch(1));
    EXPECT_EQ(log->end_of_epoch(LeaderEpoch(2)), std::nullopt);
    fill(*log, 1, 3);
    EXPECT_EQ(log->end_of_epoch(LeaderEpoch(2)), (EpochEnd{LeaderEpoch(1), Offset(4)}));
}

TEST_F(PartitionLogTest, NewSettingsCountFromTheNextAppend) {
    const auto log = open();
    fill(*log, 2);
    LogOptions options = small_segments();
    options.segment_bytes = 1;
    log->set_options(options);
    fill(*log, 2);
    EXPECT_EQ(segment_count(), 3U);
}

TEST_F(PartitionLogTest, AClosedLogTakesNothing) {
    const auto log = open();
    fill(*log, 1);
    ASSERT_TRUE(log->close());
    EXPECT_FALSE(log->append(plain_batch(2, 1, 1)));
}

TEST_F(PartitionLogTest, AnAppendInThreeStepsIsThereAtItsEnd) {
    const auto log = open();
    fill(*log, 2);
    const auto batch = plain_batch(4, 2, 1004);
    auto pending = log->begin_append(batch);
    ASSERT_TRUE(pending);
    EXPECT_EQ(log->log_end_offset(), Offset(4));
    const Result<void> written = pending->run();
    EXPECT_EQ(log->log_end_offset(), Offset(4));
    EXPECT_EQ(log->read(Offset(4), Offset(100), 1000, true)->length, 0U);
    const auto sync = log->pending_sync();  // one that comes in between syncs what is there
    EXPECT_EQ(sync.end, Offset(4));
    ASSERT_TRUE(log->end_append(*pending, written));
    EXPECT_EQ(log->log_end_offset(), Offset(6));
    EXPECT_EQ(all_batches(*log)->back(), batch);
}

TEST_F(PartitionLogTest, AFailedWriteInTheMiddleLeavesTheLogAsItWas) {
    const auto log = open();
    fill(*log, 2);
    const auto batch = plain_batch(4, 2, 1004);
    auto pending = log->begin_append(batch);
    node.faults().fail_call(0);
    const Result<void> written = pending->run();
    EXPECT_FALSE(written);
    EXPECT_FALSE(log->end_append(*pending, written));
    EXPECT_FALSE(log->offline());
    fill(*log, 3);
    EXPECT_EQ(all_batches(*log)->size(), 5U);
}

TEST_F(PartitionLogTest, TheFilesOfARollAreWrittenWithTheBatchThatNeedsIt) {
    auto log = open();
    EXPECT_FALSE(log->is_one_write(100, 2, Timestamp(1000)));  // its file is not open yet
    fill(*log, 1);
    EXPECT_TRUE(log->is_one_write(100, 2, Timestamp(1000)));
    while (log->is_one_write(plain_batch(0, 2, 1000).size(), 2, Timestamp(1000))) fill(*log, 1);
    const Offset at = log->log_end_offset();
    const std::size_t before = segment_count();
    const std::uint64_t calls = node.faults().calls();
    const auto batch = plain_batch(at.value, 2, 1000);
    auto pending = log->begin_append(batch);
    ASSERT_TRUE(pending);
    EXPECT_EQ(node.faults().calls(), calls) << "the disk was asked under the guard";
    const Result<void> written = pending->run();
    ASSERT_TRUE(written);
    const std::uint64_t calls_then = node.faults().calls();
    ASSERT_TRUE(log->end_append(*pending, written));
    EXPECT_EQ(node.faults().calls(), calls_then) << "the disk was asked under the guard";
    EXPECT_EQ(segment_count(), before + 1);
    EXPECT_EQ(log->segment_count(), before + 1);
    ASSERT_TRUE(log->flush());
    const auto again = reopen_unclean(std::move(log));
    EXPECT_EQ(again->log_end_offset(), at + 2);
}

TEST_F(PartitionLogTest, AnAppendWritesFullIndexBlocksAndNoneUnderTheGuard) {
    LogOptions options;
    options.index_interval_bytes = 0;  // an entry for each batch
    const auto log = open(options);
    for (int batch = 0; batch < 1200; ++batch) {
        const Offset at = log->log_end_offset();
        const auto bytes = plain_batch(at.value, 1, 1000 + at.value);
        const std::uint64_t calls = node.faults().calls();
        auto pending = log->begin_append(bytes);
        ASSERT_TRUE(pending);
        ASSERT_EQ(node.faults().calls(), calls);
        const Result<void> written = pending->run();
        const std::uint64_t calls_then = node.faults().calls();
        ASSERT_TRUE(log->end_append(*pending, written));
        ASSERT_EQ(node.faults().calls(), calls_then);
    }
    const auto index =
        *node.files().open(path("00000000000000000000.index"), env::OpenMode::read_only);
    EXPECT_EQ(*index->size(), 8192U);  // two blocks, the rest is in memory
    EXPECT_EQ(all_batches(*log)->size(), 1200U);
}

TEST_F(PartitionLogTest, AnAppendThatHasAnIndexBlockToWriteIsNotOneWrite) {
    LogOptions options;
    options.index_interval_bytes = 0;
    const auto log = open(options);
    int more = 0;
    for (int batch = 0; batch < 1200; ++batch) {
        const Offset at = log->log_end_offset();
        const Timestamp when(1000 + at.value);
        const auto bytes = plain_batch(at.value, 1, when.value);
        const bool is_one = log->is_one_write(bytes.size(), 1, when);
        auto pending = log->begin_append(bytes);
        ASSERT_TRUE(pending);
        ASSERT_EQ(is_one, pending->file != nullptr && pending->writes.empty()) << batch;
        more += is_one ? 0 : 1;
        const Result<void> written = pending->run();
        ASSERT_TRUE(log->end_append(*pending, written));
    }
    EXPECT_EQ(more, 1 + 2 + 3);  // the first opens the file; blocks of the offset and time index
}

}  // namespace
}  // namespace milena::storage
