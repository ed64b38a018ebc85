// SPDX-License-Identifier: Apache-2.0
// A core of one or three voters is led by hand, and its outputs are counted.
#include "figures/quorum_counter.h"

#include <gtest/gtest.h>

namespace milena::drivers {
namespace {

using raft::Core;
using raft::Output;

const raft::ReplicaKey kSelf{BrokerId(1), {0, 101}};

env::Instant at(int milliseconds) {
    return env::Instant(std::chrono::milliseconds(10'000 + milliseconds));
}

raft::RecoveredState recovered(int voters) {
    std::vector<raft::Voter> all;
    for (int id = 1; id <= voters; ++id) {
        raft::Voter voter{.key = {BrokerId(id), {0, static_cast<std::uint64_t>(100 + id)}},
                          .endpoints = {}};
        if (id != 3) voter.endpoints = {{"CONTROLLER", "host", 9093}};
        all.push_back(std::move(voter));
    }
    raft::RecoveredState state;
    state.log_end_offset = Offset(5);
    state.epochs = {{LeaderEpoch(2), Offset(0)}};
    state.voters = {{Offset(-1), 1, raft::VoterSet(std::move(all))}};
    state.quorum.epoch = LeaderEpoch(2);
    return state;
}

/// A core and what counts its steps.
class QuorumCounterTest : public ::testing::Test {
public:
    void make(int voters) {
        raft::CoreOptions options;
        options.self = kSelf;
        core.emplace(options, recovered(voters));
        counter.emplace(kSelf, recovered(voters));
    }
    Output step(const raft::Event& event, int milliseconds) {
        Output output = core->step(event, at(milliseconds));
        counter->note(*core, output, at(milliseconds));
        return output;
    }
    QuorumFigures figures(int milliseconds) const {
        return counter->figures(*core, at(milliseconds));
    }

    std::optional<Core> core;
    std::optional<QuorumCounter> counter;
};

TEST_F(QuorumCounterTest, AnOnlyVoterLeadsAndCommitsWhatItSyncs) {
    make(1);
    step(raft::Start{}, 0);
    const QuorumFigures leading = figures(0);
    EXPECT_EQ(leading.role, raft::Role::leader);
    EXPECT_TRUE(leading.is_voter);
    EXPECT_EQ(leading.vote, kSelf.id);
    EXPECT_EQ(leading.log_end_epoch, LeaderEpoch(3));
    EXPECT_EQ(leading.observers, 0u);
    EXPECT_FALSE(leading.commit_latency_avg_ms) << "nothing is committed yet";
    step(raft::Appended{core->log_end_offset()}, 1);
    step(raft::Synced{core->log_end_offset()}, 20);
    EXPECT_EQ(figures(20).commit_latency_max_ms, 20);
    step(raft::Propose{LeaderEpoch(3), 30}, 100);
    step(raft::Appended{core->log_end_offset()}, 100);
    step(raft::Synced{core->log_end_offset()}, 140);
    EXPECT_EQ(figures(140).commit_latency_max_ms, 40);
    EXPECT_EQ(figures(140).commit_latency_avg_ms, 30);
    // A LeaderChange record, the version and the voters, then thirty more, over half a minute.
    EXPECT_EQ(figures(140).append_records_rate, 33.0 / 30);
    EXPECT_EQ(figures(140).fetch_records_rate, 0);
}

TEST_F(QuorumCounterTest, WhoHasNoLeaderWaitsForOne) {
    make(3);
    step(raft::Start{}, 0);
    const QuorumFigures waiting = figures(0);
    EXPECT_NE(waiting.role, raft::Role::leader);
    EXPECT_EQ(waiting.vote, kNoBroker);
    EXPECT_EQ(waiting.log_end_epoch, LeaderEpoch(2)) << "of the log that was found";
    EXPECT_EQ(waiting.unknown_voters, 1u) << "voter 3 has no endpoint";
    EXPECT_FALSE(waiting.observers) << "that is the leader's to tell";
    EXPECT_FALSE(waiting.election_latency_max_ms);
    raft::BeginQuorumEpochRequest begin;
    begin.leader = BrokerId(2);
    begin.epoch = LeaderEpoch(4);
    step(raft::Received{raft::RequestId(1), begin}, 250);
    ASSERT_EQ(figures(250).role, raft::Role::follower);
    EXPECT_EQ(figures(250).election_latency_max_ms, 250);
    EXPECT_EQ(figures(250).election_latency_avg_ms, 250);
}

}  // namespace
}  // namespace milena::drivers
