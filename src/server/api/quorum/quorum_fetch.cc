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
    co_return co_await answer_with_bytes<raft::FetchResponse>(
        request, *std::move(asked), body.max_bytes, kFirstVersionWithLeaderNode);
}

}  // namespace milena::server
