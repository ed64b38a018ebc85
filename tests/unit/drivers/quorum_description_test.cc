// SPDX-License-Identifier: Apache-2.0
// A quorum's status as others are told it.
#include "quorum_description.h"

#include <gtest/gtest.h>

namespace milena::drivers {
namespace {

const env::Instant kStart = env::Instant{} + std::chrono::hours(1);
const Moment kNow{kStart, Timestamp(1234)};

TEST(QuorumDescription, TellsHowFarTheLeaderIsAndWhereItsVotersAre) {
    QuorumStatus status;
    status.leader = BrokerId(1);
    status.epoch = LeaderEpoch(3);
    status.log_end_offset = Offset(70);
    status.high_watermark = Offset(68);
    status.voters = raft::VoterSet(
        {{.key = {BrokerId(1), Uuid{4, 5}}, .endpoints = {{"CONTROLLER", "host", 9093}}}});
    const auto told = quorum_description(status, {}, kNow);
    EXPECT_EQ(told.leader, BrokerId(1));
    EXPECT_EQ(told.epoch, LeaderEpoch(3));
    EXPECT_EQ(told.high_watermark, Offset(68));
    ASSERT_EQ(told.voters.size(), 1U);
    EXPECT_EQ(told.voters[0].directory, (Uuid{4, 5}));
    EXPECT_EQ(told.voters[0].log_end_offset, Offset(70));
    EXPECT_EQ(told.voters[0].last_fetch_ms, 1234);
    EXPECT_EQ(told.voters[0].last_caught_up_ms, 1234);
    EXPECT_TRUE(told.observers.empty());
    ASSERT_EQ(told.nodes.size(), 1U);
    EXPECT_EQ(told.nodes[0].endpoints[0].listener, "CONTROLLER");
    EXPECT_EQ(told.nodes[0].endpoints[0].port, 9093);
}

TEST(QuorumDescription, SaysNothingOfVotersThatItHasNotHeardOf) {
    QuorumStatus status;
    status.leader = BrokerId(1);
    raft::Voter one;
    one.key.id = BrokerId(1);
    raft::Voter other;
    other.key.id = BrokerId(2);
    status.voters = raft::VoterSet({one, other});
    const auto told = quorum_description(status, {}, kNow);
    ASSERT_EQ(told.voters.size(), 2U);
    EXPECT_EQ(told.voters[1].log_end_offset, Offset(-1));
    EXPECT_EQ(told.voters[1].last_fetch_ms, -1);
    EXPECT_EQ(told.high_watermark, Offset(-1)) << "none is known yet";
}

TEST(QuorumDescription, TellsHowFarTheOthersAre) {
    QuorumStatus status;
    status.leader = BrokerId(1);
    status.log_end_offset = Offset(70);
    std::vector<raft::Voter> voters;
    for (const int id : {1, 2}) voters.push_back({.key = {BrokerId(id), {}}, .endpoints = {}});
    status.voters = raft::VoterSet(voters);
    const auto told = quorum_description(status,
                                         {{.key = {BrokerId(2), {}},
                                           .durable_end = Offset(60),
                                           .fetched_at = kStart - std::chrono::milliseconds(10),
                                           .caught_up_at = kStart - std::chrono::milliseconds(300),
                                           .is_voter = true},
                                          {.key = {BrokerId(5), {6, 7}},
                                           .durable_end = Offset(50),
                                           .fetched_at = kStart,
                                           .caught_up_at = {},
                                           .is_voter = false}},
                                         kNow);
    EXPECT_EQ(told.voters[1].log_end_offset, Offset(60));
    EXPECT_EQ(told.voters[1].last_fetch_ms, 1224);
    EXPECT_EQ(told.voters[1].last_caught_up_ms, 934);
    ASSERT_EQ(told.observers.size(), 1U);
    EXPECT_EQ(told.observers[0].id, BrokerId(5));
    EXPECT_EQ(told.observers[0].directory, (Uuid{6, 7}));
    EXPECT_EQ(told.observers[0].log_end_offset, Offset(50));
    EXPECT_EQ(told.observers[0].last_caught_up_ms, -1);
}

}  // namespace
}  // namespace milena::drivers
