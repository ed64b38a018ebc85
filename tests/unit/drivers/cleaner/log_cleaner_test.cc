// SPDX-License-Identifier: Apache-2.0
// The loops of the cleaner over the replicas of a simulated node.
#include "milena/drivers/log_cleaner.h"

#include <gtest/gtest.h>

#include "unit/replication/cleaning/cleaned_node.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;

class LogCleanerTest : public testing::Test, protected replication::CleanedNode {
protected:
    LogCleanerTest() {
        wanted.backoff = 1s;
        wanted.io_bytes = 1;
    }
    void start() {
        cleaner = std::make_unique<LogCleaner>(node, Logger(), *replicas,
                                               [this](Uuid, PartitionIndex) { return limit; });
        cleaner->configure(wanted);
        ASSERT_TRUE(world.run(node, env::run_on(node.control(), start_it())));
    }
    void stop() { ASSERT_TRUE(world.run(node, env::run_on(node.control(), stop_it()))); }
    env::Task<void> start_it() {
        cleaner->start();
        co_return;
    }
    env::Task<void> stop_it() { co_await cleaner->stop(); }
    void TearDown() override {
        if (cleaner != nullptr) stop();
    }
    /// The value of that metric; of the directory, where it has one.
    double metric(const std::string& name) {
        telemetry::Page page;
        cleaner->write_metrics(page, node.clock().now());
        const std::string text = page.text();
        const auto at = text.find("\n" + name);
        if (at == std::string::npos) return -1;
        const auto line = text.substr(at + 1, text.find('\n', at + 1) - at - 1);
        return std::stod(line.substr(line.rfind(' ')));
    }
    double cleanings() { return metric("milena_log_cleaner_cleanings_total"); }
    double uncleanable() {
        return metric("kafka_log_logcleanermanager_uncleanable_partitions_count");
    }

    LogCleanerSettings wanted;
    std::optional<Offset> limit;
    std::unique_ptr<LogCleaner> cleaner;
};

TEST_F(LogCleanerTest, CleansWhatIsDirtyAndLooksAgainAfterItsPause) {
    apply({{kTopic, "t"}});
    fill(40);
    const std::uint64_t before = size();
    start();
    ASSERT_TRUE(world.run_until([&] { return cleanings() == 1; }, 5s));
    EXPECT_LT(size(), before / 2);
    EXPECT_GT(metric("kafka_log_logcleaner_cleaner_recopy_percent"), 0);
    EXPECT_LT(metric("kafka_log_logcleaner_cleaner_recopy_percent"), 50);
    EXPECT_GT(metric("kafka_utils_throttler_cleaner_io_count"), 0);
    world.run_for(3s);
    EXPECT_EQ(cleanings(), 1) << "there was nothing to do";
    EXPECT_LE(metric("kafka_log_logcleanermanager_time_since_last_run_ms"), 1100);
    EXPECT_EQ(metric("kafka_log_logcleanermanager_max_dirty_percent"), 0);
    fill(40);
    ASSERT_TRUE(world.run_until([&] { return cleanings() == 2; }, 5s));
}

TEST_F(LogCleanerTest, CleansTheDirtiestFirst) {
    apply({{kTopic, "t"}, {kOther, "o"}});
    fill(40);
    wanted.bytes_per_second = 2000;
    start();
    ASSERT_TRUE(world.run_until([&] { return cleanings() == 1; }, 60s));
    fill(20);  // beside what is clean already
    fill(40, kOther);
    const std::uint64_t before = size(kOther);
    ASSERT_TRUE(world.run_until([&] { return cleanings() == 2; }, 60s));
    EXPECT_LT(size(kOther), before / 2);
}

TEST_F(LogCleanerTest, KeepsToTheLimitOfBytes) {
    apply({{kTopic, "t"}});
    fill(40);
    wanted.bytes_per_second = 500;
    start();
    world.run_for(2s);
    EXPECT_EQ(cleanings(), 0);
    ASSERT_TRUE(world.run_until([&] { return cleanings() == 1; }, 120s));
    const double bytes = metric("kafka_utils_throttler_cleaner_io_count");
    EXPECT_GT(metric("kafka_log_logcleaner_max_clean_time_secs"), bytes / 500 * 0.8);
}

