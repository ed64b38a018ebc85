// SPDX-License-Identifier: Apache-2.0
// What kafka-console-consumer prints of a record.
#include "records/record_format.h"

#include <gtest/gtest.h>

#include "records/batch_writer.h"

namespace milena::cli {
namespace {

std::string printed(const RecordFormat::Properties& properties, const ProducedRecord& record) {
    const auto format = RecordFormat::make(properties);
    EXPECT_TRUE(format);
    BatchWriter writer;
    writer.append(record.parts());
    const auto bytes = writer.finish(record::Codec::none);
    const auto batch = record::first_batch(*bytes);
    std::string text;
    EXPECT_TRUE(record::for_each_record(**batch, {}, [&](const record::RecordView& view) {
        EXPECT_TRUE(format->append({3, view, (*batch)->timestamp_type()}, text));
        return true;
    }));
    return text;
}

const ProducedRecord kRecord{"k", "v", {{"h1", "v1"}, {"h2", std::nullopt}}, 1795964753790};

TEST(RecordFormat, AValueIsALine) {
    EXPECT_EQ(printed({}, kRecord), "v\n");
}

TEST(RecordFormat, ColumnsComeInTheOrderOfTheTool) {
    EXPECT_EQ(printed({{"print.key", "true"},
                       {"print.partition", "true"},
                       {"print.offset", "true"},
                       {"print.timestamp", "TRUE"},
                       {"print.headers", "true"},
                       {"print.epoch", "true"},
                       {"print.delivery", "true"}},
                      kRecord),
              "CreateTime:1795964753790\tPartition:3\tOffset:0\tDelivery:NOT_PRESENT\t"
              "Epoch:NOT_PRESENT\t"
              "h1:v1,h2:null\tk\tv\n");
}

TEST(RecordFormat, NullsAndSeparatorsAreAsTheyWereAsked) {
    EXPECT_EQ(printed({{"print.key", "true"},
                       {"print.headers", "true"},
                       {"key.separator", "|"},
                       {"line.separator", ";"},
                       {"null.literal", "NIL"}},
                      {std::nullopt, std::nullopt, {}, 0}),
              "NO_HEADERS|NIL|NIL;");
}

TEST(RecordFormat, AKeyMayStandAlone) {
    EXPECT_EQ(printed({{"print.key", "true"}, {"print.value", "false"}}, kRecord), "k\n");
}

TEST(RecordFormat, NumbersAreReadByTheirDeserializer) {
    const std::string seven("\0\0\0\7", 4);
    EXPECT_EQ(printed({{"value.deserializer",
                        "org.apache.kafka.common.serialization.IntegerDeserializer"}},
                      {std::nullopt, seven, {}, 0}),
              "7\n");
    EXPECT_FALSE(RecordFormat::make({{"value.deserializer", "my.own.One"}}));
}

}  // namespace
}  // namespace milena::cli
