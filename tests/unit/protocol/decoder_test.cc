// SPDX-License-Identifier: Apache-2.0
// What a peer may and may not send: lengths, nulls and tag sections, byte by byte. What is accepted
// was tried on Kafka 4.4's own decoders.
#include <gtest/gtest.h>

#include "milena/protocol/codec.h"
#include "milena/protocol/messages/describe_topic_partitions.h"
#include "milena/protocol/messages/fetch.h"
#include "milena/protocol/messages/metadata.h"
#include "milena/protocol/messages/produce.h"

namespace milena::protocol {

namespace {

class DecoderTest : public testing::Test {
protected:
    /// Bytes of the hex text; spaces are for the reader.
    BytesView hex(std::string_view text) {
        bytes_.clear();
        std::string digits;
        for (const char digit : text) {
            if (digit != ' ') digits += digit;
            if (digits.size() < 2) continue;
            bytes_.push_back(static_cast<std::byte>(std::stoi(digits, nullptr, 16)));
            digits.clear();
        }
        return bytes_;
    }
    template <class T>
    Result<T> decoded(std::string_view text, std::int16_t version) {
        return decode<T>(hex(text), version, arena_);
    }
    template <class T>
    std::string refusal(std::string_view text, std::int16_t version) {
        const auto message = decoded<T>(text, version);
        if (message.has_value()) return "decoded";
        EXPECT_EQ(message.error().code, ErrorCode::invalid_request);
        return message.error().why;
    }
    /// A Fetch request of version 15 with these tags behind its fields.
    static std::string fetch(std::string_view tags) {
        return "00000001 00000001 00000001 00 00000000 00000000 01 01 01 " + std::string(tags);
    }

