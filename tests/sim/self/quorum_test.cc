// SPDX-License-Identifier: Apache-2.0
// The laws of the quorum: a history that keeps them is sound, and each law finds the one fault that
// it is there for. Then the same with bytes on simulated disks, as a run shows them.
#include <gtest/gtest.h>

#include "milena/raft/batches.h"
#include "sim/quorum/disk_view.h"
#include "sim/quorum/image_law.h"
#include "sim/quorum/votes.h"
#include "sim/world.h"

namespace milena::sim {
namespace {

using Bytes = std::vector<std::byte>;

Bytes data_batch(std::int64_t offset, std::int32_t epoch, std::string_view text) {
    const BytesView value = as_bytes(text);
    const std::vector<Bytes> values{Bytes(value.begin(), value.end())};
    return raft::encode_data_batch(Offset(offset), LeaderEpoch(epoch), env::Timestamp(1), values);
}

Bytes begin_batch(std::int64_t offset, std::int32_t epoch, std::int32_t leader) {
    const raft::AnyControlRecord record =
        raft::LeaderChangeRecord{BrokerId(leader), {BrokerId(1), BrokerId(2), BrokerId(3)}, {}};
    return raft::encode_control_batch(Offset(offset), LeaderEpoch(epoch), env::Timestamp(1),
                                      std::span(&record, 1));
}

raft::QuorumState state(std::int32_t epoch, std::int32_t leader, std::int32_t voted = -1) {
    raft::QuorumState made{LeaderEpoch(epoch), BrokerId(leader), {}};
    if (voted >= 0) made.voted = raft::ReplicaKey{BrokerId(voted), {}};
    return made;
}

class QuorumLawsTest : public testing::Test {
protected:
    /// One record each; `leader` is whose epoch begins with it.
    SeenBatch batch(std::int64_t offset, std::int32_t epoch, std::int32_t leader = -1,
                    std::string_view text = "x") {
        Bytes bytes =
            leader < 0 ? data_batch(offset, epoch, text) : begin_batch(offset, epoch, leader);
        return {offset, offset + 1, epoch, leader, std::make_shared<const Bytes>(std::move(bytes))};
    }
    void append(std::int32_t node, SeenBatch one) {
        const std::int64_t end = one.end_offset;
        laws.is_appended(node, std::move(one));
        laws.is_durable(node, end);
    }
    /// Node 1 leads epoch 1, and two of three have its first two batches.
    void commit_two() {
        for (const std::int32_t node : {1, 2}) {
            laws.state_is_durable(node, state(1, 1));
            append(node, batch(0, 1, 1));
            append(node, batch(1, 1));
        }
        laws.find_committed();
    }
    void expect_found(std::string_view what) {
        laws.find_committed();
        ASSERT_EQ(found.size(), 1U) << what;
        EXPECT_EQ(found[0].invariant, "I19");
        EXPECT_NE(found[0].what.find(what), std::string::npos) << found[0].what;
    }

