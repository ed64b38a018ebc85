// SPDX-License-Identifier: Apache-2.0
// Finding a log again: after a torn write, with damaged files, after a power cut at any call, and
// with any call failing.
#include "log_loader.h"

#include <cstdlib>

#include "log_fixture.h"

namespace milena::storage {
namespace {

using support::plain_batch;

class LogLoaderTest : public LogTest {
public:
    std::unique_ptr<Log> filled(int batches) {
        auto log = open();
        for (int batch = 0; batch < batches; ++batch) {
            EXPECT_TRUE(log->append(plain_batch(2 * batch, 2, 1000 + batch, batch / 10)));
        }
        return log;
    }
    std::string nth_file(std::size_t index, std::string_view suffix) {
        auto found = names();
        std::erase_if(found, [&](const std::string& name) { return !name.ends_with(suffix); });
        return found.at(index);
    }
    std::uint64_t size_of(const std::string& file) {
        return *(*node.files().open(path(file), env::OpenMode::read_only))->size();
    }
};

TEST_F(LogLoaderTest, AnUncleanStopLosesNothingThatIsOnDisk) {
    auto log = filled(40);
    const auto before = all_batches(*log);
    log = reopen_unclean(std::move(log));
    EXPECT_EQ(all_batches(*log), before);
    EXPECT_EQ(log->last_epoch(), LeaderEpoch(3));
    EXPECT_EQ(log->durable_end_offset(), Offset(0));
    ASSERT_TRUE(log->flush());
    EXPECT_EQ(log->durable_end_offset(), Offset(80));
    EXPECT_EQ(log->find_max_timestamp(Offset(80)).value()->offset, Offset(78));
}

TEST_F(LogLoaderTest, EveryTornTailIsCutAtABatch) {
    auto log = open({.is_gapless = true});
    for (int batch = 0; batch < 3; ++batch) ASSERT_TRUE(log->append(plain_batch(2 * batch, 2, 1)));
    const std::uint64_t size = log->size_bytes();
    log.reset();
    const auto file =
        *node.files().open(path("00000000000000000000.log"), env::OpenMode::read_write);
    for (std::uint64_t cut = size - 1; cut >= size / 3 * 2; --cut) {
        ASSERT_TRUE(file->truncate(cut));
        log = open();
        EXPECT_EQ(log->log_end_offset(), Offset(4)) << cut;
        EXPECT_EQ(*file->size(), size / 3 * 2);
    }
}

TEST_F(LogLoaderTest, ZerosAtTheEndAreCut) {
    auto log = filled(1);
    log.reset();
    const std::string name = "00000000000000000000.log";
    const std::uint64_t size = size_of(name);
    ASSERT_TRUE(
        (*node.files().open(path(name), env::OpenMode::read_write))->truncate(size + 10'000));
    EXPECT_EQ(open()->log_end_offset(), Offset(2));
    EXPECT_EQ(size_of(name), size);
}

TEST_F(LogLoaderTest, AFlippedBitEndsTheLogThere) {
    auto log = filled(40);
    log.reset();
    // A bit of the fifth batch's records: it and all later segments go.
    node.files().flip_bit(path("00000000000000000000.log"),
                          (4 * plain_batch(0, 2, 1).size() + 70) * 8);
    log = open();
    EXPECT_EQ(log->log_end_offset(), Offset(8));
    EXPECT_EQ(segment_count(), 1U);
    EXPECT_EQ(all_batches(*log)->size(), 4U);
}

TEST_F(LogLoaderTest, ABatchOfOffsetsThatNoLogHasEndsTheLog) {
    auto log = filled(2);
    log.reset();
    const std::string name = "00000000000000000000.log";
    const auto file = *node.files().open(path(name), env::OpenMode::read_write);
    const std::uint64_t size = *file->size();
    auto batch = plain_batch(0, 5, 1);
    store(batch.data(), INT64_MAX - 1);
    ASSERT_TRUE(file->write_at(size, batch));
    EXPECT_EQ(open()->log_end_offset(), Offset(4));
    ASSERT_TRUE(file->write_at(size, batch));
    EXPECT_EQ(open(small_segments(), {.recovery_point = Offset(INT64_MAX)})->log_end_offset(),
              Offset(4));
}

TEST_F(LogLoaderTest, BatchesBelowTheRecoveryPointAreNotRead) {
    auto log = filled(4);
    ASSERT_TRUE(log->flush());
    node.files().flip_bit(path("00000000000000000000.log"), 70 * 8);
    log = reopen_unclean(std::move(log));
    EXPECT_EQ(log->log_end_offset(), Offset(8));
}

TEST_F(LogLoaderTest, AGapBetweenUnsyncedSegmentsEndsAGaplessLog) {
    // The second segment has lost its last batch, as a power cut can do.
    auto log = filled(40);
    log.reset();
    const std::string second = nth_file(1, ".log");
    const std::uint64_t size = size_of(second);
    ASSERT_TRUE((*node.files().open(path(second), env::OpenMode::read_write))
                    ->truncate(size - plain_batch(0, 2, 1).size()));
    log = open();
    EXPECT_EQ(segment_count(), 2U);
    log.reset();

    LogOptions compacted = small_segments();
    compacted.is_gapless = false;
    log = open(compacted);
    EXPECT_EQ(segment_count(), 2U);
}

TEST_F(LogLoaderTest, AGapIsCutOnceTheTopicIsKnown) {
    // A start opens the logs before it knows the topics' settings.
    LogOptions unknown = small_segments();
    unknown.is_gapless = false;
    for (const bool is_compacted : {true, false}) {
        ASSERT_TRUE(node.files().remove(kLogDirectory));
        auto log = filled(40);
        log.reset();
        const std::string second = nth_file(1, ".log");
        const std::uint64_t size = size_of(second);
        ASSERT_TRUE((*node.files().open(path(second), env::OpenMode::read_write))
                        ->truncate(size - plain_batch(0, 2, 1).size()));
        log = open(unknown);
        const Offset end = log->log_end_offset();
        log->set_options(is_compacted ? unknown : small_segments());
        EXPECT_EQ(log->log_end_offset() == end, is_compacted);
        EXPECT_EQ(segment_count() == 2U, !is_compacted);
        ASSERT_TRUE(all_batches(*log));
        log->set_options(small_segments());
        EXPECT_EQ(log->log_end_offset() == end, is_compacted) << "a compacted topic is known now";
    }
}

TEST_F(LogLoaderTest, AGapAtTheLogsStartCutsNothing) {
    // The last batch of the second segment is lost, and the log begins behind it.
    LogOptions unknown = small_segments();
    unknown.is_gapless = false;
    auto log = filled(40);
    log.reset();
    const std::string second = nth_file(1, ".log");
    const std::string third = nth_file(2, ".log");
    ASSERT_TRUE((*node.files().open(path(second), env::OpenMode::read_write))
                    ->truncate(size_of(second) - plain_batch(0, 2, 1).size()));
    const Offset start(std::stoll(third));
    log = open(unknown, {.log_start_offset = start});
    log->set_options(small_segments());
    EXPECT_EQ(log->log_start_offset(), start);
    EXPECT_EQ(log->log_end_offset(), Offset(80));
}

TEST_F(LogLoaderTest, WhatAKilledProcessWroteIsSyncedWithItsName) {
    for (std::uint64_t seed = 1; seed <= 20; ++seed) {
        sim::World cut(seed);
        sim::Node& victim = cut.add_node("n1");
        ASSERT_TRUE(env::create_durable_directories(victim.files(), kLogDirectory));
        auto log = *LogTest::open(victim, small_segments());
        for (int i = 0; i < 10; ++i) ASSERT_TRUE(log->append(plain_batch(2 * i, 2, 1)));
        ASSERT_TRUE(log->flush());
        ASSERT_TRUE(log->append(plain_batch(20, 2, 1)));
        ASSERT_EQ(log->segment_count(), 2U);
        log.reset();
        cut.crash(victim, sim::Crash::process);
        cut.restart(victim);
        log = *LogTest::open(victim, small_segments(), {.recovery_point = Offset(20)});
        ASSERT_TRUE(log->append(plain_batch(22, 2, 1)));
        ASSERT_TRUE(log->flush());
        log.reset();
        cut.crash(victim, sim::Crash::power);
        cut.restart(victim);
        log = *LogTest::open(victim, small_segments(), {.recovery_point = Offset(24)});
        ASSERT_EQ(log->log_end_offset(), Offset(24)) << "seed " << seed;
    }
}

TEST_F(LogLoaderTest, GapsStayWhereTheTopicIsCompacted) {
    LogOptions options{.segment_bytes = 1};
    auto log = open(options);
    ASSERT_TRUE(log->append(plain_batch(0, 1, 1)));
    ASSERT_TRUE(log->append(plain_batch(50, 1, 1)));
    log = reopen_unclean(std::move(log), options);
    EXPECT_EQ(log->log_end_offset(), Offset(51));
}

TEST_F(LogLoaderTest, MissingAndMalformedIndexesAreBuiltAnew) {
    auto log = filled(40);
    const auto before = all_batches(*log);
    ASSERT_TRUE(log->close());
    log.reset();
    const std::uint64_t index_bytes = size_of("00000000000000000000.index");
    EXPECT_GT(index_bytes, 0U);
    ASSERT_TRUE(node.files().remove(path("00000000000000000000.index")));
    ASSERT_TRUE(
        (*node.files().open(path(nth_file(1, ".timeindex")), env::OpenMode::create))->truncate(13));
    log = open(small_segments(), {.clean = true});
    EXPECT_EQ(all_batches(*log), before);
    EXPECT_EQ(size_of("00000000000000000000.index"), index_bytes);
    EXPECT_EQ(size_of(nth_file(1, ".timeindex")) % 12, 0U);
}

TEST_F(LogLoaderTest, IndexesGrownAheadEndAtTheirFirstZeroEntry) {
    auto log = filled(40);
    const auto before = all_batches(*log);
    ASSERT_TRUE(log->close());
    log.reset();
    for (const std::string& name : names()) {
        const bool is_index = name.ends_with(".index");
        if (!is_index && !name.ends_with(".timeindex")) continue;
        const auto file = *node.files().open(path(name), env::OpenMode::create);
        ASSERT_TRUE(file->truncate(is_index ? 40'000 : 60'000));
    }
    log = open(small_segments(), {.clean = true});
    EXPECT_EQ(all_batches(*log), before);
    ASSERT_TRUE(log->append(plain_batch(80, 2, 5000)));
    EXPECT_EQ(log->find_timestamp(Timestamp(5000), Offset(82)).value()->offset, Offset(80));
    ASSERT_TRUE(log->close());
    const auto last = names();
    EXPECT_LT(
        size_of(*std::ranges::find_if(last.rbegin(), last.rend(),
                                      [](const auto& name) { return name.ends_with(".index"); })),
        1000U);
}

TEST_F(LogLoaderTest, ALogThatEndsBeforeItsStartBeginsEmptyThere) {
    auto log = filled(5);
    log.reset();
    log = open(small_segments(), {.log_start_offset = Offset(300)});
    EXPECT_EQ(log->log_start_offset(), Offset(300));
    EXPECT_EQ(log->log_end_offset(), Offset(300));
}

TEST_F(LogLoaderTest, DamageAndGapsBelowTheStartCutNothing) {
    for (const bool is_missing : {true, false}) {
        ASSERT_TRUE(node.files().remove(kLogDirectory));
        auto log = filled(40);
        log.reset();
        const Offset start(std::stoll(nth_file(2, ".log")));
        const std::string second = path(nth_file(1, ".log"));
        if (is_missing) {
            ASSERT_TRUE(node.files().remove(second));
        } else {
            node.files().flip_bit(second, 70 * 8);
        }
        log = open(small_segments(), {.log_start_offset = start});
        EXPECT_EQ(log->log_start_offset(), start);
        EXPECT_EQ(log->log_end_offset(), Offset(80));
        EXPECT_EQ(nth_file(0, ".log"), segment_file_name(start, ".log"));
    }
}

TEST_F(LogLoaderTest, OldMessageSetsStopTheStartAndAreNotCut) {
    auto log = filled(1);
    log.reset();
    const auto file =
        *node.files().open(path("00000000000000000000.log"), env::OpenMode::read_write);
    // offset 2, size 14, CRC-32 of the rest, magic 0, no codec, null key and value
    support::Encoder entry;
    entry.number<std::int64_t>(2);
    entry.number<std::int32_t>(14);
    entry.number<std::uint32_t>(0xA7EC6803);
    entry.number<std::int16_t>(0);
    entry.number<std::int32_t>(-1);
    entry.number<std::int32_t>(-1);
    ASSERT_TRUE(file->write_at(*file->size(), entry.bytes));
    const auto opened = LogTest::open(node, small_segments());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::unsupported_for_message_format);
}

TEST_F(LogLoaderTest, SnapshotsOfNoSegmentAreRemovedButTheNewestKept) {
    auto log = filled(25);  // segments at 0, 20, 40
    log.reset();
    for (const std::int64_t at : {20, 30, 49, 50, 51}) {
        ASSERT_TRUE(node.files().open(path(segment_file_name(Offset(at), ".snapshot")),
                                      env::OpenMode::create));
    }
    log = open();
    std::vector<std::string> snapshots = names();
    std::erase_if(snapshots, [](const std::string& name) { return !name.ends_with(".snapshot"); });
    EXPECT_EQ(snapshots, (std::vector<std::string>{"00000000000000000020.snapshot",
                                                   "00000000000000000040.snapshot",
                                                   "00000000000000000050.snapshot"}));
}

/// What a workload did: the batches it appended that were not cut again, and how far it knew them
/// to be synced.
struct History {
    std::vector<std::vector<std::byte>> batches;
    /// The same before a truncation that has not come to its end.
    std::vector<std::vector<std::byte>> before_cut;
    std::size_t synced = 0;
    bool is_complete = false;
    Offset recovery_point{};
};

/// The partition's directory, as a log directory prepares it.
void prepare(env::Env& env) {
    ASSERT_TRUE(env.files().create_directories(kLogDirectory));
    ASSERT_TRUE(env.files().sync_directory("/data"));
    ASSERT_TRUE(env.files().sync_directory("/"));
}

/// Appends, flushes, cuts and appends again; stops at the first call that fails.
Result<void> work(env::Env& env, History& history) {
    TRY(const auto log, LogTest::open(env, small_segments()));
    const auto append = [&](int count, std::int32_t epoch) -> Result<void> {
        for (int batch = 0; batch < count; ++batch) {
            history.batches.push_back(
                plain_batch(log->log_end_offset().value, 2, 1000 + batch, epoch));
            TRY_VOID(log->append(history.batches.back()));
        }
        return ok();
    };
    const auto flush = [&]() -> Result<void> {
        TRY_VOID(log->flush());
        history.synced = history.batches.size();
        history.recovery_point = log->durable_end_offset();
        return ok();
    };
    TRY_VOID(append(10, 0));
    TRY_VOID(flush());
    TRY_VOID(append(25, 1));
    history.before_cut = history.batches;
    history.batches.resize(12);
    history.synced = std::min(history.synced, history.batches.size());
    TRY_VOID(log->truncate_to(Offset(24)));
    history.before_cut.clear();
    history.synced = history.batches.size();
    history.recovery_point = log->durable_end_offset();
    TRY_VOID(append(9, 2));
    TRY_VOID(flush());
    TRY_VOID(append(9, 2));
    TRY_VOID(log->close());
    history.synced = history.batches.size();
    history.is_complete = true;
    return ok();
}

bool is_prefix(const std::vector<std::vector<std::byte>>& part,
               const std::vector<std::vector<std::byte>>& whole) {
    return part.size() <= whole.size() && std::equal(part.begin(), part.end(), whole.begin());
}

/// The log that is found again holds a beginning of the history, all of it that was synced, and
/// works on.
void check_recovered(env::Env& env, const History& history, const std::string& when) {
    auto log = LogTest::open(env, small_segments(), {.recovery_point = history.recovery_point});
    ASSERT_TRUE(log) << when << ": " << log.error().why;
    const auto found = all_batches(**log);
    ASSERT_TRUE(found) << when << ": " << found.error().why;
    EXPECT_TRUE(is_prefix(*found, history.batches) || is_prefix(*found, history.before_cut))
        << when;
    EXPECT_GE(found->size(), history.synced) << when;
    for (const auto& bytes : *found) {
        const record::BatchView batch(bytes);
        EXPECT_EQ((*log)->epoch_at(batch.base_offset()), batch.leader_epoch()) << when;
    }
    const Offset end = (*log)->log_end_offset();
    EXPECT_EQ(end, Offset(static_cast<std::int64_t>(2 * found->size()))) << when;
    ASSERT_TRUE((*log)->append(plain_batch(end.value, 2, 1, 9))) << when;
    EXPECT_EQ((*log)->last_epoch(), LeaderEpoch(9));
    EXPECT_EQ(all_batches(**log)->size(), found->size() + 1) << when;
}

TEST(LogLoaderCrash, APowerCutAtAnyCallLeavesABeginningWithAllThatWasSynced) {
    // MILENA_SEEDS=1000 for a long search.
    const char* const wanted = std::getenv("MILENA_SEEDS");
    const std::uint64_t seeds = wanted == nullptr ? 6 : std::stoull(wanted);
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
        bool is_complete = false;
        for (std::uint64_t call = 0; !is_complete; ++call) {
            sim::World world(seed * 1000 + call);
            sim::Node& node = world.add_node("n1");
            prepare(node);
            History history;
            node.faults().lose_power_at_call(call);
            (void)work(node, history);
            is_complete = history.is_complete;
            world.crash(node, sim::Crash::power);
            world.restart(node);
            node.faults().clear();
            check_recovered(node, history, fmt::format("seed {} call {}", seed, call));
            if (::testing::Test::HasFailure()) return;
        }
    }
}

TEST(LogLoaderCrash, AKillAtAnyCallLosesNothing) {
    bool is_complete = false;
    for (std::uint64_t call = 0; !is_complete; ++call) {
        sim::World world(call);
        sim::Node& node = world.add_node("n1");
        prepare(node);
        History history;
        node.faults().lose_power_at_call(call);
        (void)work(node, history);
        is_complete = history.is_complete;
        world.crash(node, sim::Crash::process);
        world.restart(node);
        node.faults().clear();
        check_recovered(node, history, fmt::format("call {}", call));
        if (::testing::Test::HasFailure()) return;
    }
}

TEST(LogLoaderCrash, AnyCallMayFailAndTheLogIsAsItWasOrOffline) {
    bool has_fired = true;
    for (std::uint64_t call = 0; has_fired; ++call) {
        sim::World world(call);
        sim::Node& node = world.add_node("n1");
        prepare(node);
        History history;
        node.faults().fail_call(call);
        (void)work(node, history);
        has_fired = node.faults().has_fired();
        node.faults().clear();
        check_recovered(node, history, fmt::format("call {}", call));
        if (::testing::Test::HasFailure()) return;
    }
}

TEST(LogLoaderCrash, APowerCutDuringRecoveryIsRecoveredFromToo) {
    for (std::uint64_t call = 0;; ++call) {
        sim::World world(call);
        sim::Node& node = world.add_node("n1");
        prepare(node);
        History history;
        node.faults().lose_power_at_call(120);
        (void)work(node, history);
        world.crash(node, sim::Crash::power);
        world.restart(node);
        node.faults().clear();
        node.faults().lose_power_at_call(call);
        const bool opened =
            LogTest::open(node, small_segments(), {.recovery_point = history.recovery_point})
                .has_value();
        world.crash(node, sim::Crash::power);
        world.restart(node);
        node.faults().clear();
        check_recovered(node, history, fmt::format("call {}", call));
        if (::testing::Test::HasFailure() || opened) return;
    }
}

}  // namespace
}  // namespace milena::storage
