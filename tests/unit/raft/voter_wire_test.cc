// SPDX-License-Identifier: Apache-2.0
// Every message there and back through its bytes, and what is refused on the way in.
#include "milena/raft/voter_wire.h"

#include <deque>

#include <gtest/gtest.h>

#include "milena/protocol/codec.h"

namespace milena::raft::test {
namespace {

constexpr std::string_view kCluster = "c1";
const ReplicaKey kVoter{BrokerId(4), {0x11, 0x22}};
const std::vector<VoterEndpoint> kEndpoints{{"CONTROLLER", "localhost", 9093},
                                            {"OTHER", "::1", 9094}};
const Sender kSender{.cluster_id = kCluster, .endpoints = {}};

class VoterWire : public ::testing::Test {
public:
    template <class T>
    T through_bytes(const T& message, std::int16_t version) {
        auto bytes = protocol::encode(message, version);
        EXPECT_TRUE(bytes) << bytes.error().why;
        kept_.push_back(*std::move(bytes));
        auto decoded = protocol::decode<T>(kept_.back(), version, arena);
        EXPECT_TRUE(decoded) << decoded.error().why;
        return *decoded;
    }
    template <class T>
    Result<T> request_again(const T& request, std::int16_t version,
                            std::string_view cluster = kCluster) {
        return from_wire(through_bytes(to_wire(request, kSender, arena), version), cluster);
    }

    protocol::Arena arena;

private:
    std::deque<std::vector<std::byte>> kept_;
};

TEST_F(VoterWire, RequestsComeBack) {
    const AddVoterRequest add{kVoter, kEndpoints, false};
    EXPECT_EQ(*request_again(add, 1), add);
    // Version 0 is always answered when the change is committed.
    const AddVoterRequest waits{kVoter, kEndpoints, true};
    EXPECT_EQ(*request_again(waits, 0), waits);
    const RemoveVoterRequest remove{kVoter};
    EXPECT_EQ(*request_again(remove, 0), remove);
    const UpdateVoterRequest update{
        LeaderEpoch(7),
        {.key = kVoter, .endpoints = kEndpoints, .kraft_version_min = 0, .kraft_version_max = 1}};
    EXPECT_EQ(*request_again(update, 0), update);
}

TEST_F(VoterWire, AnswersComeBack) {
    const VoterChangeResponse refusal{ErrorCode::duplicate_voter, {}, "it is one"};
    EXPECT_EQ(*from_wire(through_bytes(to_add_answer(refusal), 1)), refusal);
    EXPECT_EQ(*from_wire(through_bytes(to_remove_answer(refusal), 0)), refusal);
    EXPECT_EQ(*from_wire(through_bytes(to_add_answer({}), 0)), VoterChangeResponse{});
    const VoterChangeResponse fenced{
        ErrorCode::fenced_leader_epoch, {LeaderEpoch(9), BrokerId(2)}, {}};
    const LeaderNode leader{BrokerId(2), kEndpoints[0]};
    const auto wire = through_bytes(to_update_answer(fenced, leader), 0);
    EXPECT_EQ(*from_wire(wire), fenced);
    EXPECT_EQ(wire.current_leader.host, "localhost");
    EXPECT_EQ(wire.current_leader.port, 9093);
}

TEST_F(VoterWire, AnotherClusterAndListenersWithoutEndAreRefused) {
    const AddVoterRequest add{kVoter, kEndpoints, true};
    EXPECT_EQ(request_again(add, 1, "c2").error().code, ErrorCode::inconsistent_cluster_id);
    EXPECT_EQ(request_again(RemoveVoterRequest{kVoter}, 0, "c2").error().code,
              ErrorCode::inconsistent_cluster_id);
    AddVoterRequest twice = add;
    twice.endpoints.push_back(kEndpoints[0]);
    EXPECT_EQ(request_again(twice, 1).error().code, ErrorCode::invalid_request);
    AddVoterRequest many = add;
    for (int i = 0; i < 100; ++i) many.endpoints.push_back({std::to_string(i), "h", 1});
    EXPECT_EQ(request_again(many, 1).error().code, ErrorCode::invalid_request);
}

TEST_F(VoterWire, WhoDoesNotNameTheFeatureCanDoVersionZero) {
    protocol::ApiVersionsResponse answer;
    EXPECT_EQ(from_wire(answer)->kraft_version_max, 0);
    std::array<protocol::ApiVersionsResponse::SupportedFeatureKey, 2> features;
    features[0].name = "metadata.version";
    features[0].max_version = 30;
    features[1].name = "kraft.version";
    features[1].max_version = 1;
    answer.supported_features = features;
    EXPECT_EQ(from_wire(through_bytes(answer, 4))->kraft_version_max, 1);
}

}  // namespace
}  // namespace milena::raft::test
