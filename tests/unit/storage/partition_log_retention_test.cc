// SPDX-License-Identifier: Apache-2.0
// Which segments leave a log, and what is left when they have.
#include "log_fixture.h"
#include "sim/fail_each.h"

namespace milena::storage {
namespace {

using support::plain_batch;

constexpr std::int64_t kNow = 1'000'000;
constexpr std::size_t kAll = 1000;

class PartitionLogRetentionTest : public LogTest {
public:
    /// Six segments of two batches, which are of one record each; times ascend by 100 a segment and
    /// end at the clock's.
    std::unique_ptr<Log> six_segments(LogOptions options) {
        now = node.clock().wall().value;
        options.segment_bytes = 2 * plain_batch(0, 1, now).size();
        auto log = open(options);
        for (int i = 0; i < 12; ++i) EXPECT_TRUE(log->append(plain_batch(i, 1, now - time_ago(i))));
        EXPECT_EQ(segment_count(), 6U);
        EXPECT_TRUE(log->flush());
        return log;
    }
    static std::int64_t time_ago(int batch) { return 500 - batch / 2 * 100; }
    /// The last segment waits until the name of the one behind it is synced.
    static void empty(Log& log) {
        ASSERT_TRUE(log.remove_old_segments(Offset(12), kAll));
        EXPECT_TRUE(log.has_unsynced_segments());
        EXPECT_EQ(log.log_start_offset(), Offset(10)) << "the new segment's name is not synced";
        ASSERT_TRUE(log.flush());
        ASSERT_TRUE(log.remove_old_segments(Offset(12), kAll));
    }
    std::size_t files_set_aside() {
        const auto all = names();
        return static_cast<std::size_t>(std::ranges::count_if(
            all, [](const std::string& name) { return name.ends_with(".log.deleted"); }));
    }

