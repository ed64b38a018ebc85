// SPDX-License-Identifier: Apache-2.0
// Times that kafka-consumer-groups of Apache Kafka 4.4 took or refused, with the offsets it chose.
#include "groups/iso_time.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

constexpr std::int64_t kNewYear = 1'767'225'600'000;  // 2026-01-01 in UTC
constexpr std::int64_t kHour = 3'600'000;

TEST(ParseDatetime, IsInUtcUnlessAZoneFollows) {
    EXPECT_EQ(parse_datetime("2026-01-01T00:00:00.000"), kNewYear);
    EXPECT_EQ(parse_datetime("2026-01-01T00:00:00.250Z"), kNewYear + 250);
    EXPECT_EQ(parse_datetime("2026-01-01T00:00:00.000+05:00"), kNewYear - 5 * kHour);
    EXPECT_EQ(parse_datetime("2026-01-01T00:00:00.000-0530"), kNewYear + 5 * kHour + kHour / 2);
    EXPECT_EQ(parse_datetime("2026-01-01T00:00:00.000+05"), kNewYear - 5 * kHour);
}

TEST(ParseDatetime, NumbersBeyondTheirRangeCountOn) {
    EXPECT_EQ(parse_datetime("2025-13-01T00:00:00.000"), kNewYear);
    EXPECT_EQ(parse_datetime("2025-12-31T24:00:00.000"), kNewYear);
    EXPECT_EQ(parse_datetime("2025-12-32T00:00:00.000"), kNewYear);
}

TEST(ParseDatetime, SaysWhatIsWrong) {
    EXPECT_EQ(parse_datetime("2026-01-01").error().why,
              "java.text.ParseException: Error parsing timestamp. It does not contain a 'T' "
              "according to ISO8601 format");
    for (const char* const text :
         {"2026-01-01T00:00:00Z", "2026-01-01T00:00:00.000Zx", "2026-01-01T", "T", "xT00:00:00.0Z",
          "2026-01-01T00:00:00.000+", "9999999999-01-01T00:00:00.000Z"}) {
        EXPECT_FALSE(parse_datetime(text)) << text;
    }
    EXPECT_EQ(parse_datetime("2026-01-01T00:00:00Z").error().why,
              "java.text.ParseException: Unparseable date: \"2026-01-01T00:00:00Z\"");
}

TEST(ParseDuration, HasPartsOfDaysAndTime) {
    EXPECT_EQ(parse_duration("P1D"), 24 * kHour);
    EXPECT_EQ(parse_duration("PT1H"), kHour);
    EXPECT_EQ(parse_duration("P1DT2H3M4.5S"), 26 * kHour + 3 * 60'000 + 4'500);
    EXPECT_EQ(parse_duration("PT-5M"), -300'000);
    EXPECT_EQ(parse_duration("-PT1H"), -kHour);
    EXPECT_EQ(parse_duration("pt0.25s"), 250);
}

TEST(ParseDuration, RefusesTheRest) {
    for (const char* const text :
         {"", "P", "PT", "1D", "P1", "P1H", "PT1D", "P1DT", "PT1.5H", "PTS", "P1D ", "PT1H1"}) {
        EXPECT_EQ(parse_duration(text).error().why, "Text cannot be parsed to a Duration") << text;
    }
}

}  // namespace
}  // namespace milena::cli
