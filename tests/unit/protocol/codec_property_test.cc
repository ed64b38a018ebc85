// SPDX-License-Identifier: Apache-2.0
// Laws of the codec that hold for every message and version, tried on invented messages.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "milena/protocol/codec.h"
#include "random_message.h"

namespace milena::protocol {

namespace {

void expect_round_trip(const MessageType& type, std::int16_t version, std::uint64_t seed) {
    SCOPED_TRACE(testing::Message() << type.name << " version " << version << " seed " << seed);
    Arena arena;
    const void* const message = random_message(type, version, seed, arena);
    std::vector<std::byte> bytes;
    const Result<void> encoded = append_message(type, message, version, bytes, nullptr);
    ASSERT_TRUE(encoded.has_value()) << encoded.error().why;

    ByteReader reader(bytes);
    void* const again = make_message(type, arena);
    const Result<void> decoded = decode_message(type, reader, version, arena, again);
    ASSERT_TRUE(decoded.has_value()) << decoded.error().why;
    EXPECT_EQ(reader.remaining(), 0U);
    EXPECT_TRUE(messages_equal(type, message, again));
}

TEST(CodecProperty, DecodesEveryMessageThatItEncodes) {
    for (const MessageType* type : message_types()) {
        for (std::int16_t version = type->min_version; version <= type->max_version; ++version) {
            for (std::uint64_t seed = 0; seed < 10; ++seed) expect_round_trip(*type, version, seed);
        }
    }
}

RC_GTEST_PROP(CodecProperty, DecodesAnyMessageThatItEncodes, (std::uint64_t seed)) {
    const auto type = *rc::gen::elementOf(
        std::vector<const MessageType*>(message_types().begin(), message_types().end()));
    const auto version =
        *rc::gen::inRange<int>(type->min_version, static_cast<int>(type->max_version) + 1);
    expect_round_trip(*type, static_cast<std::int16_t>(version), seed);
}

/// Flips, cuts and doubles bytes of a valid message.
std::vector<std::byte> damaged(std::vector<std::byte> bytes) {
    const auto damages = *rc::gen::inRange(1, 6);
    for (int i = 0; i < damages && !bytes.empty(); ++i) {
        const auto at = *rc::gen::inRange<std::size_t>(0, bytes.size());
        bytes[at] = static_cast<std::byte>(*rc::gen::arbitrary<std::uint8_t>());
    }
    return bytes;
}

RC_GTEST_PROP(CodecProperty, ReencodesWhateverItDecodes, (std::uint64_t seed)) {
    // What a damaged message decodes to, if it does, is a message like any other: its encoding
    // decodes to the same encoding.
    const auto type = *rc::gen::elementOf(
        std::vector<const MessageType*>(message_types().begin(), message_types().end()));
    const std::int16_t version = type->max_version;
    Arena arena;
    std::vector<std::byte> bytes;
    const void* const message = random_message(*type, version, seed, arena);
    RC_ASSERT(append_message(*type, message, version, bytes, nullptr).has_value());
    bytes = damaged(std::move(bytes));

    ByteReader reader(bytes);
    void* const first = make_message(*type, arena);
    if (!decode_message(*type, reader, version, arena, first).has_value()) return;
    std::vector<std::byte> once;
    RC_ASSERT(append_message(*type, first, version, once, nullptr).has_value());
    ByteReader again(once);
    void* const second = make_message(*type, arena);
    RC_ASSERT(decode_message(*type, again, version, arena, second).has_value());
    std::vector<std::byte> twice;
    RC_ASSERT(append_message(*type, second, version, twice, nullptr).has_value());
    RC_ASSERT(once == twice);
}

}  // namespace

}  // namespace milena::protocol
