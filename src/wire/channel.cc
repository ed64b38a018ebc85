// SPDX-License-Identifier: Apache-2.0
// The life of a client's connection: one coroutine reads answers, one writes what is to be sent
// while there is something, and each call waits for its own answer.
#include "channel.h"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "milena/protocol/header.h"
#include "milena/protocol/messages/api_versions.h"

namespace milena::wire {
namespace {

constexpr std::size_t kLengthBytes = 4;
/// Memory taken ahead of the bytes of an answer.
constexpr std::size_t kReadBytesMax = std::size_t{1} << 20;
/// Calls that may wait on one connection.
constexpr std::size_t kCallsMax = 1024;
constexpr std::string_view kSoftwareName = "milena";

}  // namespace

Channel::Channel(env::Env& env, env::Executor owner, const ClientOptions& options,
                 std::unique_ptr<env::Stream> stream)
    : env_(env), owner_(owner), options_(options), stream_(std::move(stream)) {}

env::Task<Result<std::shared_ptr<Channel>>> Channel::open(env::Env& env, env::Executor owner,
                                                          const ClientOptions& options,
                                                          env::Endpoint endpoint,
                                                          env::Instant give_up) {
    CO_TRY(auto stream, co_await env.network().connect(std::move(endpoint), owner, give_up));
    const auto channel = std::make_shared<Channel>(env, owner, options, std::move(stream));
    env::spawn(owner, read_answers(channel));
    if (auto negotiated = co_await channel->negotiate(give_up); !negotiated) {
        channel->close(negotiated.error());
        co_return std::unexpected(negotiated.error());
    }
    co_return channel;
}

env::Task<Result<void>> Channel::negotiate(env::Instant give_up) {
    protocol::ApiVersionsRequest request;
    request.client_software_name = kSoftwareName;
    request.client_software_version = options_.software_version;
    const Outgoing outgoing{&request.kType, &request, &protocol::ApiVersionsResponse::kType};
    std::int16_t version =
        protocol::find_api(protocol::ApiVersionsRequest::kApiKey)->max_stable_version;
    // A node that is older than we are answers in version 0, and says which versions it has
    // (KIP-511).
    for (int attempt = 0;; ++attempt) {
        CO_TRY(const auto memory, co_await exchange(outgoing, version, give_up));
        const auto& answer = *static_cast<const protocol::ApiVersionsResponse*>(memory->message);
        const auto error = static_cast<ErrorCode>(answer.error_code);
        if (error != ErrorCode::none && (error != ErrorCode::unsupported_version || attempt != 0))
            co_return fail(error, "the node refuses ApiVersions");
        versions_.clear();
        for (const auto& range : answer.api_keys)
            versions_[range.api_key] = {range.min_version, range.max_version};
        if (error == ErrorCode::none) co_return ok();
        const auto known = versions_.find(protocol::ApiVersionsRequest::kApiKey);
        version = known == versions_.end() ? std::int16_t{0} : known->second.max;
        if (version < 0 || version > protocol::ApiVersionsRequest::kMaxVersion)
            co_return fail(error, "the node has no version of ApiVersions that we know");
    }
}

Result<std::int16_t> Channel::pick_version(const protocol::Api& api,
                                           std::int16_t version_max) const {
    const auto known = versions_.find(static_cast<std::int16_t>(api.key));
    const VersionRange theirs = known == versions_.end() ? VersionRange{} : known->second;
    const auto version =
        std::min({theirs.max, std::max(api.max_stable_version, api.min_version), version_max});
    if (version < std::max(theirs.min, api.min_version)) {
        return fail(ErrorCode::unsupported_version,
                    fmt::format("The node does not support {}", api.name));
    }
    return version;
}

env::Task<Result<std::unique_ptr<AnswerMemory>>> Channel::call(Outgoing outgoing,
                                                               env::Instant give_up) {
    CO_TRY(const std::int16_t version,
           pick_version(*protocol::find_api(outgoing.type->key), outgoing.version_max));
    co_return co_await exchange(outgoing, version, give_up);
}

env::Task<Result<std::unique_ptr<AnswerMemory>>> Channel::exchange(Outgoing outgoing,
                                                                   std::int16_t version,
                                                                   env::Instant give_up) {
    const auto self = shared_from_this();
    env::Wakeup wakeup(env_, owner_);
    const auto waiter = std::make_shared<Waiter>();
    waiter->wake = wakeup.handle();
    CO_TRY_VOID(enqueue(outgoing, version, waiter));
    while (!waiter->is_done) {
        if (!co_await wakeup.wait_until(give_up) && !waiter->is_done) {
            close({ErrorCode::request_timed_out,
                   fmt::format("{} did not answer in time", stream_->remote().text())});
        }
    }
    if (waiter->failure) co_return std::unexpected(*waiter->failure);
    if (outgoing.answer == nullptr) co_return nullptr;
    auto memory = std::make_unique<AnswerMemory>();
    memory->frame = std::move(waiter->frame);
    memory->version = version;
    const protocol::Api& api = *protocol::find_api(outgoing.type->key);
    const BytesView frame = memory->frame.bytes;
    ByteReader reader(frame);
    CO_TRY_VOID(protocol::read_response_head(api, version, reader));
    // A refused ApiVersions is the one answer in another version than its request.
    const bool is_refusal = api.key == protocol::ApiKey::api_versions && reader.remaining() >= 2 &&
                            load<std::int16_t>(frame.data() + reader.position()) ==
                                static_cast<std::int16_t>(ErrorCode::unsupported_version);
    memory->message = protocol::make_message(*outgoing.answer, memory->arena);
    CO_TRY_VOID(protocol::decode_message(*outgoing.answer, reader,
                                         is_refusal ? std::int16_t{0} : version, memory->arena,
                                         memory->message));
    co_return memory;
}

Result<void> Channel::enqueue(const Outgoing& outgoing, std::int16_t version,
                              const std::shared_ptr<Waiter>& waiter) {
    if (closed_) return std::unexpected(closed_why_);
    if (answering_.size() + sending_.size() >= kCallsMax)
        return fail(ErrorCode::throttling_quota_exceeded, "too many calls on one connection");
    const protocol::Api& api = *protocol::find_api(outgoing.type->key);
    protocol::RequestHeader header;
    header.request_api_key = outgoing.type->key;
    header.request_api_version = version;
    header.correlation_id = waiter->correlation_id = ++correlation_id_;
    header.client_id = options_.client_id;
    TRY(const std::size_t body,
        protocol::encoded_message_size(*outgoing.type, outgoing.message, version));
    const std::size_t head = protocol::request_head_size(api, header);
    const std::size_t at = unsent_.size();
    unsent_.resize(at + kLengthBytes + head + body);
    ByteWriter writer(MutableBytes(unsent_).subspan(at));
    writer.write(static_cast<std::int32_t>(head + body));
    protocol::write_request_head(api, header, writer);
    protocol::write_message(*outgoing.type, outgoing.message, version, writer, nullptr);
    if (outgoing.answer == nullptr) {
        sending_.push_back(waiter);
    } else {
        answering_.push_back(waiter);
    }
    if (!writing_) {
        writing_ = true;
        env::spawn(owner_, write_requests(shared_from_this()));
    }
    return ok();
}

env::Task<void> Channel::write_requests(std::shared_ptr<Channel> self) {
    while (!self->closed_ && !self->unsent_.empty()) {
        const std::vector<std::byte> bytes = std::exchange(self->unsent_, {});
        const std::deque<std::shared_ptr<Waiter>> sending = std::exchange(self->sending_, {});
        const BytesView piece(bytes);
        auto written = co_await self->stream_->write(std::span(&piece, 1));
        for (const auto& waiter : sending) {
            if (!written) waiter->failure = written.error();
            finish(*waiter);
        }
        if (!written) self->close(written.error());
    }
    self->writing_ = false;
}

env::Task<void> Channel::read_answers(std::shared_ptr<Channel> self) {
    while (!self->closed_) {
        auto frame = co_await self->read_frame();
        if (!frame) {
            self->close(frame.error());
            co_return;
        }
        if (auto delivered = self->deliver(*std::move(frame)); !delivered)
            self->close(delivered.error());
    }
}

env::Task<Result<AnswerFrame>> Channel::read_frame() {
    CO_TRY_VOID(co_await read_until(kLengthBytes));
    const auto length = load<std::uint32_t>(incoming_.memory.get());
    if (length < kLengthBytes || length > options_.frame_bytes_max) {
        co_return fail(ErrorCode::corrupt_message, fmt::format("an answer of {} bytes from {}",
                                                               length, stream_->remote().text()));
    }
    CO_TRY_VOID(co_await read_until(kLengthBytes + length));
    co_return take_frame(kLengthBytes + length);
}

/// Until so many bytes are there. Memory grows with what comes, not with what is announced.
env::Task<Result<void>> Channel::read_until(std::size_t size) {
    Incoming& in = incoming_;
    while (in.size < size) {
        if (in.size == in.capacity || in.capacity == 0) {
            in.capacity = std::min(size, std::max(in.size * 2, kReadBytesMax));
            auto memory = std::make_unique_for_overwrite<std::byte[]>(in.capacity);
            std::copy_n(in.memory.get(), in.size, memory.get());
            in.memory = std::move(memory);
        }
        CO_TRY(const std::size_t count, co_await stream_->read_some(MutableBytes(
                                            in.memory.get() + in.size, in.capacity - in.size)));
        if (count == 0) {
            co_return fail(ErrorCode::network_exception,
                           fmt::format("{} closed the connection", stream_->remote().text()));
        }
        in.size += count;
    }
    co_return ok();
}

/// The first `size` bytes; those behind them are the beginning of the next answer.
AnswerFrame Channel::take_frame(std::size_t size) {
    Incoming taken = std::exchange(incoming_, {});
    const std::size_t behind = taken.size - size;
    incoming_.capacity = std::max(behind, std::min(size, kReadBytesMax));
    incoming_.memory = std::make_unique_for_overwrite<std::byte[]>(incoming_.capacity);
    std::copy_n(taken.memory.get() + size, behind, incoming_.memory.get());
    incoming_.size = behind;
    const BytesView bytes(taken.memory.get() + kLengthBytes, size - kLengthBytes);
    return {std::move(taken.memory), bytes};
}

Result<void> Channel::deliver(AnswerFrame frame) {
    if (answering_.empty()) return fail(ErrorCode::corrupt_message, "an answer without a request");
    const std::shared_ptr<Waiter> waiter = answering_.front();
    if (load<std::int32_t>(frame.bytes.data()) != waiter->correlation_id)
        return fail(ErrorCode::corrupt_message, "an answer to another request");
    answering_.pop_front();
    waiter->frame = std::move(frame);
    finish(*waiter);
    return ok();
}

void Channel::finish(Waiter& waiter) {
    waiter.is_done = true;
    waiter.wake();
}

void Channel::close(Error why) {
    if (closed_) return;
    closed_ = true;
    closed_why_ = std::move(why);
    stream_->close();
    for (auto* const waiters : {&answering_, &sending_}) {
        for (const auto& waiter : std::exchange(*waiters, {})) {
            waiter->failure = closed_why_;
            finish(*waiter);
        }
    }
}

}  // namespace milena::wire
