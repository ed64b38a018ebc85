// SPDX-License-Identifier: Apache-2.0
// The replica says what there is and from where in a file; the records go out by sendfile.
#include "quorum_fetch.h"

#include "quorum_request.h"

namespace milena::server {

/// As Kafka's leader says it; the field itself is older.
constexpr std::int16_t kFirstVersionWithLeaderNode = 17;

bool is_quorum_fetch(const Request& request, const protocol::FetchRequest& body) {
    return request.session.is_controller_listener() && raft::names_metadata_log(body);
}

env::Task<Result<void>> serve_quorum_fetch(Request& request, const protocol::FetchRequest& body) {
    auto asked = quorum_request(request, body);
    if (!asked) {
        protocol::FetchResponse refusal;
        refusal.error_code = static_cast<std::int16_t>(asked.error().code);
        co_return answer(request, refusal);
    }
    // What it asks for, within what a controller gives.
    constexpr std::int32_t kBytesMax = 8 << 20;
    const auto bytes_max = static_cast<std::uint64_t>(std::clamp(body.max_bytes, 0, kBytesMax));
    const QuorumAnswer given = co_await request.broker().quorum->ask(*std::move(asked), bytes_max);
    if (request.connection.is_closed()) co_return ok();
    std::vector<protocol::Splice> splices;
    const AnswerFiles files{std::span(&given.records, 1), splices};
    const bool has_records = given.records.length > 0;
    const auto out = raft::to_wire(
        std::get<raft::FetchResponse>(given.response),
        has_records ? protocol::Records::external(given.records.length, 0) : BytesView(),
        request.version() >= kFirstVersionWithLeaderNode ? given.leader : std::nullopt,
        request.arena);
    co_return answer(request, out, request.version(), has_records ? &files : nullptr);
}

}  // namespace milena::server
