// SPDX-License-Identifier: Apache-2.0
// A simulated machine's port at which frames are read and answered one after the other, without the
// server module: what is answered is the test's.
#pragma once

#include <gtest/gtest.h>

#include "milena/protocol/codec.h"
#include "milena/protocol/header.h"
#include "milena/protocol/messages/api_versions.h"
#include "sim/node.h"
#include "support/streams.h"

namespace milena::drivers {

class FrameListener {
public:
    FrameListener(sim::Node& node, std::uint16_t port) : node_(node), port_(port) {}
    virtual ~FrameListener() = default;
    FrameListener(const FrameListener&) = delete;
    FrameListener& operator=(const FrameListener&) = delete;

protected:
    using Frame = std::vector<std::byte>;

    /// Begins to listen; when whoever answers is made.
    void listen() { env::spawn(node_.control(), serve()); }
    /// A whole frame; nothing is sent if it is empty.
    virtual env::Task<Frame> answer(const protocol::RequestHead& head, BytesView body) = 0;

    /// What this build knows, and `features`, where the version has them.
    static Frame versions(
        const protocol::RequestHead& head,
        std::span<const protocol::ApiVersionsResponse::SupportedFeatureKey> features = {}) {
        protocol::ApiVersionsResponse response;
        std::vector<protocol::ApiVersionsResponse::ApiVersion> keys;
        for (const protocol::Api& api : protocol::apis()) {
            keys.push_back(
                {static_cast<std::int16_t>(api.key), api.min_version, api.max_stable_version});
        }
        response.api_keys = keys;
        if (head.version() >= 4) response.supported_features = features;
        return framed(head, response);
    }

    template <class Response>
    static Frame framed(const protocol::RequestHead& head, const Response& response) {
        const auto body = protocol::encode(response, head.version());
        EXPECT_TRUE(body) << body.error().why;
        const std::size_t size = protocol::response_head_size(*head.api, head.version());
        Frame frame(4 + size + body->size());
        ByteWriter writer(frame);
        writer.write(static_cast<std::int32_t>(size + body->size()));
        protocol::write_response_head(*head.api, head.version(), head.header.correlation_id,
                                      writer);
        writer.write_bytes(*body);
        return frame;
    }

private:
    env::Task<void> serve() {
        const auto acceptor = node_.network().listen({"", port_}, node_.control());
        while (auto stream = co_await (*acceptor)->accept(node_.control()))
            env::spawn(node_.control(), talk(*std::move(stream)));
    }

    env::Task<void> talk(std::unique_ptr<env::Stream> stream) {
        for (;;) {
            const auto size = co_await support::read_exactly(*stream, 4);
            if (size.size() < 4) co_return;
            const auto frame =
                co_await support::read_exactly(*stream, load<std::uint32_t>(size.data()));
            ByteReader reader(frame);
            const auto head = protocol::read_request_head(reader);
            if (!head) co_return;
            const auto reply = co_await answer(*head, BytesView(frame).subspan(reader.position()));
            if (reply.empty()) continue;
            const BytesView piece(reply);
            if (!co_await stream->write(std::span(&piece, 1))) co_return;
        }
    }

    sim::Node& node_;
    const std::uint16_t port_;
};

}  // namespace milena::drivers