    std::vector<Violation> found;
    QuorumLaws laws{{1, 2, 3}, found};
};

TEST_F(QuorumLawsTest, WhatAMajorityHasInTheNewestEpochIsCommitted) {
    commit_two();
    EXPECT_EQ(laws.committed_end(), 2);
    EXPECT_EQ(laws.newest_leader(), 1);
    // A record of an earlier epoch is not committed by being on a majority.
    append(1, batch(2, 1));
    laws.state_is_durable(2, state(2, 2));
    laws.state_is_durable(3, state(2, 2));
    append(2, batch(2, 2, 2));
    laws.find_committed();
    EXPECT_EQ(laws.committed_end(), 2);
    EXPECT_TRUE(found.empty());
}

TEST_F(QuorumLawsTest, WhatOneOfThreeHasIsNotCommitted) {
    laws.state_is_durable(1, state(1, 1));
    append(1, batch(0, 1, 1));
    laws.find_committed();
    EXPECT_EQ(laws.committed_end(), 0);
}

TEST_F(QuorumLawsTest, WhatIsNotDurableIsNotCommitted) {
    for (const std::int32_t node : {1, 2}) {
        laws.state_is_durable(node, state(1, 1));
        laws.is_appended(node, batch(0, 1, 1));
    }
    laws.find_committed();
    EXPECT_EQ(laws.committed_end(), 0);
}

TEST_F(QuorumLawsTest, TwoLeadersOfOneEpochAreFound) {
    laws.state_is_durable(1, state(3, 1));
    laws.state_is_durable(2, state(3, 3));
    expect_found("epoch 3 is led by 1 and by 3");
}

TEST_F(QuorumLawsTest, ASecondVoteInOneEpochIsFound) {
    laws.vote_is_given(2, 4, 1);
    laws.state_is_durable(2, state(4, -1, 3));
    expect_found("2 votes for 1 and for 3 in epoch 4");
}

TEST_F(QuorumLawsTest, ALeaderThatVotedForAnotherIsFound) {
    laws.state_is_durable(2, state(4, -1, 3));
    laws.state_is_durable(2, state(4, 2));
    expect_found("2 votes for 3 and for 2 in epoch 4");
}

TEST_F(QuorumLawsTest, AnEpochThatGoesBackIsFound) {
    laws.state_is_durable(2, state(4, -1));
    laws.state_is_durable(2, state(3, -1));
    expect_found("2 is back in epoch 3 after 4");
}

TEST_F(QuorumLawsTest, OtherBytesInOneEpochAreFound) {
    commit_two();
    append(3, batch(0, 1, 1));
    append(3, batch(1, 1, -1, "y"));
    expect_found("the batch at 1 of epoch 1 is another one on 3");
}

TEST_F(QuorumLawsTest, LogsThatDifferBelowABatchTheyShareAreFound) {
    append(1, batch(0, 1, 1));
    append(1, batch(1, 3));
    append(2, batch(0, 2, 2));
    append(2, batch(1, 3));
    expect_found("the batch at 1 of epoch 3 follows epoch 1, on 2 epoch 2");
}

TEST_F(QuorumLawsTest, AGapIsFound) {
    append(1, batch(0, 1, 1));
    append(1, batch(2, 1));
    expect_found("the log of 1 goes on at 2 after 1");
}

TEST_F(QuorumLawsTest, ALeaderWithoutWhatIsCommittedIsFound) {
    commit_two();
    append(3, batch(0, 1, 1));
    append(3, batch(1, 2, 3));
    expect_found("3 leads epoch 2 from 1 on without the batch at 1 of epoch 1");
}

TEST_F(QuorumLawsTest, ALeaderThatHasAllThatIsCommittedIsRight) {
    commit_two();
    append(1, batch(2, 1));  // not committed
    laws.state_is_durable(2, state(2, 2));
    append(2, batch(2, 2, 2));
    laws.is_cut(1, 2);
    append(1, batch(2, 2, 2));
    laws.state_is_durable(1, state(2, 2));
    laws.find_committed();
    EXPECT_EQ(laws.committed_end(), 3);
    EXPECT_TRUE(found.empty());
}

TEST_F(QuorumLawsTest, AMajorityThatHasAnotherRecordWhereOneWasCommittedIsFound) {
    commit_two();
    for (const std::int32_t node : {2, 3}) {
        laws.is_cut(node, node == 2 ? 1 : 0);
        if (node == 3) append(node, batch(0, 1, 1));
        append(node, batch(1, 2));  // whose beginning nobody has seen
        append(node, batch(2, 2));
        laws.leads(3, 2);
        laws.state_is_durable(node, state(2, 3));
    }
    expect_found("was committed, a majority has one of epoch 2 there");
}

TEST_F(QuorumLawsTest, MetadataThatIsNotCommittedIsFound) {
    commit_two();
    ImageLaw images(laws);
    metadata::Image image = *metadata::Image::empty();
    image.provenance.last_offset = Offset(2);
    images.is_published("n1", image);
    expect_found("n1 shows offset 2, though only what is below 2 is committed");
}

/// A log of one data batch that metadata can follow, committed on two.
class ImageLawTest : public QuorumLawsTest {
protected:
    ImageLawTest() {
        for (const std::int32_t node : {1, 2}) {
            laws.state_is_durable(node, state(1, 1));
            append(node, batch(0, 1, 1));
        }
        laws.find_committed();
        images.follow();
        image.provenance.last_offset = Offset(0);
    }
    ImageLaw images{laws};
    metadata::Image image = *metadata::Image::empty();
};

TEST_F(ImageLawTest, TheSameMetadataIsRight) {
    images.is_published("n1", image);
    EXPECT_EQ(images.compared(), 1U);
    EXPECT_TRUE(found.empty());
}

TEST_F(ImageLawTest, OtherMetadataAtOneOffsetIsFound) {
    image.next_producer_id = 1000;
    images.is_published("n2", image);
    expect_found("n2 shows other metadata at offset 0");
}

/// A machine whose files are written by hand.
class DiskViewTest : public testing::Test {
protected:
    static constexpr const char* kDirectory = "/data/__cluster_metadata-0";

