// SPDX-License-Identifier: Apache-2.0
// A client for tests: one connection, messages as structs. Several requests may be sent before
// their answers are read, in order. It works over any env, so also in a simulated world.
#pragma once

#include <memory>
#include <vector>

#include "milena/env/env.h"
#include "milena/protocol/codec.h"
#include "milena/protocol/header.h"

namespace milena::support {

class Client {
public:
    explicit Client(std::unique_ptr<env::Stream> stream) : stream_(std::move(stream)) {}

    static env::Task<Result<std::unique_ptr<Client>>> connect(env::Env& env, env::Executor owner,
                                                              env::Endpoint to) {
        CO_TRY(auto stream, co_await env.network().connect(to, owner));
        co_return std::make_unique<Client>(std::move(stream));
    }

    /// The answer views memory that lasts until the next call.
    template <class Response, class Request>
    env::Task<Result<Response>> call(const Request& request, std::int16_t version) {
        CO_TRY_VOID(co_await send(request, version));
        CO_TRY(auto frame, co_await receive());
        co_return read<Response>(frame, version);
    }

    template <class Request>
    env::Task<Result<void>> send(const Request& request, std::int16_t version) {
        const protocol::Api& api = *protocol::find_api(Request::kApiKey);
        protocol::RequestHeader header;
        header.request_api_key = Request::kApiKey;
        header.request_api_version = version;
        header.correlation_id = ++correlation_id_;
        header.client_id = "test";
        CO_TRY(const std::size_t body, protocol::encoded_size(request, version));
        const std::size_t head = protocol::request_head_size(api, header);
        std::vector<std::byte> frame(4 + head + body);
        ByteWriter writer(frame);
        writer.write(static_cast<std::int32_t>(head + body));
        protocol::write_request_head(api, header, writer);
        protocol::write(request, version, writer);
        co_return co_await send_bytes(frame);
    }
    env::Task<Result<void>> send_bytes(BytesView bytes) {
        co_return co_await stream_->write(std::span(&bytes, 1));
    }

    /// Whoever waits for an answer gets an error.
    void close() { stream_->close(); }

    /// One frame without its length; an error if the connection ends before it is whole.
    env::Task<Result<BytesView>> receive() {
        CO_TRY_VOID(co_await fill(4));
        const auto size = load<std::uint32_t>(received_.data());
        received_.clear();
        CO_TRY_VOID(co_await fill(size));
        frame_ = std::exchange(received_, {});
        co_return BytesView(frame_);
    }

    template <class Response>
    Result<Response> read(BytesView frame, std::int16_t version) {
        arena_.reset();
        ByteReader reader(frame);
        TRY(const auto header,
            protocol::read_response_head(*protocol::find_api(Response::kApiKey), version, reader));
        if (header.correlation_id != ++answered_)
            return fail(ErrorCode::corrupt_message, "wrong correlation id");
        return protocol::decode<Response>(reader, version, arena_);
    }

private:
    env::Task<Result<void>> fill(std::size_t size) {
        received_.resize(size);
        std::size_t have = 0;
        while (have < size) {
            CO_TRY(const std::size_t count,
                   co_await stream_->read_some(MutableBytes(received_).subspan(have)));
            if (count == 0)
                co_return fail(ErrorCode::network_exception, "the connection has ended");
            have += count;
        }
        co_return ok();
    }

    std::unique_ptr<env::Stream> stream_;
    protocol::Arena arena_;
    std::vector<std::byte> received_;
    std::vector<std::byte> frame_;
    std::int32_t correlation_id_ = 0;  ///< of the last request
    std::int32_t answered_ = 0;        ///< of the last answer that was read
};

}  // namespace milena::support
