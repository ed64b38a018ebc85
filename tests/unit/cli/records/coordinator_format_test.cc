// SPDX-License-Identifier: Apache-2.0
// Records of coordinators as the formatters of Kafka 4.4's console consumer printed them.
#include "records/coordinator_format.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

using namespace std::string_view_literals;

constexpr std::string_view kGroupKey = "\0\2\0\1g"sv;
constexpr std::string_view kGroupValue =
    "\0\3\0\0\0\0\0\0\xFF\xFF\xFF\xFF\0\0\0\0\0\0\0\5\0\0\0\0"sv;
constexpr std::string_view kOffsetKey = "\0\1\0\1g\0\1t\0\0\0\1"sv;
constexpr std::string_view kOffsetValue =
    "\0\3\0\0\0\0\0\0\0\x9\xFF\xFF\xFF\xFF\0\0\0\0\0\0\0\0\0\5"sv;
constexpr std::string_view kTransactionKey = "\0\0\0\1x"sv;
constexpr std::string_view kTransactionValue =
    "\0\0\0\0\0\0\0\0\0\5\0\1\0\0\0\x9\1\xFF\xFF\xFF\xFF\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\2"sv;

std::string printed(std::string_view formatter, std::optional<std::string_view> key,
                    std::optional<std::string_view> value) {
    const auto format =
        CoordinatorFormat::of_class(fmt::format("org.apache.kafka.tools.consumer.{}", formatter));
    record::RecordView record;
    record.offset = Offset(7);
    if (key) record.key = as_bytes(*key);
    if (value) record.value = as_bytes(*value);
    std::string text;
    const auto done = format->append(record, text);
    return done ? text : done.error().why;
}

TEST(CoordinatorFormat, EachFormatterShowsItsRecords) {
    EXPECT_EQ(printed("OffsetsMessageFormatter", kOffsetKey, kOffsetValue),
              R"({"key":{"type":1,"data":{"group":"g","topic":"t","partition":1}},)"
              R"("value":{"version":3,"data":{"offset":9,"leaderEpoch":-1,"metadata":"",)"
              R"("commitTimestamp":5}}})");
    EXPECT_EQ(printed("GroupMetadataMessageFormatter", kGroupKey, kGroupValue),
              R"({"key":{"type":2,"data":{"group":"g"}},"value":{"version":3,"data":)"
              R"({"protocolType":"","generation":0,"protocol":null,"leader":null,)"
              R"("currentStateTimestamp":5,"members":[]}}})");
    EXPECT_EQ(printed("TransactionLogMessageFormatter", kTransactionKey, kTransactionValue),
              R"({"key":{"type":0,"data":{"transactionalId":"x"}},"value":{"version":0,"data":)"
              R"({"producerId":5,"producerEpoch":1,"transactionTimeoutMs":9,)"
              R"("transactionStatus":"Ongoing","transactionPartitions":null,)"
              R"("transactionLastUpdateTimestampMs":1,"transactionStartTimestampMs":2}}})");
    EXPECT_EQ(printed("ShareGroupMessageFormatter", "\0\x0B\0\1g"sv, std::nullopt),
              R"({"key":{"type":11,"data":{"groupId":"g"}},"value":null})");
}

TEST(CoordinatorFormat, OtherRecordsOfTheTopicAreLeftOut) {
    EXPECT_EQ(printed("OffsetsMessageFormatter", kGroupKey, kGroupValue), "");
    EXPECT_EQ(printed("GroupMetadataMessageFormatter", kOffsetKey, kOffsetValue), "");
    EXPECT_EQ(printed("OffsetsMessageFormatter", std::nullopt, kOffsetValue), "");
}

TEST(CoordinatorFormat, ARecordThatCannotBeReadIsToldWithItsOffset) {
    EXPECT_EQ(
        printed("OffsetsMessageFormatter", "k"sv, "v"sv),
        "Could not read record at offset 7 due to: Could not read version from key's buffer.");
    EXPECT_EQ(printed("OffsetsMessageFormatter", kOffsetKey, "\0\x63\1"sv),
              "Could not read record at offset 7 due to: Found an unknown record version 99 for 1 "
              "type");
}

TEST(CoordinatorFormat, OtherClassesAreNone) {
    EXPECT_FALSE(CoordinatorFormat::of_class("OffsetsMessageFormatter"));
    EXPECT_FALSE(
        CoordinatorFormat::of_class("org.apache.kafka.tools.consumer.DefaultMessageFormatter"));
}

}  // namespace
}  // namespace milena::cli
