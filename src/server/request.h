// SPDX-License-Identifier: Apache-2.0
// One request while it is served, and the two things every handler does with it: decode the body
// and write the answer.
#pragma once

#include <optional>
#include <type_traits>

#include <fmt/format.h>

#include "error_text.h"
#include "milena/protocol/codec.h"
#include "milena/protocol/header.h"
#include "session.h"

namespace milena::server {

struct Request {
    Session& session;
    wire::Connection& connection;
    protocol::Arena& arena;
    MutableBytes frame;
    const protocol::RequestHead& head;
    /// The body, to its end.
    BytesView body;
    env::Instant received;
    /// It came inside another request, from a broker that has looked at it; its answer goes here
    /// and not to the connection.
    wire::Output* answer_into = nullptr;
    /// Nobody is asked any more: every question to the controller has this answer.
    std::optional<Error> refusal{};
    /// The controller was asked, and is not here or was lost: another may be able to answer.
    bool has_lost_controller = false;

    bool is_inside() const { return answer_into != nullptr; }
    std::int16_t version() const { return head.version(); }
    std::int32_t correlation_id() const { return head.header.correlation_id; }
    const Broker& broker() const { return session.broker(); }
    env::Instant deadline(std::int32_t timeout_ms) const {
        return received + std::chrono::milliseconds(std::max(timeout_ms, 0));
    }
};

/// While it lives the request waits for others: replicas, records, a controller. That counts as
/// Kafka's RemoteTimeMs.
class Waiting {
public:
    explicit Waiting(const Request& request)
        : request_(request), since_(request.connection.env().clock().now()) {}
    ~Waiting() {
        request_.connection.replies().note_wait(request_.connection.env().clock().now() - since_);
    }
    Waiting(const Waiting&) = delete;
    Waiting& operator=(const Waiting&) = delete;

private:
    const Request& request_;
    const env::Instant since_;
};

/// The body as a T. INVALID_REQUEST, which closes the connection, if it is not one. Bytes behind it
/// are ignored, as Apache Kafka does.
template <class T>
Result<T> decode_body(const Request& request) {
    auto body = protocol::decode<T>(request.body, request.version(), request.arena);
    if (!body) return fail_at(T::kName, std::move(body).error());
    return body;
}

/// The files that a body names as external records, and memory for their places in it.
struct AnswerFiles {
    std::span<const replication::FileRange> ranges;
    std::vector<protocol::Splice>& splices;
};

/// Writes an answer frame: size, header, body.
template <class T>
Result<void> encode_answer(wire::Output& output, std::int16_t version, std::int32_t correlation_id,
                           const T& body, const AnswerFiles* files = nullptr) {
    const protocol::Api& api = *protocol::find_api(T::kApiKey);
    const std::size_t head_size = protocol::response_head_size(api, version);
    TRY(const std::size_t body_size, protocol::encoded_size(body, version));
    std::uint64_t size = head_size + body_size;
    if (files != nullptr) {
        for (const auto& file : files->ranges) size += file.length;
    }
    if (size > INT32_MAX) {
        return fail(ErrorCode::unknown_server_error,
                    fmt::format("answer of {} bytes does not fit a frame", size));
    }
    const std::size_t frame_at = output.bytes().size();
    ByteWriter writer(output.extend(sizeof(std::int32_t) + head_size + body_size));
    writer.write(static_cast<std::int32_t>(size));
    protocol::write_response_head(api, version, correlation_id, writer);
    protocol::write(body, version, writer, files == nullptr ? nullptr : &files->splices);
    if (files == nullptr) return ok();
    for (const auto& splice : files->splices) {
        const auto& file = files->ranges[splice.index];
        output.add_file_at(frame_at + splice.position, file.file, file.position, file.length);
    }
    return ok();
}

/// Answers the request at once, in its place, in the layout of `version`.
template <class T>
Result<void> answer(Request& request, const T& body, std::int16_t version,
                    const AnswerFiles* files = nullptr) {
    if (request.is_inside()) {
        return encode_answer(*request.answer_into, version, request.correlation_id(), body, files);
    }
    auto& slot = request.connection.replies().open();
    TRY_VOID(encode_answer(slot.output, version, request.correlation_id(), body, files));
    request.connection.replies().mark_done(slot);
    return ok();
}
template <class T>
Result<void> answer(Request& request, const T& body) {
    return answer(request, body, request.version());
}

/// Until this node shows the change that it answers for. One that came inside another request is
/// shown by the broker that has passed it on.
inline env::Task<void> show_change(const Request& request, env::Instant deadline) {
    if (request.is_inside()) co_return;
    const Waiting waiting(request);
    co_await request.broker().image.catch_up(request.connection.owner(), deadline);
}

/// `call(gateway)` of this node's controller, for a request that is the controller's to decide.
template <class Call>
std::invoke_result_t<Call&, controller::Gateway&> ask_controller(Request& request, Call call) {
    if (request.refusal) co_return std::unexpected(*request.refusal);
    const Waiting waiting(request);
    auto reply = co_await call(request.broker().controller);
    if (!reply && reply.error().code == ErrorCode::not_controller)
        request.has_lost_controller = true;
    co_return reply;
}

}  // namespace milena::server
