// SPDX-License-Identifier: Apache-2.0
// Every message and version against bytes that Apache Kafka 4.4 wrote.
#include "milena/protocol/codec.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "json_reader.h"
#include "milena/protocol/messages/create_topics.h"
#include "milena/protocol/messages/fetch.h"
#include "milena/protocol/messages/metadata.h"
#include "milena/protocol/messages/produce.h"
#include "wire_vectors.h"

namespace milena::protocol {

namespace {

/// The message at the front of `reader`, in the arena.
Result<void*> decoded(const MessageType& type, std::int16_t version, ByteReader& reader,
                      Arena& arena) {
    void* const message = make_message(type, arena);
    TRY_VOID(decode_message(type, reader, version, arena, message));
    return message;
}

Result<std::vector<std::byte>> encoded(const MessageType& type, std::int16_t version,
                                       const void* message) {
    std::vector<std::byte> bytes;
    TRY_VOID(append_message(type, message, version, bytes, nullptr));
    return bytes;
}

TEST(Codec, HasAVectorForEveryMessageAndVersion) {
    std::set<std::pair<std::string_view, std::int16_t>> seen;
    for (const WireVector& vector : wire_vectors()) seen.emplace(vector.type->name, vector.version);
    std::size_t expected = 0;
    for (const MessageType* type : message_types()) {
        // What Kafka does not have it has not written.
        if (std::string_view(type->name).starts_with("Milena")) continue;
        for (std::int16_t version = type->min_version; version <= type->max_version; ++version) {
            ++expected;
            EXPECT_TRUE(seen.contains({type->name, version}))
                << type->name << " version " << version;
        }
    }
    EXPECT_EQ(seen.size(), expected);
    EXPECT_EQ(wire_vectors().size(), 1484U);
}

TEST(Codec, DecodesWhatKafkaWroteToTheSameJson) {
    for (const WireVector& vector : wire_vectors()) {
        Arena arena;
        ByteReader reader(vector.bytes);
        const Result<void*> message = decoded(*vector.type, vector.version, reader, arena);
        ASSERT_TRUE(message.has_value()) << vector.name() << "\n" << message.error().why;
        EXPECT_EQ(reader.remaining(), 0U) << vector.name();
        EXPECT_EQ(nlohmann::json::parse(message_to_json(*vector.type, *message, vector.version)),
                  nlohmann::json::parse(vector.json));
    }
}

TEST(Codec, EncodesTheSameJsonToWhatKafkaWrote) {
    for (const WireVector& vector : wire_vectors()) {
        Arena arena;
        const void* const message = read_json(*vector.type, vector.version, vector.json, arena);
        const auto bytes = encoded(*vector.type, vector.version, message);
        ASSERT_TRUE(bytes.has_value()) << vector.name() << "\n" << bytes.error().why;
        EXPECT_EQ(*bytes, vector.bytes) << vector.name();
    }
}

TEST(Codec, FailsOnEveryPrefixOfAMessage) {
    for (const WireVector& vector : wire_vectors()) {
        for (std::size_t size = 0; size < vector.bytes.size(); ++size) {
            // A block of exactly this size, so that the sanitizer sees a read behind it.
            const std::vector<std::byte> prefix(
                vector.bytes.begin(), vector.bytes.begin() + static_cast<std::ptrdiff_t>(size));
            Arena arena;
            ByteReader reader(prefix);
            const Result<void*> message = decoded(*vector.type, vector.version, reader, arena);
            ASSERT_FALSE(message.has_value()) << vector.name() << " cut to " << size;
            EXPECT_EQ(message.error().code, ErrorCode::invalid_request);
        }
    }
}

TEST(Codec, RefusesVersionsThatAMessageDoesNotHave) {
    Arena arena;
    for (const MessageType* type : message_types()) {
        for (const int version : {-1, type->min_version - 1, type->max_version + 1, 32767}) {
            ByteReader reader{BytesView()};
            EXPECT_EQ(
                decoded(*type, static_cast<std::int16_t>(version), reader, arena).error().code,
                ErrorCode::unsupported_version);
            EXPECT_EQ(encoded(*type, static_cast<std::int16_t>(version), make_message(*type, arena))
                          .error()
                          .code,
                      ErrorCode::unsupported_version);
        }
    }
}

TEST(Codec, RefusesAValueThatTheVersionCanNotCarry) {
    // IncludeClusterAuthorizedOperations left in version 11 and is not ignorable.
    MetadataRequest request{.include_cluster_authorized_operations = true};
    EXPECT_TRUE(encoded_size(request, 10).has_value());
    EXPECT_EQ(encoded_size(request, 11).error().code, ErrorCode::unsupported_version);
    // ReplicaState is a tagged field from version 15 on.
    FetchRequest fetch{.replica_state = {.replica_id = 1}};
    EXPECT_TRUE(encoded_size(fetch, 15).has_value());
    EXPECT_EQ(encoded_size(fetch, 14).error().code, ErrorCode::unsupported_version);
    EXPECT_EQ(encoded_size(fetch, 4).error().code, ErrorCode::unsupported_version);
}

TEST(Codec, DropsAnIgnorableValueSilently) {
    const MetadataResponse response{.cluster_id = "cluster"};
    EXPECT_EQ(encode(response, 0).value(), encode(MetadataResponse{}, 0).value());
}

TEST(Codec, RefusesANullThatTheVersionDoesNotKnow) {
    Arena arena;
    MetadataRequest request;
    request.topics = std::nullopt;
    EXPECT_TRUE(encoded_size(request, 1).has_value());
    EXPECT_EQ(encoded_size(request, 0).error().code, ErrorCode::unsupported_version);
    request.topics =
        arena.make_array<MetadataRequest::MetadataRequestTopic>(1);  // its name is null by default
    EXPECT_EQ(encoded_size(request, 9).has_value(), request.topics[0].name.has_value());
}

TEST(Codec, RefusesAStringThatIsTooLong) {
    const std::string text(kStringBytesMax + 1, 'x');
    const auto longest = std::string_view(text).substr(1);
    for (const std::int16_t version : {std::int16_t{8}, std::int16_t{9}}) {
        EXPECT_TRUE(encoded_size(ProduceRequest{.transactional_id = longest}, version).has_value());
        EXPECT_EQ(encoded_size(ProduceRequest{.transactional_id = text}, version).error().code,
                  ErrorCode::invalid_request);
    }
}

TEST(Codec, LeavesTheReaderBehindTheMessage) {
    std::vector<std::byte> bytes = encode(ProduceRequest{}, 9).value();
    const std::size_t size = bytes.size();
    bytes.resize(size + 3);
    Arena arena;
    ByteReader reader(bytes);
    EXPECT_TRUE(decode<ProduceRequest>(reader, 9, arena).has_value());
    EXPECT_EQ(reader.position(), size);
}

/// A Fetch response of two partitions, the records of the first at hand, those of the second
/// elsewhere.
FetchResponse fetch_response(Arena& arena, BytesView records, std::size_t external_size) {
    const auto partitions = arena.make_array<FetchResponse::PartitionData>(2);
    partitions[0].records = records;
    partitions[1].records = Records::external(external_size, 7);
    const auto topics = arena.make_array<FetchResponse::FetchableTopicResponse>(1);
    topics[0].partitions = partitions;
    FetchResponse response;
    response.responses = topics;
    return response;
}

TEST(Codec, NotesWhereExternalRecordsBelong) {
    // Encode with a hole, fill the hole, and compare with the message that has all its bytes at
    // hand.
    Arena arena;
    const std::string records = "0123456789";
    for (const std::int16_t version : {std::int16_t{4}, std::int16_t{16}}) {
        const FetchResponse response = fetch_response(arena, as_bytes("abc"), records.size());
        std::vector<std::byte> bytes(
            5);  // what stands before the message does not confuse positions
        std::vector<Splice> splices;
        ASSERT_TRUE(append(response, version, bytes, &splices).has_value());
        ASSERT_EQ(splices.size(), 1U);
        EXPECT_EQ(splices[0].size, records.size());
        EXPECT_EQ(splices[0].index, 7U);
        const BytesView filling = as_bytes(records);
        bytes.insert(bytes.begin() + static_cast<std::ptrdiff_t>(splices[0].position),
                     filling.begin(), filling.end());

        const auto decoded = decode<FetchResponse>(BytesView(bytes).subspan(5), version, arena);
        ASSERT_TRUE(decoded.has_value()) << decoded.error().why;
        EXPECT_EQ(as_text(decoded->responses[0].partitions[0].records.bytes()), "abc");
        EXPECT_EQ(as_text(decoded->responses[0].partitions[1].records.bytes()), records);
    }
}

TEST(Codec, ViewsTheFrameInsteadOfCopyingIt) {
    const auto bytes = encode(ProduceRequest{.transactional_id = "transaction"}, 9).value();
    Arena arena;
    const auto request = decode<ProduceRequest>(bytes, 9, arena);
    const auto* const text = reinterpret_cast<const std::byte*>(request->transactional_id->data());
    EXPECT_TRUE(text > bytes.data() && text < bytes.data() + bytes.size());
    EXPECT_EQ(arena.bytes_used(), 0U);
}

TEST(Codec, PrintsTheNullsAndSizesOfRecords) {
    Arena arena;
    const auto partitions = arena.make_array<ProduceRequest::PartitionProduceData>(2);
    partitions[1] = {.index = 1, .records = as_bytes("abc")};
    const auto topics = arena.make_array<ProduceRequest::TopicProduceData>(1);
    topics[0] = {.name = "\x01\x7F\"", .partition_data = partitions};
    EXPECT_EQ(to_json(ProduceRequest{.acks = -1, .topic_data = topics}, 9),
              R"({"transactionalId":null,"acks":-1,"timeoutMs":0,"topicData":[)"
              R"({"name":"\u0001\u007f\"","partitionData":[)"
              R"({"index":0,"records":null},{"index":1,"recordsSizeInBytes":3}]}]})");
}

}  // namespace

}  // namespace milena::protocol
