// SPDX-License-Identifier: Apache-2.0
// Producers and transactions of a log through its door: over rolls, cuts, clean and unclean stops.
#include "partition_log.h"

#include "log_fixture.h"
#include "support/producers.h"

namespace milena::storage {
namespace {

using support::Marker;
using support::Sent;

class PartitionLogProducersTest : public LogTest {
public:
    static void append(Log& log, const Sent& sent) {
        ASSERT_TRUE(log.append(support::sent_batch(log.log_end_offset().value, sent)));
    }
    static void append(Log& log, const Marker& marker) {
        ASSERT_TRUE(log.append(support::marker_batch(log.log_end_offset().value, marker)));
    }
    /// `count` batches of one record from `sequence` on; some segments' worth of them.
    static void fill(Log& log, int count, Sent sent = {}) {
        for (int batch = 0; batch < count; ++batch, ++sent.sequence) append(log, sent);
    }
    static std::vector<AbortedTransaction> aborted(Log& log, std::int64_t from,
                                                   std::uint64_t bytes_max = 1'000'000) {
        const FileRange range =
            log.read(Offset(from), log.log_end_offset(), bytes_max, true).value();
        return log.aborted_transactions(Offset(from), range).value();
    }
    static std::int32_t last_sequence(const Log& log) {
        return log.active_producers().at(0).last_sequence;
    }
    std::vector<std::string> snapshots() {
        auto found = names();
        std::erase_if(found, [](const std::string& name) { return !name.ends_with(".snapshot"); });
        return found;
    }
};

AbortedTransaction aborted_by(std::int64_t producer, std::int64_t first) {
    return {ProducerId(producer), Offset(first)};
}

TEST_F(PartitionLogProducersTest, ABatchThatWasNotWrittenIsNotRemembered) {
    const auto log = open();
    append(*log, Sent{.sequence = 0});
    const auto next = support::sent_batch(1, {.sequence = 1});
    node.faults().fail_call(0);
    ASSERT_FALSE(log->append(next));
    EXPECT_EQ(last_sequence(*log), 0);
    EXPECT_EQ(log->check_producer(record::BatchView(next)).value(), std::nullopt);
}

TEST_F(PartitionLogProducersTest, ARollAndACleanStopLeaveSnapshots) {
    auto log = open();
    fill(*log, 12);
    const auto rolled = snapshots();
    EXPECT_EQ(rolled.size(), segment_count() - 1);
    ASSERT_TRUE(log->close());
    EXPECT_TRUE(node.files().exists(path("00000000000000000012.snapshot")));
}

TEST_F(PartitionLogProducersTest, ALogWithoutBatchesLeavesNoSnapshot) {
    auto log = open();
    ASSERT_TRUE(log->close());
    EXPECT_TRUE(snapshots().empty());
}

TEST_F(PartitionLogProducersTest, AfterACleanStopTheProducersAreThose) {
    auto log = open();
    fill(*log, 30);
    append(*log, Sent{.producer = 8, .is_transactional = true});
    const auto before = log->active_producers();
    log = reopen(std::move(log));
    EXPECT_EQ(log->active_producers(), before);
    EXPECT_EQ(log->first_unstable_offset(Offset(31)), Offset(30));
}

TEST_F(PartitionLogProducersTest, AfterACleanStopTheLastFiveBatchesAreKnownOverSegments) {
    auto log = open();
    fill(*log, 40);
    append(*log, Sent{.producer = 8});
    fill(*log, 3, {.sequence = 40});
    log = reopen(std::move(log));
    ASSERT_GT(segment_count(), 2U);
    const auto at_of = [&](std::int32_t sequence) {
        const auto again = support::sent_batch(0, {.sequence = sequence});
        const auto known = log->check_producer(record::BatchView(again));
        return known && *known ? (*known)->base_offset().value : -1;
    };
    EXPECT_EQ(at_of(37), -1);  // the sixth from behind: out of order
    EXPECT_EQ(at_of(38), 38);
    EXPECT_EQ(at_of(39), 39);
    EXPECT_EQ(at_of(40), 41);
    EXPECT_EQ(at_of(42), 43);
    EXPECT_EQ(at_of(43), -1);  // the next
    append(*log, Sent{.sequence = 43});
    EXPECT_EQ(at_of(38), -1);
    EXPECT_EQ(at_of(39), 39);
}

TEST_F(PartitionLogProducersTest, AfterAnUncleanStopTheProducersAreThose) {
    auto log = open();
    fill(*log, 15);
    ASSERT_TRUE(log->flush());
    fill(*log, 15, {.sequence = 15});
    append(*log, Sent{.producer = 8, .is_transactional = true});
    const auto before = log->active_producers();
    log = reopen_unclean(std::move(log));
    EXPECT_EQ(log->active_producers(), before);
    EXPECT_EQ(log->first_unstable_offset(Offset(31)), Offset(30));
    // Each of the last five batches lies behind the snapshot, or was read again with it.
    const auto fourth = support::sent_batch(0, {.sequence = 26});
    EXPECT_EQ(log->check_producer(record::BatchView(fourth))->value().base_offset(), Offset(26));
}

TEST_F(PartitionLogProducersTest, ADamagedSnapshotIsRemovedAndTheOneBeforeTaken) {
    auto log = open();
    fill(*log, 30);
    const auto before = log->active_producers();
    ASSERT_TRUE(log->close());
    log.reset();
    const std::string newest = path("00000000000000000030.snapshot");
    ASSERT_TRUE((*node.files().open(newest, env::OpenMode::read_write))->truncate(20));
    log = open(small_segments(), {.clean = true});
    EXPECT_EQ(log->active_producers(), before);
    EXPECT_FALSE(node.files().exists(newest));
}

TEST_F(PartitionLogProducersTest, WithoutAnyWholeSnapshotAllBatchesAreReplayed) {
    auto log = open();
    fill(*log, 30);
    append(*log, Sent{.producer = 8, .is_transactional = true});
    append(*log, Marker{.producer = 8, .epoch = 1});
    const auto before = log->active_producers();
    ASSERT_TRUE(log->close());
    log.reset();
    for (const std::string& name : snapshots())
        ASSERT_TRUE((*node.files().open(path(name), env::OpenMode::read_write))->truncate(3));
    log = open(small_segments(), {.clean = true});
    EXPECT_EQ(log->active_producers(), before);
    log = reopen(std::move(log));
    EXPECT_EQ(log->active_producers(), before) << "it was not appended to in between";
}

TEST_F(PartitionLogProducersTest, ACutTakesTheProducersBackToWhatTheyWere) {
    const auto log = open();
    fill(*log, 20);
    append(*log, Sent{.producer = 8, .is_transactional = true});
    append(*log, Sent{.sequence = 20});
    append(*log, Marker{.producer = 8, .is_abort = true});
    EXPECT_EQ(aborted(*log, 0).size(), 0U) << "the first segment has none";
    EXPECT_EQ(aborted(*log, 20), std::vector{aborted_by(8, 20)});
    ASSERT_TRUE(log->truncate_to(Offset(22)));
    EXPECT_EQ(log->first_unstable_offset(Offset(22)), Offset(20));
    EXPECT_TRUE(aborted(*log, 20).empty());
    ASSERT_TRUE(log->truncate_to(Offset(5)));
    EXPECT_EQ(log->first_unstable_offset(Offset(5)), std::nullopt);
    ASSERT_EQ(log->active_producers().size(), 1U);
    EXPECT_EQ(last_sequence(*log), 4);
    for (const std::string& name : snapshots()) EXPECT_LE(name, "00000000000000000005.snapshot");
    fill(*log, 3, {.sequence = 5});
    EXPECT_EQ(last_sequence(*log), 7);
}

TEST_F(PartitionLogProducersTest, ALogThatStartsOverKnowsNobody) {
    const auto log = open();
    fill(*log, 20);
    append(*log, Sent{.producer = 8, .is_transactional = true});
    ASSERT_TRUE(log->restart_at(Offset(500)));
    EXPECT_TRUE(log->active_producers().empty());
    EXPECT_EQ(log->first_unstable_offset(Offset(500)), std::nullopt);
    EXPECT_TRUE(snapshots().empty());
}

TEST_F(PartitionLogProducersTest, ARaisedStartKeepsTheProducers) {
    const auto log = open();
    append(*log, Sent{.producer = 8, .is_transactional = true});
    fill(*log, 20);
    ASSERT_TRUE(log->raise_start(Offset(21)));
    EXPECT_EQ(log->active_producers().size(), 2U);
    EXPECT_EQ(log->first_unstable_offset(Offset(21)), Offset(21)) << "never below the start";
    EXPECT_EQ(snapshots().size(), 1U) << "those of the deleted segments are gone";
}

TEST_F(PartitionLogProducersTest, AbortedTransactionsAreNamedByFirstOffsetOverSegments) {
    auto log = open();
    append(*log, Sent{.producer = 1, .is_transactional = true});
    append(*log, Sent{.producer = 2, .is_transactional = true});
    append(*log, Sent{.producer = 3, .is_transactional = true});
    append(*log, Marker{.producer = 2, .is_abort = true});
    append(*log, Marker{.producer = 3});
    fill(*log, 30);
    append(*log, Marker{.producer = 1, .is_abort = true});
    ASSERT_GT(segment_count(), 2U);
    const std::vector expected{aborted_by(1, 0), aborted_by(2, 1)};
    EXPECT_EQ(aborted(*log, 0), expected);
    EXPECT_EQ(aborted(*log, 4), std::vector{aborted_by(1, 0)});
    log = reopen(std::move(log));
    EXPECT_EQ(aborted(*log, 0), expected);
    log = reopen_unclean(std::move(log));
    EXPECT_EQ(aborted(*log, 0), expected);
}

TEST_F(PartitionLogProducersTest, OnlyThoseAreNamedThatBeginBeforeTheRangesEnd) {
    const auto log = open({.index_interval_bytes = 0});
    for (std::int16_t round = 0; round < 20; ++round) {
        append(*log, Sent{.epoch = round, .is_transactional = true});
        append(*log, Marker{.epoch = static_cast<std::int16_t>(round + 1), .is_abort = true});
        append(*log, Sent{.producer = 9, .sequence = round});
    }
    // One batch; the index knows where the one behind it begins, and its last offset.
    EXPECT_EQ(aborted(*log, 3, 1), std::vector{aborted_by(7, 3)});
    EXPECT_EQ(aborted(*log, 3, 400).size(), 2U);
    EXPECT_EQ(aborted(*log, 0).size(), 20U);
}

TEST_F(PartitionLogProducersTest, AFileOfAbortedTransactionsThatNoLongerHoldIsMadeAnew) {
    auto log = open();
    append(*log, Sent{.is_transactional = true});
    append(*log, Marker{.is_abort = true});
    log = reopen(std::move(log));
    EXPECT_TRUE(node.files().exists(path("00000000000000000000.txnindex")));
    ASSERT_TRUE(log->truncate_to(Offset(1)));
    append(*log, Marker{});
    log = reopen_unclean(std::move(log));
    EXPECT_TRUE(aborted(*log, 0).empty());
    log = reopen(std::move(log));
    EXPECT_TRUE(aborted(*log, 0).empty());
}

TEST_F(PartitionLogProducersTest, TheExpirationCountsAtStartToo) {
    LogOptions options = small_segments();
    options.producer_expiration_ms = 500;
    const std::int64_t now = node.clock().wall().value;
    auto log = open(options);
    append(*log, Sent{.producer = 1, .timestamp = now - 500});
    append(*log, Sent{.producer = 2, .timestamp = now});
    log->expire_producers(Timestamp(now));
    EXPECT_EQ(log->active_producers().size(), 1U);
    append(*log, Sent{.producer = 1, .timestamp = now - 500});
    log = reopen(std::move(log), options);
    ASSERT_EQ(log->active_producers().size(), 1U);
    EXPECT_EQ(log->active_producers()[0].id, ProducerId(2));
}

}  // namespace
}  // namespace milena::storage
