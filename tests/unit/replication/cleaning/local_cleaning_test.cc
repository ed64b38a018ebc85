// SPDX-License-Identifier: Apache-2.0
// Cleanings of a node's replicas: to their end, and called off by what happens to a replica.
#include "cleaning/local_cleaning.h"

#include <algorithm>
#include <cerrno>

#include "cleaned_node.h"

namespace milena::replication {
namespace {

using Outcome = LogCleaning::Outcome;

class LocalCleaningTest : public testing::Test, protected CleanedNode {
protected:
    void SetUp() override {
        apply({{kTopic, "t"}});
        fill(40);
    }
    std::unique_ptr<LogCleaning> begin() {
        const auto logs = list();
        return logs.size() == 1 ? replicas->cleanable_logs().begin(logs[0], limits()) : nullptr;
    }
    /// Up to its end, or `steps` of it.
    static Result<Outcome> run(LogCleaning& cleaning, int steps = 1000) {
        Result<Outcome> outcome = Outcome::goes_on;
        while (steps-- > 0 && outcome && *outcome == Outcome::goes_on) outcome = cleaning.step();
        return outcome;
    }
    bool has_leftovers(const std::string& path) {
        return std::ranges::any_of(names(path), [](const std::string& name) {
            return name.ends_with(".cleaned") || name.ends_with(".swap");
        });
    }
    std::string checkpoint() {
        EXPECT_TRUE(replicas->checkpoint());
        return *env::read_file(node.files(), "/a/cleaner-offset-checkpoint", 999);
    }
};

TEST_F(LocalCleaningTest, ACleaningComesToItsEnd) {
    const std::uint64_t before = size();
    const auto logs = list();
    ASSERT_EQ(logs.size(), 1U);
    EXPECT_EQ(logs[0].name.text(), "t-0");
    EXPECT_EQ(logs[0].directory, "/a");
    EXPECT_EQ(checkpoint(), "0\n0\n");
    const auto cleaning = begin();
    ASSERT_NE(cleaning, nullptr);
    EXPECT_EQ(run(*cleaning).value(), Outcome::done);
    EXPECT_LT(size(), before / 2);
    EXPECT_EQ(partition()->log_end_offset(), Offset(40));
    EXPECT_FALSE(has_leftovers("/a/t-0"));
    EXPECT_TRUE(list().empty()) << "nothing is dirty";
    EXPECT_EQ(checkpoint(), fmt::format("0\n1\nt 0 {}\n", logs[0].dirty.end));
    EXPECT_EQ(cleaning->figures().records_kept, 3U);
    EXPECT_GT(cleaning->figures().segments_before, 3U);
    // The old files wait for their delay, which is over.
    EXPECT_EQ(replicas->remove_deleted(), env::kNever);
    EXPECT_TRUE(std::ranges::none_of(
        names("/a/t-0"), [](const std::string& name) { return name.ends_with(".deleted"); }));
}

TEST_F(LocalCleaningTest, AStartKnowsHowFarALogIsClean) {
    ASSERT_EQ(run(*begin()).value(), Outcome::done);
    for (const bool is_clean : {true, false}) {
        if (is_clean) {
            ASSERT_TRUE(replicas->close());
        } else {
            checkpoint();
        }
        open(is_clean);
        EXPECT_EQ(checkpoint().substr(0, 4), "0\n1\n") << "before anybody claims the log";
        apply({{kTopic, "t"}});
        EXPECT_TRUE(list().empty());
    }
    fill(20);
    const auto logs = list();
    ASSERT_EQ(logs.size(), 1U);
    EXPECT_GT(logs[0].dirty.clean_bytes, 0U);
    EXPECT_GT(logs[0].dirty.first_dirty, Offset(0));
}

TEST_F(LocalCleaningTest, ALimitIsKept) {
    const auto limited = [&](std::optional<Offset> limit) {
        return replicas->cleanable_logs().list([limit](Uuid topic, PartitionIndex index) {
            EXPECT_EQ(topic, kTopic);
            EXPECT_EQ(index, PartitionIndex(0));
            return limit;
        });
    };
    EXPECT_TRUE(limited(Offset(0)).empty());
    const auto some = limited(Offset(10));
    ASSERT_EQ(some.size(), 1U);
    EXPECT_LE(some[0].dirty.end, Offset(10));
    EXPECT_GT(limited(std::nullopt)[0].dirty.end, Offset(10));
}

TEST_F(LocalCleaningTest, OtherTopicsAreNotListed) {
    settings.log.compaction.reset();
    apply({{kTopic, "t"}, {kOther, "o"}});
    partition()->configure(settings);
    fill(40, kOther);
    EXPECT_TRUE(list().empty());
}

TEST_F(LocalCleaningTest, ADeletionCallsItOffWhereverItIs) {
    for (int steps = 1;; ++steps) {
        CleanedNode scene;
        scene.apply({{kTopic, "t"}});
        scene.fill(40);
        const auto logs = scene.list();
        const auto cleaning = scene.replicas->cleanable_logs().begin(logs[0], scene.limits());
        if (run(*cleaning, steps).value() == Outcome::done) break;
        // A topic of the same name, whose directory has the same path.
        scene.apply({{kOther, "t"}});
        scene.fill(5, kOther);
        const auto before = scene.names("/a/t-0");
        EXPECT_EQ(cleaning->step().value(), Outcome::called_off) << steps;
        cleaning->give_up();
        EXPECT_EQ(scene.names("/a/t-0"), before) << steps;
        EXPECT_EQ(scene.partition(kOther)->log_end_offset(), Offset(5));
        EXPECT_EQ(scene.replicas->cleanable_logs().begin(logs[0], scene.limits()), nullptr);
    }
}

/// Retention wants all of the log, wherever the cleaning is.
TEST_F(LocalCleaningTest, SegmentsDoNotGoByAgeWhileTheyAreCleaned) {
    bool is_done = false;
    for (int steps = 0; !is_done; ++steps) {
        CleanedNode scene;
        scene.apply({{kTopic, "t"}});
        scene.fill(40);
        const auto cleaning =
            scene.replicas->cleanable_logs().begin(scene.list()[0], scene.limits());
        is_done = run(*cleaning, steps).value() == Outcome::done;
        scene.settings.log.retention_bytes = 0;
        scene.partition()->configure(scene.settings);
        scene.replicas->enforce_retention();
        scene.replicas->remove_deleted();
        EXPECT_EQ(scene.partition()->log_start_offset() > Offset(0), is_done) << steps;
        if (!is_done) {
            const auto outcome = run(*cleaning);
            ASSERT_TRUE(outcome) << steps << ": " << outcome.error().why;
            EXPECT_EQ(*outcome, Outcome::done) << steps;
        }
        EXPECT_FALSE(scene.partition()->offline()) << steps;
        scene.replicas->enforce_retention();
        EXPECT_GT(scene.partition()->log_start_offset(), Offset(30)) << steps;
        EXPECT_FALSE(scene.partition()->offline()) << steps;
    }
}

TEST_F(LocalCleaningTest, SegmentsGoByAgeOnceACleaningIsGivenUpOrForgotten) {
    settings.log.retention_bytes = 0;
    partition()->configure(settings);
    auto cleaning = begin();
    ASSERT_EQ(run(*cleaning, 3).value(), Outcome::goes_on);
    cleaning->give_up();
    replicas->enforce_retention();
    const Offset start = partition()->log_start_offset();
    EXPECT_GT(start, Offset(30));
    fill(40);
    cleaning = begin();
    ASSERT_EQ(run(*cleaning, 3).value(), Outcome::goes_on);
    replicas->enforce_retention();
    EXPECT_EQ(partition()->log_start_offset(), start) << "it is cleaned";
    cleaning.reset();
    replicas->enforce_retention();
    EXPECT_GT(partition()->log_start_offset(), start);
}

/// At each place of it.
TEST_F(LocalCleaningTest, AChangeOfTheTopicThatLetsLessGoCallsItOff) {
    using storage::CompactionOptions;
    const CompactionOptions before{.min_cleanable_dirty_ratio = 0, .min_compaction_lag_ms = 0};
    CompactionOptions later = before;
    later.delete_retention_ms += 1;
    CompactionOptions older = before;
    older.min_compaction_lag_ms = 1'000'000;
    for (const auto& after :
         {std::optional<CompactionOptions>(), std::optional(later), std::optional(older)}) {
        for (int steps = 0;; ++steps) {
            CleanedNode scene;
            scene.apply({{kTopic, "t"}});
            scene.fill(40);
            const auto cleaning =
                scene.replicas->cleanable_logs().begin(scene.list()[0], scene.limits());
            if (run(*cleaning, steps).value() == Outcome::done) break;
            scene.settings.log.compaction = after;
            scene.partition()->configure(scene.settings);
            const std::uint64_t bytes = scene.size();
            EXPECT_EQ(run(*cleaning).value(), Outcome::called_off) << steps;
            EXPECT_EQ(scene.size(), bytes) << steps;
            for (const std::string& name : scene.names("/a/t-0"))
                EXPECT_FALSE(name.ends_with(".cleaned") || name.ends_with(".swap")) << name;
        }
    }
}

TEST_F(LocalCleaningTest, AChangeOfTheTopicThatLetsMoreGoDoesNot) {
    const auto cleaning = begin();
    ASSERT_EQ(run(*cleaning, 3).value(), Outcome::goes_on);
    settings.log.compaction->delete_retention_ms = 0;
    partition()->configure(settings);
    EXPECT_EQ(run(*cleaning).value(), Outcome::done);
}

TEST_F(LocalCleaningTest, ASwapThatHasBegunComesToItsEnd) {
    const auto local = std::static_pointer_cast<LocalPartition>(partition());
    const auto cleaning =
        storage::Cleaning::make(node.files(), **local->begin_cleaning(list()[0].dirty), limits());
    while (cleaning->step().value() != storage::Cleaning::Step::ready) {
    }
    const storage::CleaningTicket ticket = cleaning->source().ticket;
    const storage::CleanedSegment& cleaned = cleaning->ready();
    ASSERT_TRUE(local->begin_swap_in(ticket, cleaned));
    settings.log.compaction.reset();
    partition()->configure(settings);
    ASSERT_TRUE(storage::make_final(node.files(), "/a/t-0", cleaned));
    ASSERT_TRUE(local->replace_by(ticket, cleaned)->has_value());
    EXPECT_TRUE(local->come_home(ticket, cleaned).value());
    EXPECT_FALSE(has_leftovers("/a/t-0"));
    EXPECT_FALSE(local->may_clean(ticket));
}

TEST_F(LocalCleaningTest, ACopyThatBeginsInTheMiddleOfASwapCallsItOff) {
    const auto local = std::static_pointer_cast<LocalPartition>(partition());
    const auto cleaning =
        storage::Cleaning::make(node.files(), **local->begin_cleaning(list()[0].dirty), limits());
    while (cleaning->step().value() != storage::Cleaning::Step::ready) {
    }
    const storage::CleaningTicket ticket = cleaning->source().ticket;
    const storage::CleanedSegment& cleaned = cleaning->ready();
    ASSERT_TRUE(local->begin_swap_in(ticket, cleaned));
    ASSERT_TRUE(storage::make_final(node.files(), "/a/t-0", cleaned));
    local->set_copied(true);
    EXPECT_FALSE(local->replace_by(ticket, cleaned)->has_value());
    ASSERT_TRUE(local->call_off_swap_in(ticket));
    EXPECT_FALSE(has_leftovers("/a/t-0"));
    EXPECT_TRUE(list().empty());
    local->end_cleaning(ticket);
    local->set_copied(false);
    ASSERT_EQ(run(*begin()).value(), Outcome::done);
}

TEST_F(LocalCleaningTest, WhoeverGivesUpLeavesNothing) {
    const auto cleaning = begin();
    int steps = 0;
    while (!has_leftovers("/a/t-0")) {
        ASSERT_EQ(cleaning->step().value(), Outcome::goes_on);
        ASSERT_LT(++steps, 100) << "no file is ever half done";
    }
    cleaning->give_up();
    EXPECT_FALSE(has_leftovers("/a/t-0"));
    ASSERT_EQ(run(*begin()).value(), Outcome::done);
}

TEST_F(LocalCleaningTest, AFullDiskFailsTheCleaningAndNothingElse) {
    const auto cleaning = begin();
    node.faults().fail_call(8, ENOSPC);
    const auto outcome = run(*cleaning);
    ASSERT_FALSE(outcome);
    EXPECT_FALSE(partition()->offline());
    EXPECT_FALSE(has_leftovers("/a/t-0"));
    fill(5);
    EXPECT_EQ(run(*begin()).value(), Outcome::done);
}

TEST_F(LocalCleaningTest, ADiskThatFailsTakesItsDirectory) {
    const auto cleaning = begin();
    node.faults().fail_call(8, EIO);
    ASSERT_FALSE(run(*cleaning));
    EXPECT_TRUE(partition()->offline());
    replicas->note_failed_logs();
    EXPECT_EQ(replicas->failed_directories().size(), 1U);
}

TEST_F(LocalCleaningTest, WhatCanNotBeginIsAnError) {
    cut_an_index_short({{kTopic, "t"}});
    const auto found = list(Offset(10));
    ASSERT_EQ(found.size(), 1U);
    const auto begun = replicas->cleanable_logs().begin(found[0], limits());
    ASSERT_NE(begun, nullptr);
    const auto outcome = begun->step();
    ASSERT_FALSE(outcome);
    EXPECT_NE(outcome.error().why.find(".txnindex"), std::string::npos) << outcome.error().why;
    EXPECT_FALSE(partition()->offline());
    node.faults().fail_call(0, EIO);
    ASSERT_FALSE(replicas->cleanable_logs().begin(found[0], limits())->step());
    EXPECT_TRUE(partition()->offline());
}

TEST_F(LocalCleaningTest, ALogThatIsNotWhatItWasIsNoError) {
    const auto found = list();
    const auto cleaning = begin();
    EXPECT_EQ(begin(), nullptr) << "one at a time";
    settings.log.compaction.reset();
    partition()->configure(settings);
    EXPECT_EQ(replicas->cleanable_logs().begin(found[0], limits()), nullptr);
}

TEST_F(LocalCleaningTest, ADamagedBatchIsToldWithItsFile) {
    node.files().flip_bit("/a/t-0/00000000000000000000.log", 900);
    const auto outcome = run(*begin());
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().code, ErrorCode::corrupt_message);
    EXPECT_NE(outcome.error().why.find("/a/t-0/00000000000000000000.log"), std::string::npos);
    EXPECT_FALSE(partition()->offline());
}

}  // namespace
}  // namespace milena::replication
