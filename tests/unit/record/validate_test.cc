// SPDX-License-Identifier: Apache-2.0
// What a leader refuses, with which code, and which records it names.
#include "milena/record/validate.h"

#include <gtest/gtest.h>

#include "support/batches.h"

namespace milena::record {
namespace {

using support::BatchSpec;
using support::make_batch;
using support::TestRecord;

constexpr Timestamp kNow(1'800'000'000'000);

const std::vector<TestRecord> kThree{{.timestamp = kNow.value, .key = "a", .value = "1"},
                                     {.timestamp = kNow.value + 1, .key = "b"},
                                     {.timestamp = kNow.value - 1, .key = "c", .value = ""}};

std::expected<Accepted, Refusal> validate(const std::vector<std::byte>& bytes,
                                          const ProduceRules& rules = {}) {
    return validate_produced(BatchView(bytes), rules, kNow);
}

ErrorCode code_of(const std::vector<std::byte>& bytes, const ProduceRules& rules = {}) {
    const auto accepted = validate(bytes, rules);
    return accepted ? ErrorCode::none : accepted.error().code;
}

std::vector<std::int32_t> named(const Refusal& refusal) {
    std::vector<std::int32_t> indexes;
    for (const RecordError& record : refusal.records) indexes.push_back(record.index);
    return indexes;
}

/// A batch with `payload` in place of its records, right in all else.
std::vector<std::byte> with_payload(BytesView payload, std::size_t count,
                                    Codec codec = Codec::none) {
    BatchSpec spec{.codec = codec};
    spec.records.resize(count);
    if (codec == Codec::none) return support::wrap_payload(spec, payload, kNow.value, kNow.value);
    return support::wrap_payload(spec, *compress(codec, payload), kNow.value, kNow.value);
}

/// The records of kThree, one after the other.
std::vector<std::byte> three_records() {
    support::Encoder payload;
    for (std::size_t index = 0; index < kThree.size(); ++index) {
        payload.raw(
            support::encode_record(kThree[index], kNow.value, static_cast<std::int64_t>(index)));
    }
    return payload.bytes;
}

TEST(SoleBatch, IsTheWholeOfTheField) {
    const auto bytes = make_batch({.records = kThree});
    const auto batch = sole_batch(bytes);
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->size(), bytes.size());
}

TEST(SoleBatch, NothingWholeIsAnInvalidRecord) {
    const auto bytes = make_batch({.records = kThree});
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        const auto batch = sole_batch(BytesView(bytes).first(size));
        ASSERT_FALSE(batch) << size;
        EXPECT_EQ(batch.error().code, ErrorCode::invalid_record) << size;
    }
}

TEST(SoleBatch, ASecondOneIsAnInvalidRecord) {
    auto bytes = make_batch({.records = kThree});
    bytes.insert(bytes.end(), bytes.begin(), bytes.end());
    EXPECT_EQ(sole_batch(bytes).error().code, ErrorCode::invalid_record);
}

TEST(SoleBatch, BytesBehindItThatAreNoBatchAreLeftOut) {
    auto bytes = make_batch({.records = kThree});
    const std::size_t size = bytes.size();
    bytes.insert(bytes.end(), bytes.begin(), bytes.begin() + 70);
    const auto batch = sole_batch(bytes);
    ASSERT_TRUE(batch);
    EXPECT_EQ(batch->size(), size);
}

TEST(SoleBatch, OlderMagicIsAnInvalidRecordAndUnknownMagicIsCorrupt) {
    auto bytes = make_batch({.records = kThree});
    for (const auto& [magic, code] : {std::pair{0, ErrorCode::invalid_record},
                                      {1, ErrorCode::invalid_record},
                                      {3, ErrorCode::corrupt_message},
                                      {-1, ErrorCode::corrupt_message}}) {
        bytes[16] = static_cast<std::byte>(magic);
        EXPECT_EQ(sole_batch(bytes).error().code, code) << magic;
    }
}

TEST(SoleBatch, ALengthThatCanNotBeRightIsCorrupt) {
    auto bytes = make_batch({.records = kThree});
    for (const std::int32_t length : {-1, 0, 13, 48}) {
        store(bytes.data() + 8, length);
        EXPECT_EQ(sole_batch(bytes).error().code, ErrorCode::corrupt_message) << length;
    }
}