    std::int64_t now = kNow;
};

TEST_F(PartitionLogRetentionTest, NothingGoesWithoutALimit) {
    const auto log = six_segments({});
    EXPECT_TRUE(log->remove_old_segments(Offset(12), kAll)->empty());
    EXPECT_EQ(log->log_start_offset(), Offset(0));
}

TEST_F(PartitionLogRetentionTest, SegmentsWhoseRecordsAreAllOlderGo) {
    const auto log = six_segments({.retention_ms = 300});
    ASSERT_TRUE(log->remove_old_segments(Offset(12), kAll));
    EXPECT_EQ(log->log_start_offset(), Offset(4));
    EXPECT_EQ(log->first_segment_offset(), Offset(4));
    EXPECT_EQ(segment_count(), 4U);
    EXPECT_EQ(files_set_aside(), 2U);
    EXPECT_EQ(all_batches(*log)->size(), 8U);
    EXPECT_EQ(log->read(Offset(3), Offset(12), 1, true).error().code,
              ErrorCode::offset_out_of_range);
}

TEST_F(PartitionLogRetentionTest, OneYoungRecordKeepsItsSegmentAndAllBehindIt) {
    LogOptions options{.retention_ms = 300};
    now = node.clock().wall().value;
    options.segment_bytes = 2 * plain_batch(0, 1, now).size();
    const auto log = open(options);
    for (const std::int64_t ago : {900, 800, 100, 900, 900, 900})
        ASSERT_TRUE(log->append(plain_batch(log->log_end_offset().value, 1, now - ago)));
    ASSERT_TRUE(log->flush());
    ASSERT_TRUE(log->remove_old_segments(Offset(6), kAll));
    EXPECT_EQ(log->log_start_offset(), Offset(2));
    EXPECT_EQ(segment_count(), 2U);
}

TEST_F(PartitionLogRetentionTest, ALogOfOldRecordsIsRolledAndEmptied) {
    ASSERT_TRUE(env::create_durable_directories(node.files(), "/data"));
    auto log = six_segments({.retention_ms = 300});
    world.run_for(std::chrono::seconds(1));
    empty(*log);
    EXPECT_EQ(log->log_start_offset(), Offset(12));
    EXPECT_EQ(log->log_end_offset(), Offset(12));
    EXPECT_EQ(log->size_bytes(), 0U);
    EXPECT_EQ(segment_count(), 1U);
    // An empty active segment does not go again.
    EXPECT_TRUE(log->remove_old_segments(Offset(12), kAll)->empty());
    log.reset();
    world.crash(node, sim::Crash::power);
    world.restart(node);
    log = open({}, {});
    EXPECT_EQ(log->log_end_offset(), Offset(12))
        << "the new segment's name was lost with the power";
}

TEST_F(PartitionLogRetentionTest, RecordsWithoutATimeAreAsOldAsTheirSegment) {
    const auto log = open({.retention_ms = 300});
    ASSERT_TRUE(log->append(plain_batch(0, 1, -1)));
    EXPECT_TRUE(log->remove_old_segments(Offset(1), kAll)->empty());
    world.run_for(std::chrono::milliseconds(400));
    ASSERT_TRUE(log->remove_old_segments(Offset(1), kAll));
    EXPECT_EQ(log->log_start_offset(), Offset(0)) << "the new segment's name is not synced";
    EXPECT_TRUE(log->has_unsynced_segments());
    ASSERT_TRUE(log->flush());
    EXPECT_FALSE(log->remove_old_segments(Offset(1), kAll)->empty());
}

TEST_F(PartitionLogRetentionTest, AFullDiskIsFreedOfAllThatIsOldButTheLast) {
    const auto log = six_segments({.retention_bytes = 0});
    node.files().set_capacity(log->size_bytes());
    ASSERT_TRUE(log->remove_old_segments(Offset(12), kAll));
    EXPECT_FALSE(log->offline());
    EXPECT_EQ(log->log_start_offset(), Offset(10));
}

TEST_F(PartitionLogRetentionTest, SegmentsGoWhileTheLogKeepsItsBytesWithoutThem) {
    const std::uint64_t segment = 2 * plain_batch(0, 1, 1).size();
    const auto kept = static_cast<std::int64_t>(3 * segment + 1);
    const auto log = six_segments({.retention_bytes = kept});
    ASSERT_TRUE(log->remove_old_segments(Offset(12), kAll));
    EXPECT_EQ(log->size_bytes(), 4 * segment);
    EXPECT_EQ(log->log_start_offset(), Offset(4));
}

TEST_F(PartitionLogRetentionTest, NoBytesToKeepEmptiesTheLog) {
    const auto log = six_segments({.retention_bytes = 0});
    empty(*log);
    EXPECT_EQ(log->size_bytes(), 0U);
    EXPECT_EQ(log->log_start_offset(), Offset(12));
}

TEST_F(PartitionLogRetentionTest, NothingGoesThatReachesTheHighWatermark) {
    const auto log = six_segments({.retention_bytes = 0});
    ASSERT_TRUE(log->remove_old_segments(Offset(5), kAll));
    EXPECT_EQ(log->log_start_offset(), Offset(4));
}

TEST_F(PartitionLogRetentionTest, AsManyGoAtOnceAsAsked) {
    const auto log = six_segments({.retention_bytes = 0});
    ASSERT_TRUE(log->remove_old_segments(Offset(12), 2));
    EXPECT_EQ(log->log_start_offset(), Offset(4));
}

TEST_F(PartitionLogRetentionTest, WhatLiesBelowARaisedStartGoes) {
    auto log = six_segments({});
    ASSERT_TRUE(log->raise_start(Offset(5)));
    EXPECT_EQ(segment_count(), 6U);
    EXPECT_EQ(log->first_segment_offset(), Offset(0));
    ASSERT_TRUE(log->remove_old_segments(Offset(12), kAll));
    EXPECT_EQ(segment_count(), 4U);
    EXPECT_EQ(log->first_segment_offset(), Offset(4));
    EXPECT_EQ(log->log_start_offset(), Offset(5));
    log = reopen(std::move(log));
    EXPECT_EQ(log->log_start_offset(), Offset(5));
    EXPECT_EQ(all_batches(*log)->size(), 7U);
    EXPECT_EQ(files_set_aside(), 0U) << "a start removes them";
}

TEST_F(PartitionLogRetentionTest, FilesAreNamedToBeRemovedWithTheirIndexes) {
    auto log = six_segments({.retention_bytes = 0});
    const auto files = *log->remove_old_segments(Offset(12), 1);
    EXPECT_EQ(files, (std::vector{path("00000000000000000000.log.deleted"),
                                  path("00000000000000000000.index.deleted"),
                                  path("00000000000000000000.timeindex.deleted")}));
    for (const std::string& file : files) EXPECT_TRUE(node.files().exists(file));
}

TEST_F(PartitionLogRetentionTest, WhicheverCallFailsTheLogHasAllOfASegmentOrNothing) {
    // Each call of the removal fails once; what is left of the log reads from its start to its end.
    const std::uint64_t runs =
        sim::fail_each_call(7, [&](sim::World&, sim::Node& one, sim::FaultPlan& faults) {
            faults.pause();
            LogOptions options{.retention_bytes = 0};
            options.segment_bytes = 2 * plain_batch(0, 1, 1).size();
            auto log = *open(one, options);
            for (int i = 0; i < 6; ++i) EXPECT_TRUE(log->append(plain_batch(i, 1, 1)));
            EXPECT_TRUE(log->flush());
            faults.resume();
            auto done = log->remove_old_segments(Offset(6), kAll);
            if (done && log->flush()) done = log->remove_old_segments(Offset(6), kAll);
            faults.pause();
            // A snapshot of the producers that can't be written is none of the removal's errors.
            EXPECT_TRUE(done.has_value() || faults.has_fired());
            log.reset();
            log = *open(one, options, {.recovery_point = Offset(6)});
            EXPECT_EQ(log->log_end_offset(), Offset(6));
            EXPECT_EQ(all_batches(*log)->size(),
                      static_cast<std::size_t>(log->log_end_offset() - log->log_start_offset()));
            faults.resume();
        });
    EXPECT_GT(runs, 10U);
}

TEST_F(PartitionLogRetentionTest, JitterShortensTheAgeOfASegment) {
    LogOptions options;
    options.segment_ms = 1000;
    options.segment_jitter_ms = 1000;
    const auto log = open(options);
    // 200 segments roll at ages that are spread over the whole of segment.ms.
    std::int64_t time = 0;
    std::int64_t youngest = 1000;
    std::int64_t oldest = 0;
    for (std::size_t rolled = 1; rolled < 200; ++rolled) {
        std::int64_t age = 0;
        while (segment_count() == rolled) {
            age += 20;
            ASSERT_TRUE(log->append(plain_batch(log->log_end_offset().value, 1, time + age)));
        }
        time += age;
        youngest = std::min(youngest, age);
        oldest = std::max(oldest, age);
    }
    EXPECT_LT(youngest, 200);
    EXPECT_GT(oldest, 800);
    EXPECT_LE(oldest, 1020);
}

}  // namespace
}  // namespace milena::storage
