// SPDX-License-Identifier: Apache-2.0
// Walking over records: null and empty, headers, LogAppendTime, what is malformed.
#include "milena/record/records.h"

#include <gtest/gtest.h>

#include "milena/record/validate.h"
#include "support/batches.h"
#include "support/golden_hex.h"

namespace milena::record {
namespace {

using support::BatchSpec;
using support::TestRecord;

const std::vector<TestRecord> kRecords{
    {.timestamp = 1000, .key = "k", .value = "v"},
    {.timestamp = 990, .key = std::nullopt, .value = ""},
    {.timestamp = 1000 + (1LL << 40), .key = "", .value = std::nullopt},
    {.timestamp = 1001,
     .headers = {{"a", "1"}, {"a", std::nullopt}, {"", ""}, {"\xff\xfe", "\x00"}}},
};

TEST(Records, AreGivenBackAsTheyWerePutIn) {
    const auto bytes = support::make_batch({.base_offset = 40, .records = kRecords});
    EXPECT_EQ(support::records_of(BatchView(bytes)), kRecords);
}

TEST(Records, HaveOffsetsFromTheBatchsBase) {
    const auto bytes = support::make_batch({.base_offset = 40, .records = kRecords});
    std::int64_t expected = 40;
    ASSERT_TRUE(for_each_record(BatchView(bytes), {}, [&](const RecordView& record) {
        EXPECT_EQ(record.offset, Offset(expected++));
        return true;
    }));
    EXPECT_EQ(expected, 44);
}

TEST(Records, AllHaveTheBatchsTimeWithLogAppendTime) {
    auto bytes = support::make_batch({.records = kRecords});
    stamp_log_append_time(bytes, Timestamp(42));
    for (const auto& record : *support::records_of(BatchView(bytes)))
        EXPECT_EQ(record.timestamp, 42);
}

TEST(Records, WalkEndsWhenTheCallerHasSeenEnough) {
    const auto bytes = support::make_batch({.records = kRecords});
    int seen = 0;
    ASSERT_TRUE(
        for_each_record(BatchView(bytes), {}, [&](const RecordView&) { return ++seen < 2; }));
    EXPECT_EQ(seen, 2);
}

TEST(Records, TenThousandHeadersComeBack) {
    TestRecord record{.timestamp = 5, .value = std::string(1 << 20, 'x')};
    for (int header = 0; header < 10'000; ++header)
        record.headers.emplace_back("h", std::to_string(header));
    const auto bytes = support::make_batch({.records = {record}});
    EXPECT_EQ(support::records_of(BatchView(bytes)), std::vector{record});
}

TEST(Records, ACountThatIsWrongIsCorrupt) {
    for (const std::int32_t count : {3, 5, INT32_MAX}) {
        auto bytes = support::make_batch({.records = kRecords});
        store(bytes.data() + 57, count);
        EXPECT_EQ(support::records_of(BatchView(bytes)).error().code, ErrorCode::corrupt_message)
            << count;
    }
}

TEST(Records, EveryPrefixOfThePayloadIsCorrupt) {
    const auto whole = support::make_batch({.records = kRecords});
    for (std::size_t size = kBatchHeaderBytes; size < whole.size(); ++size) {
        const BatchView cut(BytesView(whole).first(size));
        EXPECT_EQ(support::records_of(cut).error().code, ErrorCode::corrupt_message) << size;
    }
}

TEST(Records, ARecordOverTheLimitIsRefusedBeforeItIsRead) {
    const auto bytes = support::make_batch({.records = {{.value = std::string(1000, 'x')}}});
    const ReadLimits limits{.record_bytes_max = 1000};
    EXPECT_EQ(for_each_record(BatchView(bytes), limits, [](const RecordView&) { return true; })
                  .error()
                  .code,
              ErrorCode::corrupt_message);
}

TEST(BatchBuilder, MakesABatchThatReadsBack) {
    BatchBuilder builder(
        {.base_offset = Offset(9), .leader_epoch = LeaderEpoch(4), .timestamp = Timestamp(77)});
    builder.append(as_bytes("key"), std::nullopt);
    builder.append(std::nullopt, as_bytes(""));
    const std::size_t size = builder.size();
    const auto bytes = std::move(builder).finish();
    EXPECT_EQ(bytes.size(), size);
    const auto batch = first_batch(bytes);
    ASSERT_TRUE(batch && *batch);
    EXPECT_TRUE((*batch)->check_crc());
    EXPECT_EQ((*batch)->last_offset(), Offset(10));
    EXPECT_EQ((*batch)->leader_epoch(), LeaderEpoch(4));
    const std::vector<TestRecord> expected{{.timestamp = 77, .key = "key"},
                                           {.timestamp = 77, .value = ""}};
    EXPECT_EQ(support::records_of(**batch), expected);
}

TEST(BatchBuilder, MarksControlAndTransactionalBatches) {
    BatchBuilder builder({.is_control = true,
                          .is_transactional = true,
                          .producer_id = ProducerId(5),
                          .producer_epoch = 1});
    builder.append(as_bytes("k"), as_bytes("v"));
    const auto bytes = std::move(builder).finish();
    const BatchView batch(bytes);
    EXPECT_TRUE(batch.is_control());
    EXPECT_TRUE(batch.is_transactional());
    EXPECT_EQ(batch.producer_id(), ProducerId(5));
    EXPECT_EQ(batch.base_sequence(), -1);
}

/// Batches that Apache Kafka 4.4 stored.
constexpr std::array kGolden{
    "plain",         "gzip",          "snappy",          "lz4",       "zstd",       "idempotent",
    "transactional", "commit_marker", "log_append_time", "compacted", "coordinator"};

std::vector<std::byte> golden(const std::string& name) {
    return testing::read_golden_hex("record_batch/" + name + ".hex");
}

TEST(GoldenBatch, IsWholeAndReadToItsLastRecord) {
    for (const char* name : kGolden) {
        const auto bytes = golden(name);
        const auto batch = first_batch(bytes);
        ASSERT_TRUE(batch && *batch) << name;
        EXPECT_TRUE((*batch)->check_crc()) << name;
        const auto records = support::records_of(**batch);
        ASSERT_TRUE(records) << name << records.error().why;
        EXPECT_EQ(records->size(), static_cast<std::size_t>((*batch)->record_count())) << name;
    }
}

TEST(GoldenBatch, NoPrefixOfOneIsABatch) {
    for (const char* name : kGolden) {
        const auto bytes = golden(name);
        for (std::size_t size = 0; size < bytes.size(); ++size) {
            EXPECT_EQ(*first_batch(BytesView(bytes).first(size)), std::nullopt)
                << name << " " << size;
        }
    }
}

TEST(GoldenBatch, EncodedAgainGivesTheSameBytes) {
    for (const char* name : {"plain", "idempotent", "transactional", "commit_marker"}) {
        const auto bytes = golden(name);
        const BatchView batch(bytes);
        EXPECT_EQ(support::make_batch({.base_offset = batch.base_offset().value,
                                       .leader_epoch = batch.leader_epoch().value,
                                       .attributes = batch.attributes(),
                                       .producer_id = batch.producer_id().value,
                                       .producer_epoch = batch.producer_epoch(),
                                       .base_sequence = batch.base_sequence(),
                                       .records = *support::records_of(batch)}),
                  bytes)
            << name;
    }
}

TEST(GoldenBatch, IsMadeByTheBuilderToo) {
    const auto bytes = golden("commit_marker");
    const BatchView batch(bytes);
    const auto record = support::records_of(batch)->at(0);
    BatchBuilder builder({.base_offset = batch.base_offset(),
                          .leader_epoch = batch.leader_epoch(),
                          .timestamp = batch.base_timestamp(),
                          .is_control = true,
                          .is_transactional = true,
                          .producer_id = batch.producer_id(),
                          .producer_epoch = batch.producer_epoch()});
    builder.append(as_bytes(*record.key), as_bytes(*record.value));
    EXPECT_EQ(std::move(builder).finish(), bytes);
}

TEST(GoldenBatch, EveryCodecHoldsTheSameRecords) {
    // The same producer wrote them one after the other: all but the time and the codec's name in
    // the value is equal.
    for (const std::string name : {"gzip", "snappy", "lz4", "zstd"}) {
        const auto bytes = golden(name.c_str());
        const auto records = support::records_of(BatchView(bytes));
        ASSERT_TRUE(records.has_value()) << name;
        ASSERT_EQ(records->size(), 20U) << name;
        for (std::size_t i = 0; i < records->size(); ++i) {
            const auto& record = (*records)[i];
            EXPECT_EQ(record.key, "k" + std::to_string(i % 4)) << name;
            const std::string begin = "compressed " + name + " " + std::to_string(i) + " abcdefgh";
            ASSERT_TRUE(record.value.has_value()) << name;
            EXPECT_EQ(record.value->substr(0, begin.size()), begin);
        }
    }
}

TEST(GoldenBatch, OfAClientIsTaken) {
    for (const char* name : {"plain", "gzip", "snappy", "lz4", "zstd", "transactional"}) {
        auto bytes = golden(name);
        stamp(bytes, Offset(0), kNoLeaderEpoch);
        const auto batch = sole_batch(bytes);
        ASSERT_TRUE(batch) << name;
        const auto accepted = validate_produced(*batch, {}, batch->max_timestamp());
        ASSERT_TRUE(accepted) << name << accepted.error().why;
        EXPECT_EQ(accepted->max_timestamp, batch->max_timestamp()) << name;
    }
}

}  // namespace
}  // namespace milena::record
