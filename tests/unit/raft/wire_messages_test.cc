// SPDX-License-Identifier: Apache-2.0
// Every message there and back, through the bytes of each version.
#include "milena/raft/wire_messages.h"

#include <deque>

#include <gtest/gtest.h>

#include "milena/protocol/codec.h"
#include "milena/raft/batches.h"

namespace milena::raft::test {
namespace {

constexpr std::string_view kCluster = "c1";
const ReplicaKey kSelf{BrokerId(1), {0x11, 0x22}};
const ReplicaKey kOther{BrokerId(2), {0x33, 0x44}};
const std::vector<VoterEndpoint> kEndpoints{{"CONTROLLER", "localhost", 9093}};
const Sender kSender{.cluster_id = kCluster, .endpoints = kEndpoints};

class WireMessages : public ::testing::Test {
public:
    /// `message` after its bytes in that version.
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
    Result<T> request_again(const T& request, std::int16_t version) {
        return from_wire(through_bytes(to_wire(request, kSender, arena), version), kCluster);
    }
    template <class T>
    Result<T> response_again(const T& response, std::int16_t version) {
        // Version 0 has no place for it.
        std::optional<LeaderNode> node;
        if (version > 0) node = LeaderNode{BrokerId(2), kEndpoints[0]};
        return from_wire(through_bytes(to_wire(response, node, arena), version));
    }

