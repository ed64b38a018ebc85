// SPDX-License-Identifier: Apache-2.0
// Opening metadata directories: one that Apache Kafka 4.4 left, and ones that are not quite in
// order.
#include "milena/raft/metadata_log.h"

#include <gtest/gtest.h>

#include "golden.h"
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

    write_file(files, std::string(kDirectory) + "/00000000000000000191-0000000001.checkpoint",
               as_bytes("nonsense"));
    const auto bad_snapshot = try_open();
    ASSERT_FALSE(bad_snapshot);
    EXPECT_NE(bad_snapshot.error().why.find("191-0000000001.checkpoint"), std::string::npos);
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
