// SPDX-License-Identifier: Apache-2.0
// The way of a request between replicas of the metadata log: rights, cluster and topic are checked
// here, all else by the replica.
#pragma once

#include "../../api.h"
#include "../../topics.h"
#include "milena/raft/wire_messages.h"

namespace milena::server {

/// `body` as the replica takes it, or the error that its answer carries outside of the topics.
template <class Body>
auto quorum_request(const Request& request, const Body& body)
    -> decltype(raft::from_wire(body, std::string_view())) {
    TRY_VOID(check_cluster_right(request, security::Operation::cluster_action));
    if (request.broker().quorum == nullptr)
        return fail(ErrorCode::invalid_request, "this node has no part in the metadata quorum");
    return raft::from_wire(body, request.broker().cluster_id);
}

/// Serves a request whose answer has no records: `Response` is the replica's.
template <class Body, class Answer, class Response>
env::Task<Result<void>> serve_quorum_request(Request& request) {
    CO_TRY(const auto body, decode_body<Body>(request));
    auto asked = quorum_request(request, body);
    Answer out;
    if (!asked) {
        out.error_code = static_cast<std::int16_t>(asked.error().code);
        co_return answer(request, out);
    }
    const QuorumAnswer given = co_await request.broker().quorum->ask(*std::move(asked), 0);
    if (request.connection.is_closed()) co_return ok();
    const auto leader = request.version() > 0 ? given.leader : std::nullopt;
    out = raft::to_wire(std::get<Response>(given.response), leader, request.arena);
    co_return answer(request, out);
}

/// Serves one whose answer has bytes of a file, which go out by sendfile: as many as it asks for,
/// within what a controller gives. From version `first_with_leader` on the answer says where the
/// leader is.
template <class Response>
env::Task<Result<void>> answer_with_bytes(Request& request, raft::Request asked,
                                          std::int32_t bytes_asked,
                                          std::int16_t first_with_leader) {
    constexpr std::int32_t kBytesMax = 8 << 20;
    const auto bytes_max = static_cast<std::uint64_t>(std::clamp(bytes_asked, 0, kBytesMax));
    const QuorumAnswer given = co_await request.broker().quorum->ask(std::move(asked), bytes_max);
    if (request.connection.is_closed()) co_return ok();
    std::vector<protocol::Splice> splices;
    const AnswerFiles files{std::span(&given.records, 1), splices};
    const bool has_bytes = given.records.length > 0;
    const auto out = raft::to_wire(
        std::get<Response>(given.response),
        has_bytes ? protocol::Records::external(given.records.length, 0) : BytesView(),
        request.version() >= first_with_leader ? given.leader : std::nullopt, request.arena);
    co_return answer(request, out, request.version(), has_bytes ? &files : nullptr);
}

}  // namespace milena::server
