// SPDX-License-Identifier: Apache-2.0
// Scopes, ranges and CSV, as kafka-consumer-groups of Apache Kafka 4.4 reads and prints them.
#include "groups/reset_plan.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(ParseScope, IsATopicWithOrWithoutPartitions) {
    EXPECT_EQ(parse_scope("events"), (ResetScope{"events", {}}));
    EXPECT_EQ(parse_scope("events:0,7"), (ResetScope{"events", {0, 7}}));
    EXPECT_EQ(parse_scope("events:1,"), (ResetScope{"events", {1}}));
    for (const char* const text : {"events:a", "events:", "events:-1", "events:0,x"})
        EXPECT_EQ(parse_scope(text).error().code, ErrorCode::invalid_request) << text;
    EXPECT_EQ(parse_scope("events:a").error().why,
              "Invalid partition 'a' specified in topic arg 'events:a''");
}

TEST(ClampOffset, KeepsToTheRangeAndWarns) {
    const TopicPartition partition{"events", 1};
    EXPECT_EQ(clamp_offset(partition, 5, 3, 9).offset, 5);
    EXPECT_EQ(clamp_offset(partition, 5, 3, 9).warning, "");
    EXPECT_EQ(clamp_offset(partition, 9, 3, 9).warning, "");
    const Clamped high = clamp_offset(partition, 9999, 0, 3);
    EXPECT_EQ(high.offset, 3);
    EXPECT_EQ(high.warning,
              "New offset (9999) is higher than latest offset for topic partition events-1. Value "
              "will be set to 3.");
    const Clamped low = clamp_offset(partition, -4, 0, 3);
    EXPECT_EQ(low.offset, 0);
    EXPECT_EQ(low.warning,
              "New offset (-4) is lower than earliest offset for topic partition events-1. Value "
              "will be set to 0.");
}

TEST(CsvOf, HasTheGroupWhereThereAreSeveral) {
    const NewOffsets offsets{{"g1", {{{"events", 0}, 3}, {{"events", 1}, 1}}},
                             {"g2", {{{"events", 0}, 7}}}};
    EXPECT_EQ(csv_of(offsets, true), "g1,events,0,3\ng1,events,1,1\ng2,events,0,7\n\n");
    EXPECT_EQ(csv_of({{"g1", offsets.at("g1")}}, false), "events,0,3\nevents,1,1\n\n");
    EXPECT_EQ(csv_of({}, true), "\n");
}

TEST(CsvOf, QuotesWhatIsLongOrMayMeanSomething) {
    const NewOffsets offsets{{"a-group-with-a-very-long-name-indeed",
                              {{{"a-topic-with-a-very-long-name-indeed", 0}, 0}}},
                             {"a,\"b", {{{"t", 1}, 2}}}};
    const std::string text = csv_of(offsets, true);
    EXPECT_NE(text.find("\"a-group-with-a-very-long-name-indeed\","
                        "\"a-topic-with-a-very-long-name-indeed\",0,0\n"),
              std::string::npos);
    EXPECT_NE(text.find("\"a,\"\"b\",t,1,2\n"), std::string::npos);
    EXPECT_EQ(parse_csv(text, true, ""), offsets);
}

TEST(ParseCsv, TakesBothForms) {
    const NewOffsets one{{"g1", {{{"events", 0}, 3}, {{"events", 1}, 1}}}};
    EXPECT_EQ(parse_csv("events,0,3\r\nevents,1,1\n", false, "g1"), one);
    EXPECT_EQ(parse_csv("g1,events,0,3\n\ng1,events,1,1", true, ""), one);
}

TEST(ParseCsv, NamesTheLineThatIsWrong) {
    EXPECT_EQ(parse_csv("t,0,1\nt,x,1\n", false, "g").error().why,
              "line 2 of the file is not topic,partition,offset: t,x,1");
    EXPECT_EQ(parse_csv("t,0,1\n", true, "").error().why,
              "line 1 of the file is not group,topic,partition,offset: t,0,1");
    EXPECT_FALSE(parse_csv("t,0,99999999999999999999\n", false, "g"));
}

}  // namespace
}  // namespace milena::cli