TEST(ValidateProduced, TakesAGoodBatchOfEveryCodec) {
    for (int codec = 0; codec < 5; ++codec) {
        const auto accepted =
            validate(make_batch({.codec = static_cast<Codec>(codec), .records = kThree}));
        ASSERT_TRUE(accepted) << codec << accepted.error().why;
        EXPECT_EQ(accepted->max_timestamp, Timestamp(kNow.value + 1));
    }
}

TEST(ValidateProduced, HeadersFaultsHaveTheirCodes) {
    const auto change = [](auto edit) {
        auto bytes = make_batch({.records = kThree});
        edit(bytes.data());
        support::fix_crc(bytes);
        return code_of(bytes);
    };
    using Bytes = std::byte*;
    EXPECT_EQ(change([](Bytes at) { store<std::int64_t>(at, 1); }), ErrorCode::invalid_record)
        << "base offset";
    EXPECT_EQ(change([](Bytes at) { store<std::int32_t>(at + 23, 3); }), ErrorCode::invalid_record)
        << "offset range";
    EXPECT_EQ(change([](Bytes at) { store<std::int32_t>(at + 23, INT32_MAX); }),
              ErrorCode::invalid_record);
    EXPECT_EQ(change([](Bytes at) { store<std::int32_t>(at + 57, 2); }), ErrorCode::invalid_record)
        << "count";
    EXPECT_EQ(change([](Bytes at) { store<std::int32_t>(at + 57, -1); }),
              ErrorCode::invalid_record);
    EXPECT_EQ(change([](Bytes at) { store<std::int16_t>(at + 21, 0x20); }),
              ErrorCode::invalid_record)
        << "control";
    EXPECT_EQ(change([](Bytes at) { store<std::int64_t>(at + 43, 9); }), ErrorCode::invalid_record)
        << "sequence";
    EXPECT_EQ(change([](Bytes at) { store<std::int16_t>(at + 21, 5); }),
              ErrorCode::unsupported_compression_type);
}

TEST(ValidateProduced, ABatchWithoutRecordsIsAnInvalidRecord) {
    EXPECT_EQ(code_of(make_batch({})), ErrorCode::invalid_record);
}

TEST(ValidateProduced, ABadChecksumIsCorrupt) {
    auto bytes = make_batch({.records = kThree});
    bytes.back() ^= std::byte{1};
    EXPECT_EQ(code_of(bytes), ErrorCode::corrupt_message);
}

TEST(ValidateProduced, TheSizeIsThatOfTheBatchAsReceived) {
    const std::vector<TestRecord> zeros{
        {.timestamp = kNow.value, .value = std::string(10 << 20, '\0')}};
    const ProduceRules rules{.batch_bytes_max = 50 * 1024};
    EXPECT_EQ(code_of(make_batch({.records = zeros}), rules), ErrorCode::message_too_large);
    EXPECT_EQ(code_of(make_batch({.codec = Codec::gzip, .records = zeros}), rules),
              ErrorCode::none);
}

TEST(ValidateProduced, TheSizeIsLookedAtBeforeTheChecksum) {
    auto bytes = make_batch({.records = kThree});
    bytes.back() ^= std::byte{1};
    EXPECT_EQ(code_of(bytes, {.batch_bytes_max = bytes.size() - 1}), ErrorCode::message_too_large);
}

TEST(ValidateProduced, ACompactedTopicNamesTheRecordsWithoutKey) {
    auto records = kThree;
    records[1].key.reset();
    for (const Codec codec : {Codec::none, Codec::zstd}) {
        const auto refused =
            validate(make_batch({.codec = codec, .records = records}), {.is_compacted = true});
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::invalid_record);
        EXPECT_EQ(named(refused.error()), std::vector{1});
        EXPECT_FALSE(refused.error().why.empty());
    }
    EXPECT_EQ(code_of(make_batch({.records = records})), ErrorCode::none);
}

TEST(ValidateProduced, AnEmptyKeyIsAKey) {
    EXPECT_EQ(code_of(make_batch({.records = {{.timestamp = kNow.value, .key = ""}}}),
                      {.is_compacted = true}),
              ErrorCode::none);
}

