// SPDX-License-Identifier: Apache-2.0
// The loop around the active controller, which may change under it, and the two ways into it: the
// client's own bytes, and a request that a handler has made.
#include "forwarding.h"

#include <functional>

#include "identity.h"
#include "time_limit.h"

namespace milena::server {
namespace {

/// How long an answer waits for this node's image; as a rule it is there in milliseconds.
constexpr env::Duration kImageWait = std::chrono::seconds(5);
/// Of what is passed on: all that go share one connection, and a place in memory.
constexpr std::size_t kFrameMax = 16U << 20;
/// Before this node's controller is asked again, which has just lost its office.
constexpr env::Duration kLostPause = std::chrono::milliseconds(10);

struct Forwarding {
    const Request& request;
    MutableBytes frame;
    protocol::ApiKey key;
    /// Asked for when the first try has not been enough.
    std::function<env::Instant()> deadline;
};

env::Task<Result<std::vector<std::byte>>> serve_here(const Forwarding& what) {
    Session inner(what.request.broker(), what.request.session.core(),
                  what.request.session.listener(), what.request.session.client());
    co_return co_await inner.serve_inside(what.frame, what.request.connection);
}

/// Until this node shows whatever the controller had committed when it answered.
env::Task<void> catch_up(const Request& request) {
    const env::Instant deadline = request.broker().env.clock().now() + kImageWait;
    co_await request.broker().controllers->catch_up(deadline);
    co_await request.broker().image.catch_up(request.connection.owner(), deadline);
}

env::Task<Result<std::vector<std::byte>>> forward(Forwarding what) {
    const Request& request = what.request;
    const bool changes_something = what.key != protocol::ApiKey::describe_quorum;
    ControllerPort* const controllers = request.broker().controllers;
    if (controllers == nullptr) co_return co_await serve_here(what);
    if (what.frame.size() > kFrameMax) {
        co_return fail(ErrorCode::message_too_large,
                       fmt::format("a request of {} bytes to the controller, with {} allowed",
                                   what.frame.size(), kFrameMax));
    }
    const ClientBytes client = client_to_bytes(request.session.client());
    env::Clock& clock = request.broker().env.clock();
    std::optional<env::Instant> deadline;
    for (;;) {
        auto reached = co_await controllers->ask({what.frame, client.principal, client.address},
                                                 deadline.value_or(request.received));
        if (reached && !reached->is_here) {
            if (changes_something) co_await catch_up(request);
            co_return std::move(reached->answer);
        }
        auto answer = reached ? co_await serve_here(what)
                              : Result<std::vector<std::byte>>(std::unexpected(reached.error()));
        if (answer && reached && changes_something) {
            co_await request.broker().image.catch_up(request.connection.owner(),
                                                     clock.now() + kImageWait);
        }
        if (answer) co_return answer;
        const bool is_lost = reached && answer.error().code == ErrorCode::not_controller;
        const bool is_first = !deadline && answer.error().code == ErrorCode::request_timed_out;
        if (!is_lost && !is_first) co_return answer;
        if (!deadline) deadline = what.deadline();
        if (clock.now() >= *deadline)
            co_return fail(ErrorCode::request_timed_out, "The request timed out.");
        if (is_lost) co_await request.broker().env.sleep(request.connection.owner(), kLostPause);
    }
}

/// Those that say that something went wrong on the way; the others, that the request can't be read.
bool may_be_told(ErrorCode code) {
    return code != ErrorCode::invalid_request && code != ErrorCode::unsupported_version;
}

Result<void> pass_on(Request& request, BytesView answer) {
    if (answer.size() < sizeof(std::int32_t) ||
        load<std::int32_t>(answer.data()) != request.correlation_id()) {
        return fail(ErrorCode::unknown_server_error,
                    "the controller has answered another request than was forwarded");
    }
    auto& slot = request.connection.replies().open();
    ByteWriter writer(slot.output.extend(sizeof(std::int32_t) + answer.size()));
    writer.write(static_cast<std::int32_t>(answer.size()));
    writer.write_bytes(answer);
    request.connection.replies().mark_done(slot);
    return ok();
}

}  // namespace

env::Task<Result<std::vector<std::byte>>> wait_for_controller(const Request& request,
                                                              const Api& api) {
    const Waiting waiting(request);
    co_return co_await forward(
        {request, request.frame, api.facts->key, [&] { return end_of_patience(request, api); }});
}

env::Task<Result<void>> serve_by_controller(Request& request, const Api& api) {
    const auto answer = co_await wait_for_controller(request, api);
    if (request.connection.is_closed()) co_return ok();
    if (answer) co_return pass_on(request, *answer);
    if (!may_be_told(answer.error().code)) co_return std::unexpected(answer.error());
    LOG_DEBUG(request.broker().log, "no answer of the active controller",
              kv("api", api.facts->name), kv("why", answer.error().why));
    request.refusal = answer.error();
    co_return co_await api.serve(request);
}

env::Task<Result<std::vector<std::byte>>> ask_active_controller(const Request& request,
                                                                InnerRequest inner) {
    const protocol::Api& api = *protocol::find_api(inner.type.key);
    protocol::RequestHeader header = request.head.header;
    header.request_api_key = inner.type.key;
    header.request_api_version = inner.version;
    std::vector<std::byte> frame(protocol::request_head_size(api, header));
    ByteWriter writer{MutableBytes(frame)};
    protocol::write_request_head(api, header, writer);
    CO_TRY_VOID(protocol::append_message(inner.type, inner.body, inner.version, frame, nullptr));
    co_return co_await forward({request, frame, api.key, [&] { return inner.deadline; }});
}

}  // namespace milena::server
