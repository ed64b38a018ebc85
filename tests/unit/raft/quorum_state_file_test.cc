// SPDX-License-Identifier: Apache-2.0
// quorum-state against the bytes that Apache Kafka 4.4 wrote, and against nonsense.
#include "milena/raft/quorum_state_file.h"

#include <gtest/gtest.h>

#include "golden.h"
#include "sim/world.h"

namespace milena::raft::test {
namespace {

const VoterSet kVoters({{.key = {BrokerId(1), {}}, .endpoints = {}},
                        {.key = {BrokerId(2), {}}, .endpoints = {}}});

TEST(QuorumStateFile, HasTheBytesOfKafkas) {
    const std::string golden(as_text(golden_file("quorum-state")));
    const auto state = decode_quorum_state(golden);
    ASSERT_TRUE(state) << state.error().why;
    EXPECT_EQ(*state, (QuorumState{LeaderEpoch(2), BrokerId(1), std::nullopt}));
    EXPECT_EQ(encode_quorum_state(*state, 1, kVoters), golden);
}

TEST(QuorumStateFile, Version0KeepsTheVoteWithoutItsDirectory) {
    const QuorumState state{LeaderEpoch(7), kNoBroker, ReplicaKey{BrokerId(2), {1, 2}}};
    const std::string text = encode_quorum_state(state, 0, kVoters);
    EXPECT_EQ(text,
              R"({"clusterId":"","leaderId":-1,"leaderEpoch":7,"votedId":2,"appliedOffset":0,)"
              R"("currentVoters":[{"voterId":1},{"voterId":2}],"data_version":0})");
    EXPECT_EQ(*decode_quorum_state(text),
              (QuorumState{LeaderEpoch(7), kNoBroker, ReplicaKey{BrokerId(2), {}}}));
}

TEST(QuorumStateFile, Version1KeepsTheVote) {
    const QuorumState state{LeaderEpoch(7), kNoBroker, ReplicaKey{BrokerId(2), {1, 2}}};
    EXPECT_EQ(*decode_quorum_state(encode_quorum_state(state, 1, kVoters)), state);
}

TEST(QuorumStateFile, EveryPrefixAndNonsenseIsRefused) {
    const std::string whole =
        encode_quorum_state({LeaderEpoch(7), BrokerId(1), std::nullopt}, 1, kVoters);
    for (std::size_t length = 0; length < whole.size(); ++length) {
        EXPECT_FALSE(decode_quorum_state(whole.substr(0, length))) << length;
    }
    for (
        const char* text :
        {R"([])", R"({"leaderId":1,"leaderEpoch":2,"votedId":-1,"data_version":2})",
         R"({"leaderId":1,"leaderEpoch":-2,"votedId":-1,"data_version":0})",
         R"({"leaderId":1,"leaderEpoch":99999999999,"votedId":-1,"data_version":0})",
         R"({"leaderId":1,"leaderEpoch":2,"votedId":1,"votedDirectoryId":"x","data_version":1})"}) {
        const auto state = decode_quorum_state(text);
        ASSERT_FALSE(state) << text;
        EXPECT_EQ(state.error().code, ErrorCode::corrupt_message);
    }
}

TEST(QuorumStateFile, IsTheInitialStateWhereThereIsNone) {
    sim::World world(1);
    EXPECT_EQ(*read_quorum_state(world.add_node("n1").files(), "/data"), QuorumState{});
}

}  // namespace
}  // namespace milena::raft::test
