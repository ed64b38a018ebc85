// SPDX-License-Identifier: Apache-2.0
// From a frame to the handler of its API.
#include "session.h"

#include "api.h"
#include "fetch/fetch_scratch.h"
#include "forwarding/forwarding.h"
#include "request.h"

namespace milena::server {
namespace {

/// Produces that may wait on one connection before the next is read (architecture, the walk of a
/// Produce).
constexpr std::size_t kParkedProducesMax = 16;
/// How often a connection at work is noted as having arrived.
constexpr env::Duration kNoteInterval = std::chrono::minutes(1);

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

Session::Session(const Broker& broker, CoreState& core, const config::Listener& listener,
                 Client client)
    : broker_(broker),
      core_(&core),
      listener_(listener),
      client_(std::move(client)),
      fetch_scratch_(std::make_unique<FetchScratch>()) {}

Session::~Session() = default;

void Session::arrive(CoreState& core) {
    core_ = &core;
    // They wake the thread on which they were made.
    fetch_scratch_->wakeup.reset();
    fetch_scratch_->wait.reset();
}

void Session::ended() {
    if (heartbeats_ && broker_.heartbeats != nullptr)
        broker_.heartbeats->connection_lost(heartbeats_->first, heartbeats_->second);
}

env::Task<Result<void>> Session::serve(MutableBytes frame, wire::Connection& connection) {
    const env::Instant received = broker_.env.clock().now();
    arena_.reset();
    ByteReader reader(frame);
    CO_TRY(const auto head, protocol::read_request_head(reader));
    CO_TRY(const Api* const api, api_for(head, is_controller_listener()));
    const std::size_t allowed = api->overtakes ? kParkedProducesMax : 1;
    env::Instant begun = received;
    if (connection.replies().pending() >= allowed) {
        co_await connection.wait_pending_below(allowed);
        if (connection.is_closed()) co_return ok();
        begun = broker_.env.clock().now();
    }
    const RequestKind kind = RequestKind::api(static_cast<std::size_t>(api - served_apis().data()));
    core_->metrics.begin(kind, head.version(), frame.size());
    connection.replies().tag_next(
        {.value = static_cast<std::uint32_t>(kind.index()), .received = received, .begun = begun});
    note_arrival(head, connection, received);
    Request request{*this,   connection, arena_, frame, head, frame.subspan(reader.position()),
                    received};
    if (api->answered == Answered::by_controller && !is_controller_listener())
        co_return co_await serve_by_controller(request, *api);
    co_return co_await api->serve(request);
}

env::Task<Result<std::vector<std::byte>>> Session::serve_inside(MutableBytes frame,
                                                                wire::Connection& connection) {
    arena_.reset();
    ByteReader reader(frame);
    CO_TRY(const auto head, protocol::read_request_head(reader));
    const Api* const api = find_api(head.header.request_api_key);
    if (api == nullptr || !api->may_be_forwarded) {
        co_return fail(ErrorCode::invalid_request,
                       fmt::format("{} is not forwarded to a controller", head.api->name));
    }
    if (!api->serves(head.version())) {
        co_return fail(ErrorCode::unsupported_version,
                       fmt::format("{} version {}", head.api->name, head.version()));
    }
    wire::Output output;
    Request request{*this,
                    connection,
                    arena_,
                    frame,
                    head,
                    frame.subspan(reader.position()),
                    broker_.env.clock().now(),
                    &output};
    if (auto served = co_await api->serve(request); !served) {
        const bool is_unreadable = served.error().code == ErrorCode::invalid_request;
        co_return fail(is_unreadable ? ErrorCode::unsupported_version : served.error().code,
                       std::move(served).error().why);
    }
    if (request.has_lost_controller)
        co_return fail(ErrorCode::not_controller, "this node is not the active controller");
    // The size of a frame stands before it.
    const BytesView answer = output.bytes().subspan(sizeof(std::int32_t));
    co_return std::vector<std::byte>(answer.begin(), answer.end());
}

void Session::note_arrival(const protocol::RequestHead& head, const wire::Connection& connection,
                           env::Instant now) {
    if (is_asked_of_any_broker(head.api->key)) return;
    leader_questions_.went_on();
    // A connection is noted now and then, not with each request.
    if (now < next_note_) return;
    next_note_ = now + kNoteInterval;
    core_->client_reach.with([&](ClientReach& reach) {
        reach.reached.note(connection.remote().host, head.header.client_id.value_or(""));
    });
}

void Session::told_to_come(const env::Endpoint& told, bool may_create_topics,
                           const Request& request) {
    const auto& connection = request.connection;
    if (is_same_place(connection.local(), told)) return;
    if (!leader_questions_.asked(may_create_topics, request.received)) return;
    const std::string_view client_id = request.head.header.client_id.value_or("");
    std::uint64_t suppressed = 0;
    const bool is_news = core_->client_reach.with([&](ClientReach& reach) {
        return !reach.reached.contains(connection.remote().host, client_id) &&
               reach.lines.admit(request.received.time_since_epoch(), suppressed);
    });
    if (!is_news) return;
    LOG_WARN(broker_.log, "a client keeps asking for leaders and never comes to this one",
             kv("client", connection.remote().text()), kv("client_id", client_id),
             kv("listener", listener_.name), kv("came_to", connection.local().text()),
             kv("was_told", told.text()), kv("questions", leader_questions_.count()),
             kv("likely", "the address it was told leads nowhere from where it is"),
             kv("fix", "set advertised.listeners to an address that this client can reach"),
             kv("lines_suppressed", suppressed));
}

const std::shared_ptr<ProduceAnswers>& Session::produce_answers() {
    // A parked answer is held by itself too, until it is delivered.
    if (produce_answers_ == nullptr || produce_answers_.use_count() != 1) {
        produce_answers_ = std::make_shared<ProduceAnswers>();
    }
    return produce_answers_;
}

}  // namespace milena::server
