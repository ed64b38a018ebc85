// SPDX-License-Identifier: Apache-2.0
// A quorum's status as others are told it.
#include "quorum_description.h"

#include <gtest/gtest.h>

namespace milena::drivers {
namespace {

TEST(QuorumDescription, TellsHowFarTheLeaderIsAndWhereItsVotersAre) {
    QuorumStatus status;
    status.leader = BrokerId(1);
    status.epoch = LeaderEpoch(3);
    status.log_end_offset = Offset(70);
    status.high_watermark = Offset(68);
    status.voters = raft::VoterSet(
        {{.key = {BrokerId(1), Uuid{4, 5}}, .endpoints = {{"CONTROLLER", "host", 9093}}}});
    const auto told = quorum_description(status, Timestamp(1234));
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
    const auto told = quorum_description(status, Timestamp(1234));
    ASSERT_EQ(told.voters.size(), 2U);
    EXPECT_EQ(told.voters[1].log_end_offset, Offset(-1));
    EXPECT_EQ(told.voters[1].last_fetch_ms, -1);
    EXPECT_EQ(told.high_watermark, Offset(-1)) << "none is known yet";
}

}  // namespace
}  // namespace milena::drivers