    Arena arena_;
    std::vector<std::byte> bytes_;
};

TEST_F(DecoderTest, ReadsTaggedFields) {
    const auto request =
        decoded<FetchRequest>(fetch("02  00 02 02 41  01 0d 00000005 0000000000000007 00"), 15);
    ASSERT_TRUE(request.has_value()) << request.error().why;
    EXPECT_EQ(request->cluster_id, "A");
    EXPECT_EQ(request->replica_state.replica_id, 5);
    EXPECT_EQ(request->replica_state.replica_epoch, 7);
}

TEST_F(DecoderTest, TakesTagsInAnyOrder) {
    const auto request =
        decoded<FetchRequest>(fetch("02  01 0d 00000005 0000000000000007 00  00 02 02 41"), 15);
    ASSERT_TRUE(request.has_value()) << request.error().why;
    EXPECT_EQ(request->cluster_id, "A");
    EXPECT_EQ(request->replica_state.replica_id, 5);
}

TEST_F(DecoderTest, TakesTheLastOfARepeatedTag) {
    const auto request = decoded<FetchRequest>(fetch("02  00 02 02 41  00 02 02 42"), 15);
    ASSERT_TRUE(request.has_value()) << request.error().why;
    EXPECT_EQ(request->cluster_id, "B");
}

TEST_F(DecoderTest, SkipsTagsThatItDoesNotKnow) {
    const auto request =
        decoded<FetchRequest>(fetch("03  05 01 aa  00 02 02 41  ffff03 02 bbbb"), 15);
    ASSERT_TRUE(request.has_value()) << request.error().why;
    EXPECT_EQ(request->cluster_id, "A");
}

TEST_F(DecoderTest, SkipsATagOfALaterVersion) {
    // Tag 1, the replica state, came with version 15.
    const std::string tags = "01  01 0d 00000005 0000000000000007 00";
    const auto request = decoded<FetchRequest>(
        "ffffffff 00000001 00000001 00000001 00 00000000 00000000 01 01 01 " + tags, 14);
    ASSERT_TRUE(request.has_value()) << request.error().why;
    EXPECT_EQ(request->replica_state.replica_id, -1);
}

TEST_F(DecoderTest, RefusesATagThatDoesNotFillItsSize) {
    EXPECT_EQ(refusal<FetchRequest>(fetch("01  00 03 02 41 00"), 15),
              "FetchRequest version 15 in 30 bytes is malformed at a tag section");
    EXPECT_NE(refusal<FetchRequest>(fetch("01  00 01 02 41"), 15), "decoded");
}

TEST_F(DecoderTest, RefusesATagThatIsLongerThanTheBytesAtHand) {
    EXPECT_NE(refusal<FetchRequest>(fetch("01  05 7f 00"), 15), "decoded");
    EXPECT_NE(refusal<FetchRequest>(fetch("01  05 ffffffff0f 00"), 15), "decoded");
}

TEST_F(DecoderTest, BoundsTheTagsOfASection) {
    const auto section = [](std::size_t count) {
        std::string tags;  // empty ones, all with tag 5
        for (std::size_t i = 0; i < count; ++i) tags += "0500";
        const char digits[] = "0123456789abcdef";
        const auto low = (count & 0x7F) | 0x80;
        const auto high = count >> 7;
        return fetch(
            std::string{digits[low >> 4], digits[low & 15], digits[high >> 4], digits[high & 15]} +
            tags);
    };
    EXPECT_TRUE(decoded<FetchRequest>(section(kTagsMax), 15).has_value());
    EXPECT_FALSE(decoded<FetchRequest>(section(kTagsMax + 1), 15).has_value());
}

TEST_F(DecoderTest, TakesNoMemoryForACountBeyondTheBytesAtHand) {
    // A topic of Fetch takes 3 bytes in its shortest version; 4 are claimed in 11. And many.
    const std::string fields = "ffffffff 00000001 00000001 00000001 00 00000000 00000000 ";
    EXPECT_EQ(refusal<FetchRequest>(fields + "00000004 " + std::string(22, '0'), 7),
              "FetchRequest version 7 in 40 bytes is malformed at Topics");
    EXPECT_NE(refusal<FetchRequest>(fields + "7fffffff " + std::string(22, '0'), 7), "decoded");
    EXPECT_EQ(arena_.bytes_used(), 0U);
}

TEST_F(DecoderTest, BoundsTheElementsOfAnArray) {
    // Topic names of one byte each would fit the frame.
    const auto request = [](std::uint32_t count) {
        std::vector<std::byte> bytes(4 + 2UZ * count);
        store(bytes.data(), count);
        return bytes;
    };
    Arena arena(kArrayElementsMax * sizeof(MetadataRequest::MetadataRequestTopic));
    EXPECT_TRUE(decode<MetadataRequest>(request(kArrayElementsMax), 0, arena).has_value());
    arena.reset();
    EXPECT_FALSE(decode<MetadataRequest>(request(kArrayElementsMax + 1), 0, arena).has_value());
}

TEST_F(DecoderTest, StaysWithinTheBoundOfItsArena) {
    const auto topics = arena_.make_array<MetadataRequest::MetadataRequestTopic>(100);
    for (auto& topic : topics) topic.name = "t";
    const auto bytes = encode(MetadataRequest{.topics = topics}, 9).value();
    Arena enough(topics.size_bytes());
    EXPECT_TRUE(decode<MetadataRequest>(bytes, 9, enough).has_value());
    EXPECT_FALSE(decode<MetadataRequest>(bytes, 9, enough).has_value());  // a second time
    enough.reset();
    EXPECT_TRUE(decode<MetadataRequest>(bytes, 9, enough).has_value());
    Arena small(topics.size_bytes() - 1);
    EXPECT_FALSE(decode<MetadataRequest>(bytes, 9, small).has_value());
    EXPECT_EQ(small.bytes_used(), 0U);
}

TEST_F(DecoderTest, RefusesANullWhereTheVersionKnowsNone) {
    EXPECT_EQ(
        refusal<FetchRequest>("00000001 00000001 00000001 00 00000000 00000000 00 01 01 00", 15),
        "FetchRequest version 15 in 25 bytes is malformed at Topics");
    EXPECT_EQ(refusal<MetadataRequest>("ffffffff", 0),
              "MetadataRequest version 0 in 4 bytes is malformed at Topics");
    EXPECT_EQ(refusal<MetadataRequest>("00000001 ffff", 1),
              "MetadataRequest version 1 in 6 bytes is malformed at Name");
}

TEST_F(DecoderTest, TakesAnyNegativeClassicLengthForNull) {
    const auto request = decoded<MetadataRequest>("fffffffe", 1);
    ASSERT_TRUE(request.has_value()) << request.error().why;
    EXPECT_FALSE(request->topics.has_value());
}

TEST_F(DecoderTest, TellsNullFromEmpty) {
    EXPECT_FALSE(decoded<MetadataRequest>("ffffffff", 1)->topics.has_value());
    EXPECT_TRUE(decoded<MetadataRequest>("00000000", 1)->topics.has_value());
    EXPECT_FALSE(decoded<ProduceRequest>("ffff 0001 00000001 00000000", 3)->transactional_id);
    EXPECT_TRUE(decoded<ProduceRequest>("0000 0001 00000001 00000000", 3)->transactional_id);
    EXPECT_FALSE(decoded<ProduceRequest>("00 0001 00000001 01 00", 9)->transactional_id);
    EXPECT_TRUE(decoded<ProduceRequest>("01 0001 00000001 01 00", 9)->transactional_id);
}

TEST_F(DecoderTest, ReadsThePresenceOfAStruct) {
    const std::string request = "01 00000005 ";
    for (const char* const absent : {"ff", "80"}) {
        const auto decoding = decoded<DescribeTopicPartitionsRequest>(request + absent + "00", 0);
        ASSERT_TRUE(decoding.has_value()) << decoding.error().why;
        EXPECT_FALSE(decoding->cursor.has_value());
    }
    for (const char* const present : {"00", "01", "7f"}) {
        const auto decoding =
            decoded<DescribeTopicPartitionsRequest>(request + present + "02 41 00000003 00 00", 0);
        ASSERT_TRUE(decoding.has_value()) << decoding.error().why;
        EXPECT_EQ(decoding->cursor->partition_index, 3);
    }
}

TEST_F(DecoderTest, RefusesAStringThatIsTooLong) {
    std::vector<std::byte> bytes(40'000);
    ByteWriter writer(bytes);
    writer.write_unsigned_varint(kStringBytesMax + 2);  // of a transactional id, plus one
    EXPECT_FALSE(decode<ProduceRequest>(bytes, 9, arena_).has_value());
    ByteWriter(bytes).write_unsigned_varint(kStringBytesMax + 1);
    EXPECT_TRUE(decode<ProduceRequest>(bytes, 9, arena_).error().why.ends_with("TopicData"));
}

TEST_F(DecoderTest, TakesAnyByteButZeroForTrue) {
    const auto request = decoded<MetadataRequest>("ffffffff 02 00 ff", 8);
    ASSERT_TRUE(request.has_value()) << request.error().why;
    EXPECT_TRUE(request->allow_auto_topic_creation);
    EXPECT_FALSE(request->include_cluster_authorized_operations);
    EXPECT_TRUE(request->include_topic_authorized_operations);
}

TEST_F(DecoderTest, KeepsTextThatIsNoUtf8AsItIs) {
    EXPECT_EQ(decoded<MetadataRequest>("00000001 0002 fffe", 0)->topics[0].name, "\xFF\xFE");
}

}  // namespace

}  // namespace milena::protocol
