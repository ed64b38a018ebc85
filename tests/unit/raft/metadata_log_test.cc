// SPDX-License-Identifier: Apache-2.0
// Opening metadata directories: one that Apache Kafka 4.4 left, and ones that are not quite in
// order.
#include "milena/raft/metadata_log.h"

#include <gtest/gtest.h>

#include "golden.h"
#include "milena/raft/snapshot_writer.h"
#include "sim/world.h"

namespace milena::raft::test {
namespace {

constexpr const char* kDirectory = "/data/__cluster_metadata-0";
const VoterSet kStatic({{.key = {BrokerId(9), {}}, .endpoints = {}}});

class MetadataLogTest : public ::testing::Test {
public:
    Result<std::unique_ptr<MetadataLog>> try_open() {
        return MetadataLog::open(node, Logger(),
                                 {.directory = kDirectory, .static_voters = kStatic});
    }
    std::unique_ptr<MetadataLog> open() {
        auto opened = try_open();
        EXPECT_TRUE(opened) << opened.error().why;
        return opened ? *std::move(opened) : nullptr;
    }

    sim::World world{1};
    sim::Node& node = world.add_node("n1");
    env::FileSystem& files = node.files();
};

TEST_F(MetadataLogTest, OpensWhatKafkaLeft) {
    write_golden_directory(files, kDirectory);
    const auto log = open();
    const RecoveredState& state = log->recovered();
    EXPECT_EQ(state.quorum, (QuorumState{LeaderEpoch(2), BrokerId(1), std::nullopt}));
    EXPECT_EQ(state.snapshot, (SnapshotId{Offset(191), LeaderEpoch(1)}));
    EXPECT_EQ(state.log_start_offset, Offset(0));
    ASSERT_EQ(state.epochs.size(), 2u);
    EXPECT_EQ(state.epochs[0], (EpochStart{LeaderEpoch(1), Offset(0)}));
    EXPECT_EQ(state.epochs[1].epoch, LeaderEpoch(2));
    // The log names the voters at 0, the snapshot again: the snapshot's word counts, with its
    // place.
    ASSERT_EQ(state.voters.size(), 1u);
    EXPECT_EQ(state.voters[0].offset, Offset(190));
    EXPECT_EQ(state.voters[0].kraft_version, 1);
    EXPECT_TRUE(state.voters[0].voters.is_only({BrokerId(1), kGoldenDirectoryId}));
    EXPECT_EQ(log->log().log_end_offset(), log->log().durable_end_offset());

    // Every batch of the log is found again by reading.
    Offset at(0);
    while (at < state.log_end_offset) {
        const auto chunk = log->read(at, state.log_end_offset, 1000);
        ASSERT_TRUE(chunk) << chunk.error().why;
        ASSERT_FALSE(chunk->batches.empty());
        EXPECT_EQ(chunk->batches.front().base_offset(), at);
        at = chunk->batches.back().next_offset();
    }
}

TEST_F(MetadataLogTest, TakesTheVotersOfTheBootstrapSnapshotBeforeThereIsALog) {
    ASSERT_TRUE(write_bootstrap_snapshot(
        files, kDirectory,
        {.voters = VoterSet({{.key = {BrokerId(1), {0, 77}}, .endpoints = {}}}),
         .records = {},
         .now = Timestamp(1)}));
    const auto log = open();
    EXPECT_EQ(log->recovered().voters,
              (std::vector<VotersAt>{
                  {Offset(-1), 1, VoterSet({{.key = {BrokerId(1), {0, 77}}, .endpoints = {}}})}}));
    EXPECT_EQ(log->recovered().log_end_offset, Offset(0));
    EXPECT_TRUE(log->recovered().epochs.empty());
    const auto snapshot = log->take_snapshot();
    ASSERT_TRUE(snapshot);
    EXPECT_EQ(snapshot->id, kBootstrapSnapshot);
    EXPECT_FALSE(log->take_snapshot());
}

TEST_F(MetadataLogTest, TakesTheConfiguredVotersWhereNothingElseNamesAny) {
    EXPECT_EQ(open()->recovered().voters, (std::vector<VotersAt>{{Offset(-1), 0, kStatic}}));
}

TEST_F(MetadataLogTest, ALogThatEndsInsideItsSnapshotBeginsAnewBehindIt) {
    write_golden_directory(files, kDirectory);
    const auto& whole = golden_file("00000000000000000000.log");
    write_file(files, std::string(kDirectory) + "/00000000000000000000.log",
               BytesView(whole).first(700));
    const auto log = open();
    EXPECT_EQ(log->recovered().log_start_offset, Offset(191));
    EXPECT_EQ(log->recovered().log_end_offset, Offset(191));
    EXPECT_EQ(log->recovered().epochs, (std::vector<EpochStart>{{LeaderEpoch(1), Offset(191)}}));
}

TEST_F(MetadataLogTest, RemovesUnfinishedSnapshots) {
    ASSERT_TRUE(files.create_directories(kDirectory));
    const std::string part =
        std::string(kDirectory) + "/00000000000000000191-0000000001.checkpoint.part";
    const std::string deleted =
        std::string(kDirectory) + "/00000000000000000190-0000000001.checkpoint.deleted";
    write_file(files, part, as_bytes("x"));
    write_file(files, deleted, as_bytes("x"));
    open();
    EXPECT_FALSE(files.exists(part));
    EXPECT_FALSE(files.exists(deleted));
}

TEST_F(MetadataLogTest, TheErrorNamesACorruptFile) {
    write_golden_directory(files, kDirectory);
    write_file(files, std::string(kDirectory) + "/quorum-state", as_bytes("{"));
    const auto bad_state = try_open();
    ASSERT_FALSE(bad_state);
    EXPECT_NE(bad_state.error().why.find("quorum-state"), std::string::npos)
        << bad_state.error().why;
}

/// A log of `count` batches of one record each in epoch 1, in small segments.
class CleaningTest : public MetadataLogTest {
public:
    static MetadataLogOptions options(std::int64_t retention_bytes = -1,
                                      std::int64_t retention_ms = -1) {
        return {.directory = kDirectory,
                .static_voters = kStatic,
                .segment_bytes = 1000,
                .retention_bytes = retention_bytes,
                .retention_ms = retention_ms};
    }
    static std::unique_ptr<MetadataLog> open_with(sim::Node& machine,
                                                  const MetadataLogOptions& with) {
        auto opened = MetadataLog::open(machine, Logger(), with);
        EXPECT_TRUE(opened) << opened.error().why;
        return opened ? *std::move(opened) : nullptr;
    }
    static void append(MetadataLog& log, int count) {
        for (int i = 0; i < count; ++i) {
            const std::vector<std::vector<std::byte>> values{std::vector<std::byte>(100)};
            ASSERT_TRUE(log.log().append(encode_data_batch(log.log().log_end_offset(),
                                                           LeaderEpoch(1), Timestamp(1), values)));
        }
        ASSERT_TRUE(log.log().flush());
    }
    static Result<void> take_snapshot(env::FileSystem& with, MetadataLog& log, int end,
                                      Timestamp last = Timestamp(1)) {
        TRY(auto writer, SnapshotWriter::create(with, kDirectory,
                                                {.id = {Offset(end), LeaderEpoch(1)},
                                                 .last_contained_timestamp = last,
                                                 .kraft_version = 0,
                                                 .voters = {},
                                                 .now = Timestamp(1)}));
        TRY_VOID(writer.append(std::vector<std::byte>(100)));
        TRY(const StoredSnapshot stored, writer.finish());
        log.note_snapshot(stored);
        return ok();
    }
    void snapshot(MetadataLog& log, int end, Timestamp last = Timestamp(1)) {
        const auto taken = take_snapshot(files, log, end, last);
        ASSERT_TRUE(taken) << taken.error().why;
    }
    void damage(int end) {
        write_file(
            files,
            std::string(kDirectory) + "/" + snapshot_file_name({Offset(end), LeaderEpoch(1)}),
            BytesView(golden_file("00000000000000000191-0000000001.checkpoint")).first(900));
    }
};

TEST_F(CleaningTest, ADamagedSnapshotIsPassedOverIfTheLogHasItsRecords) {
    auto log = open_with(node, options());
    append(*log, 20);
    snapshot(*log, 5);
    log.reset();
    damage(15);
    log = open_with(node, options());
    EXPECT_EQ(log->recovered().snapshot, (SnapshotId{Offset(5), LeaderEpoch(1)}));
    EXPECT_EQ(log->take_snapshot()->id.end_offset, Offset(5));
    EXPECT_EQ(log->recovered().log_end_offset, Offset(20));
    EXPECT_EQ(log->snapshots().size(), 1u);
    // It goes with what is old.
    snapshot(*log, 18);
    ASSERT_TRUE(log->clean({Offset(18), LeaderEpoch(1)}));
    EXPECT_EQ(list_snapshots(files, kDirectory)->size(), 1u);
}

TEST_F(CleaningTest, ADamagedSnapshotWithoutItsRecordsStopsTheStart) {
    auto log = open_with(node, options());
    append(*log, 20);
    snapshot(*log, 5);
    log.reset();
    damage(21);
    const auto opened = MetadataLog::open(node, Logger(), options());
    ASSERT_FALSE(opened);
    EXPECT_EQ(opened.error().code, ErrorCode::corrupt_message);
    EXPECT_NE(opened.error().why.find("21-0000000001.checkpoint"), std::string::npos);
    EXPECT_NE(opened.error().why.find("ends at 20"), std::string::npos) << opened.error().why;
}

TEST_F(CleaningTest, ADamagedFirstSnapshotStopsTheStartOfAnEmptyLog) {
    write_golden_directory(files, "/golden");
    ASSERT_TRUE(files.create_directories(kDirectory));
    write_file(files, std::string(kDirectory) + "/" + snapshot_file_name(kBootstrapSnapshot),
               as_bytes("nonsense"));
    EXPECT_FALSE(try_open());
}

TEST_F(CleaningTest, TheOldestGoWhileThereIsTooMuch) {
    auto log = open_with(node, options(5000));
    append(*log, 20);
    for (const int end : {5, 10, 15}) snapshot(*log, end);
    log = open_with(node, options());  // what lies below the oldest is gone
    const auto size = [&] {
        std::uint64_t bytes = log->log().size_bytes();
        for (const StoredSnapshot& snapshot : log->snapshots()) bytes += snapshot.bytes;
        return bytes;
    };
    const auto kept_with = [&](std::uint64_t bytes) {
        log = open_with(node, options(static_cast<std::int64_t>(bytes)));
        const auto id = log->oldest_to_keep(Timestamp(1));
        return id ? id->end_offset.value : 0;
    };
    const std::uint64_t all = size();
    EXPECT_EQ(kept_with(all), 0);
    EXPECT_EQ(kept_with(all - 1), 10);
    EXPECT_EQ(kept_with(0), 10) << "one after the other";
    // The segments that went with it count too.
    const std::uint64_t one = log->snapshots().front().bytes;
    ASSERT_TRUE(log->clean({Offset(10), LeaderEpoch(1)}));
    const std::uint64_t rest = size();
    EXPECT_LT(rest, all - one);
    EXPECT_EQ(kept_with(rest), 0);
    EXPECT_EQ(kept_with(rest - 1), 15);
    ASSERT_TRUE(log->clean({Offset(15), LeaderEpoch(1)}));
    EXPECT_EQ(kept_with(0), 0) << "the newest stays";
}

/// Whichever call fails: only a sync, or the log itself, is not to be tried again.
TEST_F(CleaningTest, ASnapshotThatStaysIsAnotherTrysToTakeOut) {
    const SnapshotId first{Offset(12), LeaderEpoch(1)};
    int obstacles = 0;
    for (std::uint64_t call = 0;; ++call) {
        SCOPED_TRACE(::testing::Message() << "a failure of call " << call);
        sim::Node& machine = world.add_node("m" + std::to_string(call));
        make_data(machine.files());
        auto log = open_with(machine, options());
        append(*log, 40);
        ASSERT_TRUE(take_snapshot(machine.files(), *log, 5));
        ASSERT_TRUE(take_snapshot(machine.files(), *log, 12));
        machine.faults().fail_call(call);
        auto cleaned = log->clean(first);
        const bool fired = machine.faults().has_fired();
        machine.faults().clear();
        if (cleaned && cleaned->obstacle) {
            ++obstacles;
            EXPECT_EQ(log->log().log_start_offset(), Offset(0));
            EXPECT_EQ(log->snapshots().size(), 2u);
            cleaned = log->clean(first);
        }
        if (cleaned) {
            EXPECT_FALSE(cleaned->obstacle);
            EXPECT_EQ(log->log().log_start_offset(), Offset(12));
            EXPECT_EQ(log->snapshots().size(), 1u);
        }
        if (!fired) break;
    }
    EXPECT_GT(obstacles, 0);
}

TEST_F(CleaningTest, TheOldestGoWhenTheyAreOldEnough) {
    auto log = open_with(node, options(-1, 1000));
    append(*log, 20);
    snapshot(*log, 5, Timestamp(10));
    snapshot(*log, 10, Timestamp(20));
    snapshot(*log, 15, Timestamp(30));
    EXPECT_FALSE(log->oldest_to_keep(Timestamp(1010)));
    EXPECT_EQ(log->oldest_to_keep(Timestamp(1011))->end_offset, Offset(10));
    ASSERT_TRUE(log->clean({Offset(10), LeaderEpoch(1)}));
    EXPECT_FALSE(log->oldest_to_keep(Timestamp(1020)));
    EXPECT_EQ(log->oldest_to_keep(Timestamp(1021))->end_offset, Offset(15));
    log = open_with(node, options());
    EXPECT_FALSE(log->oldest_to_keep(Timestamp(9999))) << "without limits";
}

TEST_F(CleaningTest, WhatWasCleanedIsGoneAndStaysGone) {
    auto log = open_with(node, options());
    append(*log, 40);
    snapshot(*log, 12);
    snapshot(*log, 30);
    ASSERT_GT(log->log().segment_count(), 3u);
    const SnapshotId first{Offset(12), LeaderEpoch(1)};
    const auto cleaned = log->clean(first);
    ASSERT_TRUE(cleaned) << cleaned.error().why;
    EXPECT_FALSE(cleaned->obstacle);
    EXPECT_EQ(log->log().log_start_offset(), Offset(12));
    EXPECT_LE(log->log().first_segment_offset(), Offset(12));
    EXPECT_GT(log->log().first_segment_offset(), Offset(0));
    for (const std::string& path : cleaned->files) ASSERT_TRUE(files.remove(path));

    log = open_with(node, options());
    const RecoveredState& state = log->recovered();
    EXPECT_EQ(state.log_start_offset, Offset(12));
    EXPECT_EQ(state.log_end_offset, Offset(40));
    EXPECT_EQ(state.log_start_snapshot, first);
    EXPECT_EQ(state.snapshot, (SnapshotId{Offset(30), LeaderEpoch(1)}));
    EXPECT_EQ(state.epochs, (std::vector<EpochStart>{{LeaderEpoch(1), Offset(12)}}));
    EXPECT_EQ(log->snapshots().size(), 2u);
}

TEST_F(CleaningTest, SnapshotsThatEndBelowTheStartAreNotCountedAnyMore) {
    auto log = open_with(node, options());
    append(*log, 12);
    snapshot(*log, 5, Timestamp(10));
    snapshot(*log, 10, Timestamp(9999));
    ASSERT_TRUE(take_snapshot(files, *log, 30, Timestamp(9999)));  // of more than the log has
    log = open_with(node, options(-1, 1000));
    EXPECT_EQ(log->log().log_start_offset(), Offset(30));
    ASSERT_EQ(log->snapshots().size(), 1u);
    EXPECT_FALSE(log->oldest_to_keep(Timestamp(5000)));
}

/// Whatever a power loss leaves of it, every record behind the newest snapshot is there.
TEST_F(CleaningTest, LosesNothingWhenPowerGoesAtAnyCall) {
    const SnapshotId newest{Offset(30), LeaderEpoch(1)};
    for (std::uint64_t call = 0;; ++call) {
        SCOPED_TRACE(::testing::Message() << "power lost at call " << call);
        sim::Node& victim = world.add_node("victim" + std::to_string(call));
        make_data(victim.files());
        auto log = open_with(victim, options());
        append(*log, 40);
        ASSERT_TRUE(take_snapshot(victim.files(), *log, 12));
        victim.faults().lose_power_at_call(call);
        if (take_snapshot(victim.files(), *log, 30)) {
            if (const auto cleaned = log->clean(newest)) {
                for (const std::string& path : cleaned->files) {
                    if (!victim.files().remove(path)) break;
                }
            }
        }
        const bool fired = victim.faults().has_fired();
        log.reset();
        world.crash(victim, sim::Crash::power);
        world.restart(victim);
        victim.faults().clear();

        log = open_with(victim, options());
        ASSERT_TRUE(log);
        const RecoveredState& state = log->recovered();
        EXPECT_EQ(state.log_end_offset, Offset(40));
        ASSERT_TRUE(state.snapshot);
        EXPECT_LE(state.log_start_offset, state.snapshot->end_offset);
        const auto chunk = log->read(state.snapshot->end_offset, Offset(40), 1);
        ASSERT_TRUE(chunk) << chunk.error().why;
        EXPECT_FALSE(chunk->batches.empty());
        if (!fired) {
            EXPECT_EQ(state.snapshot, newest);
            EXPECT_EQ(state.log_start_offset, Offset(30));
            break;
        }
    }
}

TEST_F(CleaningTest, ALogThatHasItsFirstRecordKeepsItWithoutASnapshotThatSaysSo) {
    auto log = open_with(node, options());
    append(*log, 40);
    snapshot(*log, 30);
    ASSERT_GT(log->log().segment_count(), 3u);
    log = open_with(node, options());
    EXPECT_EQ(log->recovered().log_start_offset, Offset(0));
    EXPECT_FALSE(log->recovered().log_start_snapshot);
    EXPECT_EQ(log->recovered().snapshot, (SnapshotId{Offset(30), LeaderEpoch(1)}));
    EXPECT_EQ(log->recovered().epochs, (std::vector<EpochStart>{{LeaderEpoch(1), Offset(0)}}));
    EXPECT_EQ(log->read(Offset(0), Offset(40), 1)->batches.front().base_offset(), Offset(0));
}

/// One segment of those below the snapshot is gone, or has a wrong byte.
TEST_F(CleaningTest, ALogWithAHoleBelowItsOldestSnapshotBeginsAtIt) {
    for (const bool is_gone : {true, false}) {
        sim::Node& machine = world.add_node(is_gone ? "gone" : "damaged");
        make_data(machine.files());
        auto log = open_with(machine, options());
        append(*log, 40);
        ASSERT_TRUE(take_snapshot(machine.files(), *log, 30));
        log.reset();
        std::vector<std::string> segments;
        for (const env::DirectoryEntry& entry : *machine.files().list(kDirectory)) {
            if (entry.name.ends_with(".log")) segments.push_back(entry.name);
        }
        ASSERT_GT(segments.size(), 3u);
        const std::string path = std::string(kDirectory) + "/" + segments[1];
        if (is_gone) {
            ASSERT_TRUE(machine.files().remove(path));
        } else {
            const auto file = machine.files().open(path, env::OpenMode::read_write);
            ASSERT_TRUE((*file)->write_at(100, as_bytes("x")));
        }
        log = open_with(machine, options());
        EXPECT_EQ(log->recovered().log_start_offset, Offset(30));
        EXPECT_EQ(log->recovered().log_end_offset, Offset(40));
        EXPECT_EQ(log->recovered().log_start_snapshot, (SnapshotId{Offset(30), LeaderEpoch(1)}));
    }
}

/// As it is found between the two steps of taking in a fetched snapshot.
TEST_F(CleaningTest, ALogThatIsNotTheSnapshotsBeginsAnewBehindIt) {
    struct Case {
        int records;
        SnapshotId snapshot;
        int start;
        int end;
    };
    const Case cases[]{{20, {Offset(30), LeaderEpoch(3)}, 30, 30},
                       {20, {Offset(15), LeaderEpoch(3)}, 15, 15},
                       {20, {Offset(20), LeaderEpoch(0)}, 20, 20},
                       {20, {Offset(20), LeaderEpoch(1)}, 0, 20},
                       {20, {Offset(15), LeaderEpoch(1)}, 0, 20}};
    for (const Case& one : cases) {
        SCOPED_TRACE(snapshot_file_name(one.snapshot));
        sim::Node& machine = world.add_node(snapshot_file_name(one.snapshot));
        make_data(machine.files());
        auto log = open_with(machine, options());
        append(*log, one.records);
        auto writer = SnapshotWriter::create(machine.files(), kDirectory,
                                             {.id = one.snapshot,
                                              .last_contained_timestamp = Timestamp(1),
                                              .kraft_version = 0,
                                              .voters = {},
                                              .now = Timestamp(1)});
        ASSERT_TRUE(writer->finish());
        log = open_with(machine, options());
        EXPECT_EQ(log->recovered().log_start_offset, Offset(one.start));
        EXPECT_EQ(log->recovered().log_end_offset, Offset(one.end));
        log = open_with(machine, options());
        EXPECT_EQ(log->recovered().log_end_offset, Offset(one.end)) << "the same again";
    }
}

/// Before, a log of forty records; after, none behind the snapshot's end.
TEST_F(CleaningTest, AFetchedSnapshotIsTakenInWholeOrNotWhenPowerGoesAtAnyCall) {
    const SnapshotId fetched{Offset(90), LeaderEpoch(3)};
    for (std::uint64_t call = 0;; ++call) {
        SCOPED_TRACE(::testing::Message() << "power lost at call " << call);
        sim::Node& victim = world.add_node("victim" + std::to_string(call));
        make_data(victim.files());
        auto log = open_with(victim, options());
        append(*log, 40);
        ASSERT_TRUE(take_snapshot(victim.files(), *log, 12));
        victim.faults().lose_power_at_call(call);
        bool is_done = false;
        auto writer = SnapshotWriter::create(victim.files(), kDirectory,
                                             {.id = fetched,
                                              .last_contained_timestamp = Timestamp(1),
                                              .kraft_version = 0,
                                              .voters = {},
                                              .now = Timestamp(1)});
        if (writer) {
            const auto stored = writer->finish();
            is_done = stored && log->begin_at(*stored);
        }
        if (is_done) {
            EXPECT_EQ(log->log().log_start_offset(), Offset(90));
            EXPECT_EQ(log->snapshots().size(), 1u);
        }
        const bool fired = victim.faults().has_fired();
        log.reset();
        world.crash(victim, sim::Crash::power);
        world.restart(victim);
        victim.faults().clear();

        log = open_with(victim, options());
        ASSERT_TRUE(log);
        const RecoveredState& state = log->recovered();
        if (is_done || state.snapshot == fetched) {
            EXPECT_EQ(state.snapshot, fetched);
            EXPECT_EQ(state.log_start_offset, Offset(90));
            EXPECT_EQ(state.log_end_offset, Offset(90));
            EXPECT_EQ(state.log_start_snapshot, fetched);
            EXPECT_EQ(state.epochs, (std::vector<EpochStart>{{LeaderEpoch(3), Offset(90)}}));
        } else {
            EXPECT_EQ(state.log_end_offset, Offset(40));
            EXPECT_EQ(state.snapshot, (SnapshotId{Offset(12), LeaderEpoch(1)}));
        }
        append(*log, 3);
        if (!fired) break;
    }
}

TEST_F(MetadataLogTest, TheVoteIsThereAfterAPowerLossAtAnyCall) {
    const QuorumState before{LeaderEpoch(3), kNoBroker, ReplicaKey{BrokerId(2), {0, 2}}};
    const QuorumState after{LeaderEpoch(4), kNoBroker, ReplicaKey{BrokerId(1), {0, 1}}};
    for (std::uint64_t call = 0;; ++call) {
        sim::Node& victim = world.add_node("victim" + std::to_string(call));
        make_data(victim.files());
        auto log = MetadataLog::open(victim, Logger(),
                                     {.directory = kDirectory, .static_voters = kStatic});
        ASSERT_TRUE(log);
        ASSERT_TRUE((*log)->save(before, 1, kStatic));
        victim.faults().lose_power_at_call(call);
        const bool saved = (*log)->save(after, 1, kStatic).has_value();
        const bool fired = victim.faults().has_fired();
        log->reset();
        world.crash(victim, sim::Crash::power);
        world.restart(victim);
        victim.faults().clear();
        const auto state = read_quorum_state(victim.files(), kDirectory);
        ASSERT_TRUE(state) << state.error().why;
        EXPECT_TRUE(*state == after || (!saved && *state == before))
            << call << ": " << state->text();
        if (!fired) break;
    }
}

}  // namespace
}  // namespace milena::raft::test
