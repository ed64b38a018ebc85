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
    co_return co_await answer_with_bytes<raft::FetchSnapshotResponse>(request, *std::move(asked),
                                                                      body.max_bytes, 1);
}

}  // namespace

Api api_59() {
    return make_api(protocol::ApiKey::fetch_snapshot, &serve);
}

}  // namespace milena::server