TEST_F(LogCleanerTest, NothingIsCleanedBeyondWhatOthersAllow) {
    apply({{kTopic, "t"}});
    fill(40);
    limit = Offset(0);
    start();
    world.run_for(5s);
    EXPECT_EQ(cleanings(), 0);
    limit.reset();
    EXPECT_TRUE(world.run_until([&] { return cleanings() == 1; }, 5s));
}

TEST_F(LogCleanerTest, ALogThatFailsIsToldAndTriedAgainAndHoldsUpNoOther) {
    apply({{kTopic, "t"}, {kOther, "o"}});
    fill(60);
    fill(40, kOther);
    node.files().flip_bit("/a/t-0/00000000000000000000.log", 900);
    start();
    ASSERT_TRUE(world.run_until([&] { return cleanings() == 1; }, 5s)) << "the other's";
    ASSERT_TRUE(world.run_until([&] { return uncleanable() == 1; }, 5s));
    EXPECT_GT(metric("kafka_log_logcleanermanager_uncleanable_bytes"), 1000);
    EXPECT_EQ(metric("milena_log_cleaner_failures_total"), 1);
    world.run_for(30s);
    EXPECT_EQ(metric("milena_log_cleaner_failures_total"), 1) << "it is left alone for a while";
    world.run_for(35s);
    EXPECT_EQ(metric("milena_log_cleaner_failures_total"), 2);
    node.files().flip_bit("/a/t-0/00000000000000000000.log", 900);
    ASSERT_TRUE(world.run_until([&] { return cleanings() == 2; }, 5min));
    EXPECT_EQ(uncleanable(), 0);
}

TEST_F(LogCleanerTest, ALogWhoseCleaningCanNotBeginHoldsUpNoOther) {
    apply({{kTopic, "t"}, {kOther, "o"}});
    fill(60);
    fill(40, kOther);
    cut_an_index_short({{kTopic, "t"}, {kOther, "o"}});
    const std::uint64_t before = size(kOther);
    limit = Offset(20);
    start();
    ASSERT_TRUE(world.run_until([&] { return cleanings() == 1; }, 5s)) << "the other's";
    EXPECT_LT(size(kOther), before);
    EXPECT_EQ(uncleanable(), 1);
    world.run_for(30s);
    EXPECT_EQ(metric("milena_log_cleaner_failures_total"), 1) << "it is left alone for a while";
    world.run_for(35s);
    EXPECT_EQ(metric("milena_log_cleaner_failures_total"), 2);
}

TEST_F(LogCleanerTest, ALogThatIsGoneIsNotCountedAnyMore) {
    apply({{kTopic, "t"}});
    fill(40);
    node.files().flip_bit("/a/t-0/00000000000000000000.log", 900);
    start();
    ASSERT_TRUE(world.run_until([&] { return uncleanable() == 1; }, 5s));
    apply({});
    EXPECT_TRUE(world.run_until([&] { return uncleanable() == 0; }, 5s));
}

TEST_F(LogCleanerTest, SettingsChangeWhileItRuns) {
    apply({{kTopic, "t"}});
    fill(40);
    wanted.threads = 0;
    wanted.backoff = 10min;
    start();
    world.run_for(5s);
    EXPECT_EQ(cleanings(), 0);
    wanted.threads = 2;
    cleaner->configure(wanted);
    ASSERT_TRUE(world.run_until([&] { return cleanings() == 1; }, 5s));
    fill(40);
    wanted.threads = 1;
    wanted.backoff = 1s;
    cleaner->configure(wanted);
    EXPECT_TRUE(world.run_until([&] { return cleanings() == 2; }, 5s));
}

TEST_F(LogCleanerTest, AStopDoesNotWaitForTheEndOfACleaning) {
    apply({{kTopic, "t"}});
    fill(40);
    wanted.bytes_per_second = 1;
    start();
    world.run_for(3s);
    const env::Instant begin = world.now();
    stop();
    cleaner.reset();
    EXPECT_LT(world.now() - begin, 2s);
    for (const std::string& name : names("/a/t-0")) {
        EXPECT_FALSE(name.ends_with(".cleaned") || name.ends_with(".swap")) << name;
    }
}

}  // namespace
}  // namespace milena::drivers