    protocol::Arena arena;

private:
    std::deque<std::vector<std::byte>> kept_;
};

TEST_F(WireMessages, AVoteRequestComesBack) {
    const VoteRequest request{.epoch = LeaderEpoch(7),
                              .candidate = kSelf,
                              .voter = kOther,
                              .last_epoch = LeaderEpoch(5),
                              .end_offset = Offset(99),
                              .pre_vote = true};
    EXPECT_EQ(*request_again(request, 2), request);
    VoteRequest vote = request;
    vote.pre_vote = false;
    EXPECT_EQ(*request_again(vote, 1), vote);
    // Version 0 knows no directories, and not whom it asks.
    vote.candidate.directory = {};
    vote.voter = {};
    EXPECT_EQ(*request_again(vote, 0), vote);
}

TEST_F(WireMessages, TheOtherRequestsComeBack) {
    // The sender says where it is reached.
    const BeginQuorumEpochRequest begin{LeaderEpoch(7), BrokerId(1), kOther, kEndpoints};
    EXPECT_EQ(*request_again(begin, 1), begin);
    const EndQuorumEpochRequest end{LeaderEpoch(7), BrokerId(1), {kOther, kSelf}};
    EXPECT_EQ(*request_again(end, 1), end);
    // Version 0 has ids alone.
    const auto old = request_again(end, 0);
    EXPECT_EQ(old->preferred_candidates,
              (std::vector<ReplicaKey>{{BrokerId(2), {}}, {BrokerId(1), {}}}));
    const FetchRequest fetch{.current_leader_epoch = LeaderEpoch(7),
                             .replica = kSelf,
                             .fetch_offset = Offset(12),
                             .last_fetched_epoch = LeaderEpoch(6),
                             .high_watermark = Offset(10),
                             .max_wait = std::chrono::milliseconds(500)};
    for (const std::int16_t version : std::vector<std::int16_t>{17, 18}) {
        FetchRequest expected = fetch;
        if (version < 18) expected.high_watermark = Offset(INT64_MAX);
        EXPECT_EQ(*request_again(fetch, version), expected);
    }
    // Older ones say who asks elsewhere.
    auto wire = to_wire(fetch, kSender, arena);
    wire.replica_state = {};
    wire.replica_id = 1;
    for (const std::int16_t version : std::vector<std::int16_t>{12, 14}) {
        const auto again = from_wire(through_bytes(wire, version), kCluster);
        ASSERT_TRUE(again) << version;
        EXPECT_EQ(again->replica, (ReplicaKey{BrokerId(1), {}}));
        EXPECT_EQ(again->fetch_offset, Offset(12));
    }
}

TEST_F(WireMessages, APieceOfASnapshotIsAskedForAndComes) {
    const FetchSnapshotRequest request{.current_leader_epoch = LeaderEpoch(7),
                                       .replica = kSelf,
                                       .snapshot = {Offset(99), LeaderEpoch(6)},
                                       .position = BytePosition(1 << 20)};
    EXPECT_EQ(*request_again(request, 1), request);
    FetchSnapshotRequest without_directory = request;
    without_directory.replica.directory = {};
    EXPECT_EQ(*request_again(request, 0), without_directory);
    EXPECT_EQ(to_wire(request, kSender, arena).max_bytes, 1 << 20);

    FetchSnapshotResponse response{.view = {LeaderEpoch(7), BrokerId(2)},
                                   .snapshot = request.snapshot,
                                   .position = request.position,
                                   .size = BytePosition(3'000'000'000),
                                   .bytes = {}};
    const std::vector<std::byte> bytes(100, std::byte{7});
    for (const std::int16_t version : std::vector<std::int16_t>{0, 1}) {
        const auto node =
            version > 0 ? std::optional(LeaderNode{BrokerId(2), kEndpoints[0]}) : std::nullopt;
        auto again =
            from_wire(through_bytes(to_wire(response, BytesView(bytes), node, arena), version));
        ASSERT_TRUE(again) << again.error().why;
        EXPECT_EQ(*again->bytes, bytes);
        again->bytes = nullptr;
        EXPECT_EQ(*again, response);
        FetchSnapshotResponse refusal;
        refusal.error = ErrorCode::snapshot_not_found;
        refusal.view = response.view;
        again = from_wire(through_bytes(to_wire(refusal, BytesView(), node, arena), version));
        EXPECT_EQ(again->error, ErrorCode::snapshot_not_found);
        EXPECT_EQ(again->view, response.view);
    }
}

TEST_F(WireMessages, TheLeadersEndpointsAreSaid) {
    const auto begin = through_bytes(
        to_wire(BeginQuorumEpochRequest{LeaderEpoch(7), BrokerId(1), kOther}, kSender, arena), 1);
    ASSERT_EQ(begin.leader_endpoints.size(), 1u);
    EXPECT_EQ(begin.leader_endpoints[0].name, "CONTROLLER");
    EXPECT_EQ(begin.leader_endpoints[0].port, 9093);
    const auto vote =
        through_bytes(to_wire(VoteResponse{ErrorCode::none, {LeaderEpoch(7), BrokerId(2)}, false},
                              LeaderNode{BrokerId(2), kEndpoints[0]}, arena),
                      2);
    ASSERT_EQ(vote.node_endpoints.size(), 1u);
    EXPECT_EQ(vote.node_endpoints[0].node_id, 2);
    EXPECT_EQ(vote.node_endpoints[0].host, "localhost");
}

TEST_F(WireMessages, ResponsesComeBack) {
    const LeaderView view{LeaderEpoch(7), BrokerId(2)};
    for (const ErrorCode error : {ErrorCode::none, ErrorCode::fenced_leader_epoch}) {
        for (const std::int16_t version : std::vector<std::int16_t>{0, 1, 2}) {
            const VoteResponse vote{error, view, error == ErrorCode::none};
            EXPECT_EQ(*response_again(vote, version), vote);
        }
        for (const std::int16_t version : std::vector<std::int16_t>{0, 1}) {
            EXPECT_EQ(*response_again(BeginQuorumEpochResponse{error, view}, version),
                      (BeginQuorumEpochResponse{error, view}));
            EXPECT_EQ(*response_again(EndQuorumEpochResponse{error, view}, version),
                      (EndQuorumEpochResponse{error, view}));
        }
    }
    // Nothing is learnt from a request that was refused as a whole.
    EXPECT_EQ(*response_again(VoteResponse{ErrorCode::invalid_request, view, false}, 2),
              (VoteResponse{ErrorCode::invalid_request, LeaderView{}, false}));
}

TEST_F(WireMessages, AFetchResponseComesBackWithItsBatches) {
    const std::vector<AnyControlRecord> control{LeaderChangeRecord{BrokerId(2), {}, {}}};
    auto bytes = encode_control_batch(Offset(5), LeaderEpoch(7), env::Timestamp(1), control);
    const std::size_t first = bytes.size();
    const std::vector<std::vector<std::byte>> values{std::vector<std::byte>(10)};
    const auto second = encode_data_batch(Offset(6), LeaderEpoch(7), env::Timestamp(1), values);
    bytes.insert(bytes.end(), second.begin(), second.end());
    FetchResponse response;
    response.view = {LeaderEpoch(7), BrokerId(2)};
    response.high_watermark = Offset(6);
    response.log_start_offset = Offset(3);
    for (const std::size_t length : {bytes.size(), bytes.size() - 1, first}) {
        const auto again = from_wire(through_bytes(
            to_wire(response, BytesView(bytes).first(length), std::nullopt, arena), 18));
        ASSERT_TRUE(again) << again.error().why;
        EXPECT_EQ(again->view, response.view);
        EXPECT_EQ(again->high_watermark, Offset(6));
        EXPECT_EQ(again->log_start_offset, Offset(3));
        EXPECT_FALSE(again->diverging);
        EXPECT_FALSE(again->snapshot);
        ASSERT_EQ(again->batches.size(), length == bytes.size() ? 2u : 1u);
        EXPECT_EQ(again->batches[0].base_offset, Offset(5));
        EXPECT_EQ(again->batches[0].control.size(), 1u);
        EXPECT_EQ(*again->batches[0].bytes,
                  std::vector<std::byte>(bytes.begin(),
                                         bytes.begin() + static_cast<std::ptrdiff_t>(first)));
    }
    bytes[70] ^= std::byte{1};
    EXPECT_FALSE(
        from_wire(through_bytes(to_wire(response, BytesView(bytes), std::nullopt, arena), 18)))
        << "a batch that is damaged";
}

TEST_F(WireMessages, AFetchResponseSaysWhereLogsPartAndWhichSnapshotToTake) {
    FetchResponse response;
    response.view = {LeaderEpoch(7), BrokerId(2)};
    response.diverging = EpochEnd{LeaderEpoch(3), Offset(8)};
    const auto again = [&] {
        return *from_wire(through_bytes(to_wire(response, BytesView(), std::nullopt, arena), 18));
    };
    EXPECT_EQ(again().diverging, response.diverging);
    response.diverging.reset();
    response.snapshot = SnapshotId{Offset(9), LeaderEpoch(0)};
    EXPECT_EQ(again().snapshot, response.snapshot);
    response.snapshot.reset();
    response.error = ErrorCode::not_leader_or_follower;
    EXPECT_EQ(again().error, ErrorCode::not_leader_or_follower);
}

TEST_F(WireMessages, AnotherClusterOrAnotherLogIsRefused) {
    auto vote = to_wire(
        VoteRequest{.epoch = LeaderEpoch(1), .candidate = kSelf, .voter = {}, .end_offset = {}},
        kSender, arena);
    EXPECT_EQ(from_wire(vote, "c2").error().code, ErrorCode::inconsistent_cluster_id);
    vote.cluster_id = std::nullopt;
    EXPECT_TRUE(from_wire(vote, "c2")) << "who does not say is believed";
    vote.topics = {};
    EXPECT_EQ(from_wire(vote, kCluster).error().code, ErrorCode::invalid_request);

    auto fetch = to_wire(
        FetchRequest{
            .current_leader_epoch = LeaderEpoch(1), .replica = kSelf, .fetch_offset = Offset(0)},
        kSender, arena);
    EXPECT_TRUE(names_metadata_log(fetch));
    EXPECT_EQ(from_wire(fetch, "c2").error().code, ErrorCode::inconsistent_cluster_id);
    auto topic = fetch.topics[0];
    topic.topic = "t";
    topic.topic_id = {5, 6};
    fetch.topics = std::span(&topic, 1);
    EXPECT_FALSE(names_metadata_log(fetch));
    EXPECT_EQ(from_wire(fetch, kCluster).error().code, ErrorCode::invalid_request);

    auto snapshot = to_wire(FetchSnapshotRequest{.current_leader_epoch = LeaderEpoch(1),
                                                 .replica = kSelf,
                                                 .snapshot = {Offset(9), LeaderEpoch(1)},
                                                 .position = {}},
                            kSender, arena);
    EXPECT_EQ(from_wire(snapshot, "c2").error().code, ErrorCode::inconsistent_cluster_id);
    auto other = snapshot.topics[0];
    other.name = "t";
    snapshot.topics = std::span(&other, 1);
    EXPECT_EQ(from_wire(snapshot, kCluster).error().code, ErrorCode::unknown_topic_or_partition);
    snapshot.topics = {};
    EXPECT_EQ(from_wire(snapshot, kCluster).error().code, ErrorCode::invalid_request);
}

}  // namespace
}  // namespace milena::raft::test
