// SPDX-License-Identifier: Apache-2.0
// From a frame to the handler of its API.
#include "session.h"

#include "api.h"
#include "fetch/fetch_scratch.h"

namespace milena::server {
namespace {

/// Produces that may wait on one connection before the next is read (architecture, the walk of a
/// Produce).
constexpr std::size_t kParkedProducesMax = 16;

/// What Apache Kafka closes the connection for, without an answer.
Result<const Api*> api_for(const protocol::RequestHead& head, bool controller_listener) {
    const Api* const api = find_api(head.header.request_api_key);
    if (api == nullptr || !api->on(controller_listener)) {
        return fail(ErrorCode::invalid_request,
                    fmt::format("{} is not served on this listener", head.api->name));
    }
    // A client may ask with an ApiVersions newer than ours; its handler answers that (KIP-511).
    if (!api->serves(head.version()) && head.api->key != protocol::ApiKey::api_versions) {
        return fail(
            ErrorCode::unsupported_version,
            fmt::format("{} version {} is not between {} and {}", head.api->name, head.version(),
                        head.api->min_version, head.api->max_stable_version));
    }
    return api;
}

}  // namespace

Session::Session(const Broker& broker, CoreState& core, const config::Listener& listener)
    : broker_(broker),
      core_(core),
      listener_(listener),
      fetch_scratch_(std::make_unique<FetchScratch>()) {}

Session::~Session() = default;

env::Task<Result<void>> Session::serve(MutableBytes frame, wire::Connection& connection) {
    const env::Instant received = broker_.env.clock().now();
    arena_.reset();
    ByteReader reader(frame);
    CO_TRY(const auto head, protocol::read_request_head(reader));
    CO_TRY(const Api* const api, api_for(head, is_controller_listener()));
    const std::size_t allowed = api->overtakes ? kParkedProducesMax : 1;
    if (connection.replies().pending() >= allowed) {
        co_await connection.wait_pending_below(allowed);
        if (connection.is_closed()) co_return ok();
    }
    connection.replies().tag_next(
        core_.metrics.begin(RequestKind::api(static_cast<std::size_t>(api - served_apis().data())),
                            head.version(), frame.size(), received));
    Request request{*this,   connection, arena_, frame, head, frame.subspan(reader.position()),
                    received};
    co_return co_await api->serve(request);
}

const std::shared_ptr<ProduceAnswers>& Session::produce_answers() {
    // A parked answer is held by itself too, until it is delivered.
    if (produce_answers_ == nullptr || produce_answers_.use_count() != 1) {
        produce_answers_ = std::make_shared<ProduceAnswers>();
    }
    return produce_answers_;
}

}  // namespace milena::server