    DiskViewTest() : machine(world.add_node("n1")), view(machine, 1, laws) {
        EXPECT_TRUE(env::create_durable_directories(machine.files(), kDirectory));
        log = *machine.files().open(path("00000000000000000000.log"), env::OpenMode::create);
        EXPECT_TRUE(machine.files().sync_directory(kDirectory));
    }
    static std::string path(std::string_view name) {
        return fmt::format("{}/{}", kDirectory, name);
    }
    void append(const Bytes& bytes) {
        EXPECT_TRUE(log->write_at(end, BytesView(bytes)));
        end += bytes.size();
        view.look();
    }
    std::vector<std::int64_t> offsets() {
        view.look();
        std::vector<std::int64_t> all;
        for (const SeenBatch& one : laws.log_of(1)) all.push_back(one.base_offset);
        return all;
    }
    void save(const raft::QuorumState& saved) {
        EXPECT_TRUE(env::replace_file(machine.files(), path("quorum-state"),
                                      raft::encode_quorum_state(saved, 1, {})));
        view.look();
    }

    World world{1};
    Node& machine;
    std::vector<Violation> found;
    QuorumLaws laws{{1}, found};
    DiskView view;
    std::unique_ptr<env::File> log;
    std::uint64_t end = 0;
};

using Offsets = std::vector<std::int64_t>;

TEST_F(DiskViewTest, SeesWhatIsAppendedCutAndSynced) {
    save(state(1, 1));
    append(begin_batch(0, 1, 1));
    const std::uint64_t first = end;
    append(data_batch(1, 1, "a"));
    EXPECT_EQ(offsets(), Offsets({0, 1}));
    laws.find_committed();
    EXPECT_EQ(laws.committed_end(), 0) << "nothing is synced";
    ASSERT_TRUE(log->sync());
    view.look();
    laws.find_committed();
    EXPECT_EQ(laws.committed_end(), 2);
    append(data_batch(2, 1, "b"));
    end = first;
    ASSERT_TRUE(log->truncate(first));
    EXPECT_EQ(offsets(), Offsets({0}));
    append(data_batch(1, 1, "a"));
    EXPECT_EQ(offsets(), Offsets({0, 1}));
    EXPECT_TRUE(found.empty());
}

TEST_F(DiskViewTest, SeesSegmentsComeAndGo) {
    append(begin_batch(0, 1, 1));
    log = *machine.files().open(path("00000000000000000001.log"), env::OpenMode::create);
    end = 0;
    append(data_batch(1, 1, "a"));
    EXPECT_EQ(offsets(), Offsets({0, 1}));
    ASSERT_TRUE(machine.files().remove(path("00000000000000000000.log")));
    EXPECT_EQ(offsets(), Offsets({1}));
}

TEST_F(DiskViewTest, AStateThatWasForgottenIsFound) {
    save(state(3, -1, 1));
    save(state(2, -1));
    ASSERT_EQ(found.size(), 1U);
    EXPECT_NE(found[0].what.find("back in epoch 2 after 3"), std::string::npos);
}

TEST_F(DiskViewTest, WhatALossOfPowerTakesIsSeen) {
    append(begin_batch(0, 1, 1));
    ASSERT_TRUE(log->sync());
    for (int i = 1; i < 40; ++i) append(data_batch(i, 1, "a"));
    world.crash(machine, Crash::power);
    EXPECT_GE(offsets().size(), 1U);
    EXPECT_LT(offsets().size(), 40U) << "seed 1 loses one of 39";
    EXPECT_TRUE(found.empty());
}

}  // namespace
}  // namespace milena::sim