TEST(ValidateProduced, TimestampsOutsideTheWindowAreNamed) {
    const ProduceRules rules{.timestamp_before_max_ms = 1000, .timestamp_after_max_ms = 2000};
    const auto at = [](std::int64_t offset) {
        return TestRecord{.timestamp = kNow.value + offset};
    };
    const auto refused =
        validate(make_batch({.records = {at(-1000), at(-1001), at(2000), at(2001), at(0)}}), rules);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_timestamp);
    EXPECT_EQ(named(refused.error()), (std::vector{1, 3}));
}

TEST(ValidateProduced, ARecordWithoutTimestampIsInEveryWindow) {
    const ProduceRules rules{.timestamp_before_max_ms = 0, .timestamp_after_max_ms = 0};
    EXPECT_EQ(code_of(make_batch({.records = {{.timestamp = -1}}}), rules), ErrorCode::none);
}

TEST(ValidateProduced, TheWindowHoldsForTheExtremesOfTime) {
    const ProduceRules rules{.timestamp_before_max_ms = 1000, .timestamp_after_max_ms = 1000};
    for (const std::int64_t timestamp : {INT64_MIN, INT64_MAX}) {
        EXPECT_EQ(code_of(make_batch({.records = {{.timestamp = timestamp}}}), rules),
                  ErrorCode::invalid_timestamp);
    }
}

TEST(ValidateProduced, WithLogAppendTimeOnlyTheBrokersClockCounts) {
    const ProduceRules rules{.timestamp_type = TimestampType::log_append,
                             .timestamp_before_max_ms = 0};
    const auto accepted = validate(make_batch({.records = {{.timestamp = 5}}}), rules);
    ASSERT_TRUE(accepted);
    EXPECT_EQ(accepted->max_timestamp, kNow);
    EXPECT_EQ(code_of(make_batch({.attributes = 0x08, .records = kThree}), rules),
              ErrorCode::invalid_timestamp);
}

TEST(ValidateProduced, TheLogAppendTimeBitIsToleratedOnACreateTimeTopic) {
    EXPECT_EQ(code_of(make_batch({.attributes = 0x08, .records = kThree})), ErrorCode::none);
}

TEST(ValidateProduced, OffsetsInsideMustFollowOneAnother) {
    support::Encoder payload;
    for (const std::int64_t delta : {0, 2, 2})
        payload.raw(support::encode_record(kThree[0], kNow.value, delta));
    for (const Codec codec : {Codec::none, Codec::lz4}) {
        const auto refused = validate(with_payload(payload.bytes, 3, codec));
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, ErrorCode::invalid_record);
        EXPECT_EQ(named(refused.error()), std::vector{1});
    }
}

