// SPDX-License-Identifier: Apache-2.0
// What is told of a metadata directory, and that one node is made the only voter by steps that each
// reader accepts, whatever a power loss leaves of it.
#include "milena/raft/recovery.h"

#include <gtest/gtest.h>

#include "golden.h"
#include "milena/raft/metadata_log.h"
#include "milena/raft/snapshot.h"
#include "sim/world.h"

namespace milena::raft::test {
namespace {

constexpr const char* kDirectory = "/data/__cluster_metadata-0";
constexpr const char* kSegment = "/data/__cluster_metadata-0/00000000000000000000.log";

Voter voter(int id) {
    return {.key = {BrokerId(id), {0, static_cast<std::uint64_t>(100 + id)}},
            .endpoints = {{"CONTROLLER", "host", static_cast<std::uint16_t>(9000 + id)}}};
}
const VoterSet kThree({voter(1), voter(2), voter(3)});

Result<std::unique_ptr<MetadataLog>> open(sim::Node& node) {
    return MetadataLog::open(node, Logger(), {.directory = kDirectory, .static_voters = {}});
}

/// A node of three: formatted, three batches in epoch 4, epoch 5 seen.
void make_directory(sim::Node& node, const VoterSet& voters = kThree) {
    make_data(node.files());
    ASSERT_TRUE(write_bootstrap_snapshot(node.files(), kDirectory,
                                         {.voters = voters, .records = {}, .now = Timestamp(1)}));
    auto log = open(node);
    ASSERT_TRUE(log) << log.error().why;
    for (int i = 0; i < 3; ++i) {
        const std::vector<std::vector<std::byte>> values{std::vector<std::byte>(100)};
        ASSERT_TRUE((*log)->log().append(
            encode_data_batch(Offset(i), LeaderEpoch(4), Timestamp(70 + i), values)));
    }
    ASSERT_TRUE((*log)->log().flush());
    ASSERT_TRUE((*log)->save({LeaderEpoch(5), BrokerId(3), std::nullopt}, 1, voters));
}

/// Every set of voters that the log names.
std::vector<VoterSet> named_voters(sim::Node& node) {
    std::vector<VoterSet> sets;
    const auto log = open(node);
    const Offset end = (*log)->log().log_end_offset();
    for (Offset at(0); at < end;) {
        const auto chunk = (*log)->read(at, end, 1 << 20);
        if (!chunk || chunk->batches.empty()) break;
        at = chunk->batches.back().next_offset();
        for (const auto& batch : chunk->batches) {
            if (!batch.is_control()) continue;
            const auto records = decode_control_batch(batch);
            for (const auto& record : *records) {
                if (const auto* set = std::get_if<VotersRecord>(&record))
                    sets.push_back(set->voters);
            }
        }
    }
    return sets;
}

class RecoveryTest : public ::testing::Test {
public:
    sim::World world{1};
    sim::Node& node = world.add_node("n1");
    env::FileSystem& files = node.files();
};

TEST_F(RecoveryTest, TellsWhatThereIs) {
    make_directory(node);
    const auto report = inspect_metadata_directory(files, kDirectory);
    ASSERT_TRUE(report) << report.error().why;
    EXPECT_EQ(report->quorum, (QuorumState{LeaderEpoch(5), BrokerId(3), std::nullopt}));
    EXPECT_EQ(report->log_start_offset, Offset(0));
    EXPECT_EQ(report->log_end_offset, Offset(3));
    EXPECT_EQ(report->last_epoch, LeaderEpoch(4));
    EXPECT_EQ(report->last_timestamp, Timestamp(72));
    EXPECT_EQ(report->torn_bytes, 0u);
    EXPECT_EQ(report->snapshot, kBootstrapSnapshot);
    EXPECT_EQ(report->voters, (VotersAt{Offset(-1), 1, kThree}));
}

TEST_F(RecoveryTest, TellsOfADirectoryOfKafkaWhatOpeningItFinds) {
    write_golden_directory(files, kDirectory);
    const auto report = inspect_metadata_directory(files, kDirectory);
    ASSERT_TRUE(report) << report.error().why;
    const auto log = open(node);
    ASSERT_TRUE(log);
    const RecoveredState& state = (*log)->recovered();
    EXPECT_EQ(report->quorum, state.quorum);
    EXPECT_EQ(report->log_start_offset, state.log_start_offset);
    EXPECT_EQ(report->log_end_offset, state.log_end_offset);
    EXPECT_EQ(report->last_epoch, state.epochs.back().epoch);
    EXPECT_EQ(report->snapshot, state.snapshot);
    EXPECT_EQ(report->voters, state.voters.back());
}

TEST_F(RecoveryTest, ATornEndIsToldAndLeftAsItIs) {
    make_directory(node);
    const auto whole = env::read_file(files, kSegment, 1 << 20);
    ASSERT_TRUE(whole);
    write_file(files, kSegment, as_bytes(std::string_view(*whole).substr(0, whole->size() - 7)));
    const auto report = inspect_metadata_directory(files, kDirectory);
    ASSERT_TRUE(report) << report.error().why;
    EXPECT_EQ(report->log_end_offset, Offset(2));
    EXPECT_EQ(report->torn_bytes, whole->size() / 3 - 7);
    EXPECT_EQ(env::read_file(files, kSegment, 1 << 20)->size(), whole->size() - 7);
}

TEST_F(RecoveryTest, DamageBeforeTheLastSegmentIsAnError) {
    make_directory(node);
    write_file(files, std::string(kDirectory) + "/00000000000000000003.log", {});
    const auto whole = env::read_file(files, kSegment, 1 << 20);
    write_file(files, kSegment, as_bytes(std::string_view(*whole).substr(0, whole->size() - 7)));
    const auto report = inspect_metadata_directory(files, kDirectory);
    ASSERT_FALSE(report);
    EXPECT_EQ(report.error().code, ErrorCode::corrupt_message);
    EXPECT_NE(report.error().why.find(kSegment), std::string::npos) << report.error().why;
}

TEST_F(RecoveryTest, OneIsLeftAndTheOthersGoOneByOne) {
    make_directory(node);
    const auto done = make_only_voter(node, Logger(), kDirectory, voter(2));
    ASSERT_TRUE(done) << done.error().why;
    EXPECT_EQ(done->epoch, LeaderEpoch(1005)) << "beyond every epoch that was, seen or not";
    EXPECT_EQ(done->offset, Offset(3));
    EXPECT_EQ(named_voters(node), (std::vector<VoterSet>{kThree, VoterSet({voter(2), voter(3)}),
                                                         VoterSet({voter(2)})}));
    const auto report = inspect_metadata_directory(files, kDirectory);
    ASSERT_TRUE(report);
    EXPECT_EQ(report->voters.voters, VoterSet({voter(2)}));
    EXPECT_EQ(report->last_epoch, LeaderEpoch(1005));
    EXPECT_EQ(report->log_end_offset, done->log_end_offset);
    EXPECT_EQ(report->quorum, (QuorumState{LeaderEpoch(1005), kNoBroker, voter(2).key}))
        << "it has voted for nobody else in this epoch";
}

TEST_F(RecoveryTest, AnObserverComesInBeforeTheOthersGo) {
    make_directory(node);
    ASSERT_TRUE(make_only_voter(node, Logger(), kDirectory, voter(7)));
    const auto named = named_voters(node);
    ASSERT_EQ(named.size(), 5u);
    EXPECT_EQ(named[1].size(), 4u);
    EXPECT_EQ(named[4], VoterSet({voter(7)}));
}

TEST_F(RecoveryTest, ANodeThatWasMadeAnewTakesThePlaceOfItsOldDirectory) {
    make_directory(node, VoterSet({voter(1), voter(2)}));
    Voter anew = voter(1);
    anew.key.directory = {0, 999};
    ASSERT_TRUE(make_only_voter(node, Logger(), kDirectory, anew));
    EXPECT_EQ(named_voters(node),
              (std::vector<VoterSet>{VoterSet({voter(1), voter(2)}), VoterSet({voter(2)}),
                                     VoterSet({anew, voter(2)}), VoterSet({anew})}));
}

TEST_F(RecoveryTest, VotersThatAreConfigurationAreNotInTheLog) {
    make_data(files);
    ASSERT_TRUE(write_bootstrap_snapshot(
        files, kDirectory, {.voters = std::nullopt, .records = {}, .now = Timestamp(1)}));
    const auto done = make_only_voter(node, Logger(), kDirectory, voter(1));
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().code, ErrorCode::invalid_request);
    EXPECT_EQ(inspect_metadata_directory(files, kDirectory)->log_end_offset, Offset(0));
}

TEST_F(RecoveryTest, APowerLossLeavesTheOldVotersOrTheNewOne) {
    bool old_was_seen = false;
    for (std::uint64_t call = 0;; ++call) {
        SCOPED_TRACE(::testing::Message() << "power lost at call " << call);
        sim::Node& victim = world.add_node("victim" + std::to_string(call));
        make_directory(victim);
        victim.faults().lose_power_at_call(call);
        const bool done = make_only_voter(victim, Logger(), kDirectory, voter(2)).has_value();
        const bool fired = victim.faults().has_fired();
        world.crash(victim, sim::Crash::power);
        world.restart(victim);
        victim.faults().clear();
        {
            const auto log = open(victim);
            ASSERT_TRUE(log) << log.error().why;
            const RecoveredState& state = (*log)->recovered();
            EXPECT_GE(state.log_end_offset, Offset(3));
            const bool is_new = state.voters.back().voters == VoterSet({voter(2)});
            EXPECT_TRUE(is_new || state.voters.back().voters == kThree);
            EXPECT_TRUE(is_new || !done) << "what was said to be done is not there";
            EXPECT_LE(state.epochs.back().epoch, state.quorum.epoch);
            old_was_seen |= !is_new;
        }
        const auto report = inspect_metadata_directory(victim.files(), kDirectory);
        ASSERT_TRUE(report);
        if (!report->voters.voters.is_only(voter(2).key)) {
            ASSERT_TRUE(make_only_voter(victim, Logger(), kDirectory, voter(2))) << "once more";
        }
        if (!fired) break;
    }
    EXPECT_TRUE(old_was_seen);
}

}  // namespace
}  // namespace milena::raft::test
