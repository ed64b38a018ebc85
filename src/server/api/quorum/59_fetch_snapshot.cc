// SPDX-License-Identifier: Apache-2.0
// FetchSnapshot: a replica of the metadata log reads a piece of a snapshot (KIP-630). The bytes are
// a place in the file and go out by sendfile.
#include "milena/protocol/messages/fetch_snapshot.h"

#include "quorum_request.h"

namespace milena::server {
namespace {

using protocol::FetchSnapshotRequest;
using protocol::FetchSnapshotResponse;

/// Of another partition than the log's: the error is that partition's.
FetchSnapshotResponse refusal_of(const FetchSnapshotRequest& body, ErrorCode error,
                                 protocol::Arena& arena) {
    FetchSnapshotResponse out;
    if (error != ErrorCode::unknown_topic_or_partition) {
        out.error_code = static_cast<std::int16_t>(error);
        return out;
    }
    const auto topics = arena.make_array<FetchSnapshotResponse::TopicSnapshot>(1);
    const auto partitions = arena.make_array<FetchSnapshotResponse::PartitionSnapshot>(1);
    topics[0].name = body.topics[0].name;
    topics[0].partitions = partitions;
    partitions[0].index = body.topics[0].partitions[0].partition;
    partitions[0].error_code = static_cast<std::int16_t>(error);
    partitions[0].unaligned_records = BytesView();
    out.topics = topics;
    return out;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<FetchSnapshotRequest>(request));
    auto asked = quorum_request(request, body);
    if (!asked) co_return answer(request, refusal_of(body, asked.error().code, request.arena));
    // What it asks for, within what a controller gives.
    constexpr std::int32_t kBytesMax = 8 << 20;
    const auto bytes_max = static_cast<std::uint64_t>(std::clamp(body.max_bytes, 0, kBytesMax));
    const QuorumAnswer given = co_await request.broker().quorum->ask(*std::move(asked), bytes_max);
    if (request.connection.is_closed()) co_return ok();
    std::vector<protocol::Splice> splices;
    const AnswerFiles files{std::span(&given.records, 1), splices};
    const bool has_bytes = given.records.length > 0;
    const auto out = raft::to_wire(
        std::get<raft::FetchSnapshotResponse>(given.response),
        has_bytes ? protocol::Records::external(given.records.length, 0) : BytesView(),
        request.version() > 0 ? given.leader : std::nullopt, request.arena);
    co_return answer(request, out, request.version(), has_bytes ? &files : nullptr);
}

}  // namespace

Api api_59() {
    return make_api(protocol::ApiKey::fetch_snapshot, &serve);
}

}  // namespace milena::server
