// SPDX-License-Identifier: Apache-2.0
// The text of a scrape, compared whole with what the format (version 0.0.4) says.
#include "milena/telemetry/page.h"

#include <gtest/gtest.h>

namespace milena::telemetry {
namespace {

constexpr Metric kBytes{"bytes_total", Kind::counter, "Bytes."};
constexpr Metric kState{"a_state", Kind::gauge, "State."};
constexpr Metric kTime{"time", Kind::gauge, "Time."};

TEST(Page, SamplesOfOneMetricStandTogetherInTheOrderOfNames) {
    Page page;
    page.add(kBytes, {{"topic", "t"}}, 3);
    page.add(kState, 2.5);
    page.add(kBytes, 4);
    EXPECT_EQ(page.text(),
              "# HELP a_state State.\n# TYPE a_state gauge\na_state 2.5\n"
              "# HELP bytes_total Bytes.\n# TYPE bytes_total counter\n"
              "bytes_total{topic=\"t\"} 3\nbytes_total 4\n");
}

TEST(Page, LabelValuesAreEscaped) {
    Page page;
    page.add(kState, {{"a", "x\"y\\z\n"}, {"b", ""}}, 1);
    EXPECT_TRUE(page.text().ends_with("a_state{a=\"x\\\"y\\\\z\\n\",b=\"\"} 1\n"));
}

/// U+FFFD for each byte that is none; a page with such a byte is refused whole.
TEST(Page, WhatIsNotUtf8IsReplaced) {
    Page page;
    page.add(kState, {{"a", "g\xc3\xa9\xff\xe2\x82\""}}, 1);
    EXPECT_TRUE(page.text().ends_with(
        "a_state{a=\"g\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\\\"\"} 1\n"));
}

/// Clients choose the names of groups, and readers of pages take no NUL.
TEST(Page, ControlCharactersAreReplaced) {
    using namespace std::string_view_literals;
    Page page;
    page.add(kState, {{"a", "b\0c\td\ne"sv}}, 1);
    EXPECT_TRUE(
        page.text().ends_with("a_state{a=\"b\xef\xbf\xbd"
                              "c\xef\xbf\xbd"
                              "d\\ne\"} 1\n"));
}

TEST(Page, LargeCountsHaveNoExponent) {
    Page page;
    page.add(kBytes, 123'456'789'012'345.0);
    EXPECT_TRUE(page.text().ends_with("bytes_total 123456789012345\n"));
}

TEST(Page, ADistributionBecomesQuantilesAndACount) {
    Histogram histogram;
    histogram.record(2000);
    Distribution values;
    histogram.add_to(values);
    Page page;
    page.add(kTime, {{"request", "Fetch"}}, values, Scale{1e-3});
    const std::string text = page.text();
    EXPECT_NE(text.find("time{request=\"Fetch\",quantile=\"0.999\"} 2.047\n"), std::string::npos);
    EXPECT_NE(text.find("# TYPE time_count counter\ntime_count{request=\"Fetch\"} 1\n"),
              std::string::npos);
}

}  // namespace
}  // namespace milena::telemetry
