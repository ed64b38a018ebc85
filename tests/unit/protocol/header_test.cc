// SPDX-License-Identifier: Apache-2.0
// Headers of requests and responses, for every API and version.
#include "milena/protocol/header.h"

#include <gtest/gtest.h>

namespace milena::protocol {

namespace {

std::vector<std::byte> request_head(const Api& api, const RequestHeader& header) {
    std::vector<std::byte> bytes(request_head_size(api, header));
    ByteWriter writer(bytes);
    write_request_head(api, header, writer);
    EXPECT_EQ(writer.remaining(), 0U);
    return bytes;
}

RequestHeader header_of(std::int16_t key, std::int16_t version, NullableString client_id) {
    return {.request_api_key = key,
            .request_api_version = version,
            .correlation_id = 77,
            .client_id = client_id};
}

TEST(RequestHead, ReadsBackWhatItWrote) {
    for (const Api& api : apis()) {
        for (std::int16_t version = api.min_version; version <= api.max_version; ++version) {
            const auto header = header_of(static_cast<std::int16_t>(api.key), version, "client");
            std::vector<std::byte> bytes = request_head(api, header);
            const std::size_t size = bytes.size();
            bytes.resize(size + 3);  // the body
            ByteReader frame(bytes);
            const auto head = read_request_head(frame);
            ASSERT_TRUE(head.has_value()) << head.error().why;
            EXPECT_EQ(head->api, &api);
            EXPECT_EQ(head->header, header);
            EXPECT_TRUE(head->has_supported_version());
            EXPECT_EQ(frame.remaining(), 3U);
        }
    }
}

TEST(RequestHead, HasNoClientIdIfItIsNull) {
    const auto bytes = request_head(*find_api(0), header_of(0, 9, std::nullopt));
    ByteReader frame(bytes);
    EXPECT_FALSE(read_request_head(frame)->header.client_id.has_value());
}

TEST(RequestHead, KeepsTheClassicClientIdInFlexibleVersions) {
    // key, version, correlation id, int16 length, "c", no tags
    const std::vector<std::byte> bytes = request_head(*find_api(0), header_of(0, 9, "c"));
    EXPECT_EQ(bytes.size(), 2U + 2 + 4 + 2 + 1 + 1);
}

TEST(RequestHead, IsReadForAVersionThatTheApiDoesNotHave) {
    // ApiVersions answers it (KIP-511), so the correlation id must be found.
    const auto bytes = request_head(*find_api(18), header_of(18, 99, "c"));
    ByteReader frame(bytes);
    const auto head = read_request_head(frame);
    ASSERT_TRUE(head.has_value()) << head.error().why;
    EXPECT_FALSE(head->has_supported_version());
    EXPECT_EQ(head->header.correlation_id, 77);
}

TEST(RequestHead, RefusesWhatItCanNotName) {
    const auto code = [](std::int16_t key, std::int16_t version) {
        std::vector<std::byte> bytes(20);
        ByteWriter writer(bytes);
        writer.write(key);
        writer.write(version);
        ByteReader frame(bytes);
        const auto head = read_request_head(frame);
        return head.has_value() ? ErrorCode::none : head.error().code;
    };
    EXPECT_EQ(code(0, 9), ErrorCode::none);
    EXPECT_EQ(code(4, 0), ErrorCode::invalid_request);
    EXPECT_EQ(code(1000, 0), ErrorCode::invalid_request);
    EXPECT_EQ(code(-1, 0), ErrorCode::invalid_request);
    EXPECT_EQ(code(0, -1), ErrorCode::invalid_request);
    EXPECT_EQ(code(18, -1), ErrorCode::none) << "ApiVersions is answered whatever its version";
}

TEST(RequestHead, FailsOnEveryPrefix) {
    const auto bytes = request_head(*find_api(0), header_of(0, 9, "client"));
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        ByteReader frame(BytesView(bytes).first(size));
        EXPECT_FALSE(read_request_head(frame).has_value()) << size;
    }
}

TEST(ResponseHead, ReadsBackWhatItWrote) {
    for (const Api& api : apis()) {
        for (std::int16_t version = api.min_version; version <= api.max_version; ++version) {
            std::vector<std::byte> bytes(response_head_size(api, version));
            ByteWriter writer(bytes);
            write_response_head(api, version, 78, writer);
            EXPECT_EQ(writer.remaining(), 0U);
            ByteReader frame(bytes);
            EXPECT_EQ(read_response_head(api, version, frame)->correlation_id, 78);
            EXPECT_EQ(frame.remaining(), 0U);
        }
    }
}

}  // namespace

}  // namespace milena::protocol