TEST(ValidateProduced, NoPrefixOfTheRecordsIsTaken) {
    const auto payload = three_records();
    for (const Codec codec : {Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
        for (std::size_t size = 0; size < payload.size(); ++size) {
            EXPECT_EQ(code_of(with_payload(BytesView(payload).first(size), 3, codec)),
                      ErrorCode::invalid_record)
                << size << " of codec " << static_cast<int>(codec);
        }
    }
}

TEST(ValidateProduced, BytesBehindTheRecordsAreAnInvalidRecord) {
    auto payload = three_records();
    payload.push_back(std::byte{0});
    EXPECT_EQ(code_of(with_payload(payload, 3)), ErrorCode::invalid_record);
    EXPECT_EQ(code_of(with_payload(payload, 3, Codec::snappy)), ErrorCode::invalid_record);
}

TEST(ValidateProduced, FieldsThatDoNotFillTheirRecordAreAnInvalidRecord) {
    // One record, its length one too large or too small, then a byte more to have enough.
    for (const int change : {1, -1}) {
        auto payload = support::encode_record(kThree[0], kNow.value, 0);
        payload[0] = static_cast<std::byte>(static_cast<int>(payload[0]) + 2 * change);
        payload.push_back(std::byte{0});
        EXPECT_EQ(code_of(with_payload(payload, 1)), ErrorCode::invalid_record) << change;
    }
}

TEST(ValidateProduced, HeaderCountsAreBelievedOnlyAsFarAsTheyFit) {
    for (const std::int64_t count : {std::int64_t{-1}, std::int64_t{1}, std::int64_t{INT32_MAX}}) {
        support::Encoder body;
        body.raw(std::vector(3, std::byte{0}));
        body.varint(-1);
        body.varint(-1);
        body.varint(count);
        support::Encoder payload;
        payload.varint(static_cast<std::int64_t>(body.bytes.size()));
        payload.raw(body.bytes);
        EXPECT_EQ(code_of(with_payload(payload.bytes, 1)), ErrorCode::invalid_record) << count;
    }
}

TEST(ValidateProduced, ANullHeaderKeyIsAnInvalidRecord) {
    support::Encoder body;
    body.raw(std::vector(3, std::byte{0}));
    for (const int number : {-1, -1, 1, -1, -1}) body.varint(number);
    support::Encoder payload;
    payload.varint(static_cast<std::int64_t>(body.bytes.size()));
    payload.raw(body.bytes);
    EXPECT_EQ(code_of(with_payload(payload.bytes, 1)), ErrorCode::invalid_record);
}

TEST(ValidateProduced, ADamagedBlockIsAnInvalidRecord) {
    // Not CORRUPT_MESSAGE, which clients retry: the checksum says that it was sent as it came.
    for (const Codec codec : {Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
        BatchSpec spec{.codec = codec};
        spec.records.resize(3);
        auto block = *compress(codec, three_records());
        block.resize(block.size() - 1);
        EXPECT_EQ(code_of(support::wrap_payload(spec, block, kNow.value, kNow.value)),
                  ErrorCode::invalid_record)
            << static_cast<int>(codec);
    }
}

TEST(ValidateProduced, TheLimitOfARecordIsOneOfDecompression) {
    // The body is the value and eight bytes more.
    const ProduceRules rules{.limits = {.record_bytes_max = 1000}};
    for (const Codec codec : {Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
        for (const std::size_t value_bytes : {993U, 994U}) {
            const std::vector<TestRecord> records{
                {.timestamp = kNow.value, .value = std::string(value_bytes, 'x')}};
            const bool fits = codec == Codec::none || value_bytes == 993;
            EXPECT_EQ(code_of(make_batch({.codec = codec, .records = records}), rules),
                      fits ? ErrorCode::none : ErrorCode::invalid_record);
        }
    }
}

TEST(ValidateProduced, ATimestampOutOfRangeGivesTheWholeItsCode) {
    const std::vector<TestRecord> records{{.timestamp = kNow.value},
                                          {.timestamp = kNow.value + 7'200'000, .key = "k"}};
    const auto refused = validate(make_batch({.records = records}), {.is_compacted = true});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_timestamp);
    EXPECT_EQ(named(refused.error()), (std::vector{0, 1}));
}

TEST(ValidateProduced, RecordErrorsAreBounded) {
    BatchSpec spec;
    spec.records.assign(kRecordErrorsMax + 500, TestRecord{.timestamp = kNow.value});
    const auto refused = validate(make_batch(spec), {.is_compacted = true});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().records.size(), kRecordErrorsMax);
}

TEST(ValidateProduced, OneScratchServesManyBatches) {
    Scratch scratch;
    for (int round = 0; round < 3; ++round) {
        for (int codec = 0; codec < 5; ++codec) {
            const auto bytes = make_batch({.codec = static_cast<Codec>(codec), .records = kThree});
            EXPECT_TRUE(validate_produced(BatchView(bytes), {}, kNow, &scratch)) << codec;
            EXPECT_EQ(support::records_of(BatchView(bytes), &scratch), kThree) << codec;
        }
    }
}

TEST(ValidateProduced, StopsToLookWhereItMayNotLookFurther) {
    // A batch that expands to 400,000 bytes; nothing is said of it as long as the rest is not seen.
    for (const Codec codec : {Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
        BatchSpec spec{.codec = codec};
        for (int i = 0; i < 400; ++i)
            spec.records.push_back({.timestamp = kNow.value, .value = std::string(1000, 'x')});
        const auto bytes = make_batch(spec);
        const auto verdict = [&](std::uint64_t bytes_max) {
            return validate_produced(BatchView(bytes), {}, kNow, nullptr, bytes_max).value();
        };
        EXPECT_FALSE(verdict(0).is_inspected);
        EXPECT_FALSE(verdict(200'000).is_inspected);
        EXPECT_TRUE(verdict(600'000).is_inspected);
        EXPECT_EQ(verdict(600'000).max_timestamp, kNow);
    }
    const auto plain = make_batch({.records = kThree});
    EXPECT_TRUE(validate_produced(BatchView(plain), {}, kNow, nullptr, 0)->is_inspected);
}

}  // namespace
}  // namespace milena::record
