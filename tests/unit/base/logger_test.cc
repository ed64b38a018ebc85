// SPDX-License-Identifier: Apache-2.0
// Log lines as a sink receives them.
#include "milena/base/logger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace milena {
namespace {

class Recorder final : public LogSink {
public:
    void write(const LogLine& line) override {
        lines.emplace_back(line.level, line.text());
        json = line.json_members();
    }
    std::vector<std::pair<LogLevel, std::string>> lines;
    std::string json;
};

class LoggerTest : public testing::Test {
protected:
    std::string last() const { return sink->lines.empty() ? "" : sink->lines.back().second; }
    std::shared_ptr<Recorder> sink = std::make_shared<Recorder>();
    Logger log{sink, LogLevel::info};
};

TEST_F(LoggerTest, WritesThePhraseThenTheFields) {
    LOG_INFO(log, "became leader", kv("partition", "t-0"), kv("leader_epoch", 7));
    EXPECT_EQ(last(), "became leader partition=t-0 leader_epoch=7");
    EXPECT_EQ(sink->lines.back().first, LogLevel::info);
    LOG_ERROR(log, "just this");
    EXPECT_EQ(last(), "just this");
    EXPECT_EQ(sink->lines.back().first, LogLevel::error);
}

TEST_F(LoggerTest, ADerivedLoggerAddsItsFieldsToEveryLine) {
    const Logger node = log.with("node", 3);
    const Logger partition = node.with("partition", "t-0");
    LOG_INFO(partition, "rolled", kv("at", 17));
    EXPECT_EQ(last(), "rolled at=17 node=3 partition=t-0");
    LOG_INFO(log, "plain");
    EXPECT_EQ(last(), "plain");
}

TEST_F(LoggerTest, LevelsBelowItsOwnAreNotEvenFormatted) {
    int evaluated = 0;
    const auto costly = [&evaluated] { return ++evaluated; };
    LOG_DEBUG(log, "hidden", kv("n", costly()));
    LOG_TRACE(log, "hidden", kv("n", costly()));
    EXPECT_EQ(evaluated, 0);
    EXPECT_TRUE(sink->lines.empty());
    LOG_WARN(log, "shown", kv("n", costly()));
    EXPECT_EQ(evaluated, 1);
    EXPECT_TRUE(log.enabled(LogLevel::warn));
    EXPECT_FALSE(log.enabled(LogLevel::debug));
}

TEST_F(LoggerTest, ALoggerWithoutASinkSaysNothing) {
    const Logger silent;
    EXPECT_FALSE(silent.enabled(LogLevel::error));
    LOG_ERROR(silent, "nobody hears");
    LOG_ERROR(silent.with("a", 1), "nobody hears");
}

TEST_F(LoggerTest, ValuesCantForgeALine) {
    LOG_INFO(log, "request", kv("client", "a\n2026 ERROR all is lost x=\"1\""));
    EXPECT_EQ(last(), R"(request client="a\x0a2026 ERROR all is lost x=\"1\"")");
    const std::pair<std::string_view, std::string_view> escaped[] = {
        {"", R"(v="")"},
        {"a b", R"(v="a b")"},
        {"a=b", R"(v="a=b")"},
        {"back\\slash", R"(v="back\\slash")"},
        {"\x7F\xFF\x1B[0m", R"(v="\x7f\xff\x1b[0m")"},
        {"topic-1_x.y:9092", "v=topic-1_x.y:9092"},
    };
    for (const auto& [value, text] : escaped) {
        LOG_INFO(log, "said", kv("v", value));
        EXPECT_EQ(last(), fmt::format("said {}", text));
    }
}

TEST_F(LoggerTest, AJsonLineHoldsTheSameAndIsJsonWhateverTheValue) {
    LOG_WARN(log.with("node_id", 1), "it \"happened\"", kv("count", 17), kv("share", 0.5),
             kv("is", true), kv("text", "a\n\xFF\\b\"c"), kv("nan", std::nan("")));
    EXPECT_EQ(sink->json, R"("level":"WARN","message":"it \"happened\"","count":17,"share":0.5,)"
                          R"("is":"true","text":"a\u000a\u00ff\\b\"c","nan":"nan","node_id":1)");
}

TEST(LogLimit, LetsOneThroughPerIntervalAndCountsTheRest) {
    using std::chrono::seconds;
    LogLimit limit{seconds(10)};
    std::uint64_t suppressed = 99;
    EXPECT_TRUE(limit.admit(seconds(5), suppressed));
    EXPECT_EQ(suppressed, 0U);
    EXPECT_FALSE(limit.admit(seconds(5), suppressed));
    EXPECT_FALSE(limit.admit(seconds(14), suppressed));
    EXPECT_TRUE(limit.admit(seconds(15), suppressed));
    EXPECT_EQ(suppressed, 2U);
    EXPECT_TRUE(limit.admit(seconds(100), suppressed));
    EXPECT_EQ(suppressed, 0U);
}

TEST(ConsoleSink, WritesTimeLevelAndLine) {
    testing::internal::CaptureStdout();
    const LogField dir = kv("dir", "/d");
    make_console_sink()->write({LogLevel::warn, "disk is slow", std::span(&dir, 1)});
    const std::string out = testing::internal::GetCapturedStdout();
    // 2026-11-29 17:40:39.123 WARN  disk is slow dir=/d
    EXPECT_EQ(out.size(), std::string("2026-11-29 17:40:39.123 WARN  disk is slow dir=/d\n").size())
        << out;
    EXPECT_TRUE(out.ends_with(" WARN  disk is slow dir=/d\n")) << out;
}

}  // namespace
}  // namespace milena
