// SPDX-License-Identifier: Apache-2.0
// Replicas that move between two log directories of a simulated disk. The driver's part, a step
// after the other, is played by the test.
#include "moves/local_moves.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core_script.h"
#include "memory_log.h"
#include "milena/replication/replicas.h"
#include "produce.h"
#include "sim/world.h"

namespace milena::replication {
namespace {

constexpr Uuid kTopic{7, 1};
constexpr Uuid kOther{7, 2};
constexpr Uuid kDirectoryA{500, 9};
constexpr Uuid kDirectoryB{501, 9};
constexpr MoveKey kKey{kTopic, PartitionIndex(0)};

std::optional<Offset> no_limit(Uuid /*topic*/, PartitionIndex /*partition*/) {
    return std::nullopt;
}

class LocalMovesTest : public testing::Test {
protected:
    LocalMovesTest() {
        open(true);
        apply({kDirectoryA});
    }

    /// A start of the process, that may lack the first directory.
    void open(bool clean, bool has_a = true) {
        replicas_.reset();
        directories_.clear();
        std::vector<storage::LogDirectory*> all;
        for (const auto& [path, id] : {std::pair("/a", kDirectoryA), {"/b", kDirectoryB}}) {
            if (id == kDirectoryA && !has_a) continue;
            directories_.push_back(storage::LogDirectory::open(node_, Logger(), path).value());
            if (!directories_.back()->meta().value())
                directories_.back()->write_meta({"cluster", BrokerId(1), id}).value();
            all.push_back(directories_.back().get());
        }
        replicas_ =
            Replicas::make(node_, Logger(), BrokerId(1), std::move(all),
                           [this](const metadata::Image&, std::string_view) { return settings_; });
        if (!has_a) replicas_->lacks({"/a"});
        ASSERT_TRUE(replicas_->load(std::vector<bool>(directories_.size(), clean)));
    }
    void open_killed() {
        open(false);
        apply(assigned_);
    }
    /// The metadata: t-0 led by this broker, in that directory.
    void apply(std::optional<Uuid> directory) {
        assigned_ = directory;
        metadata::TopicImage topic{.name = "t", .id = kTopic, .partitions = {}};
        metadata::PartitionRegistration partition;
        partition.replicas = partition.in_sync_replicas = brokers({1});
        partition.leader = BrokerId(1);
        partition.leader_epoch = LeaderEpoch(++epoch_);
        partition.partition_epoch = PartitionEpoch(epoch_);
        if (directory) partition.directories = {*directory};
        auto editor = decltype(topic.partitions)::Editor(topic.partitions);
        editor.set(PartitionIndex(0), partition);
        topic.partitions = std::move(editor).finish();
        metadata::TopicsImage topics;
        auto all = decltype(topics.by_id)::Editor(topics.by_id);
        all.set(kTopic, std::make_shared<const metadata::TopicImage>(topic));
        topics.by_id = std::move(all).finish();
        image_.topics = std::make_shared<const metadata::TopicsImage>(topics);
        replicas_->apply(image_, std::vector{kTopic});
    }
    void delete_topic() {
        image_.topics = std::make_shared<const metadata::TopicsImage>();
        replicas_->apply(image_, std::vector{kTopic});
    }
    std::shared_ptr<Partition> partition() { return replicas_->find(kTopic, PartitionIndex(0)); }
    void produce(int batches) {
        for (int i = 0; i < batches; ++i) {
            auto batch = batch_of(1, node_.clock().wall());
            const auto answer = produce_in(*partition(), batch, Acks::leader, node_.clock().now(),
                                           [](const ProduceAnswer&) {});
            ASSERT_TRUE(answer && answer->code == ErrorCode::none);
        }
    }
    ErrorCode place(std::string_view directory) {
        return moves().place(kTopic, {"t", PartitionIndex(0)}, directory);
    }
    Moves& moves() { return replicas_->moves(); }
    /// Copies until nothing is left to be copied; the last step.
    CopyStep copy() {
        CopyStep step = moves().copy(kKey);
        for (int i = 0; i < 100 && !step.is_caught_up; ++i) step = moves().copy(kKey);
        return step;
    }
    /// The whole of a move, whose metadata comes in time.
    void move() {
        ASSERT_EQ(place("/b"), ErrorCode::none);
        ASSERT_TRUE(copy().is_news);
        apply(kDirectoryB);
        ASSERT_TRUE(copy().may_finish);
        moves().finish(kKey);
        ASSERT_TRUE(moves().under_way().empty());
    }
    /// A start that finds the copy of three records and no log.
    void kill_between_the_renames() {
        produce(3);
        ASSERT_EQ(place("/b"), ErrorCode::none);
        ASSERT_TRUE(copy().is_caught_up);
        replicas_.reset();
        ASSERT_TRUE(node_.files().rename("/a/t-0", fmt::format("/a/t-0.{:032x}-delete", 1)));
        open(false);
    }
    std::vector<std::string> in(const std::string& directory) {
        std::vector<std::string> names;
        for (const auto& entry : node_.files().list(directory).value())
            if (entry.is_directory) names.push_back(entry.name);
        return names;
    }
    std::vector<PlacedReplica> misplaced() {
        return replicas_->misplaced(image_, std::vector{kTopic});
    }
    std::vector<std::byte> records() {
        const auto answer =
            partition()->fetch({.from = Offset(0), .bytes_max = 1 << 20, .is_copy = true});
        std::vector<std::byte> bytes(answer.records.length);
        if (!bytes.empty()) answer.records.file->read_at(answer.records.position, bytes).value();
        return bytes;
    }

    sim::World world_{1};
    sim::Node& node_{world_.add_node("n1")};
    std::vector<std::unique_ptr<storage::LogDirectory>> directories_;
    PartitionSettings settings_;
    std::unique_ptr<Replicas> replicas_;
    metadata::Image image_ = *metadata::Image::empty();
    std::optional<Uuid> assigned_;
    int epoch_ = 0;
};

TEST_F(LocalMovesTest, TheCopyTakesOverWhenTheMetadataSaysSo) {
    produce(5);
    const auto before = records();
    ASSERT_EQ(in("/a"), std::vector<std::string>{"t-0"});
    ASSERT_EQ(place("/b"), ErrorCode::none);
    EXPECT_THAT(in("/b"), testing::ElementsAre(testing::MatchesRegex("t-0\\.[0-9a-f]+-future")));
    EXPECT_TRUE(misplaced().empty());
    const CopyStep step = copy();
    EXPECT_TRUE(step.is_news);
    EXPECT_FALSE(step.may_finish);
    EXPECT_EQ(misplaced(), (std::vector<PlacedReplica>{{kTopic, PartitionIndex(0), kDirectoryB}}));
    produce(2);  // while the controller is told
    EXPECT_FALSE(copy().is_news);
    apply(kDirectoryB);
    EXPECT_TRUE(misplaced().empty());
    produce(1);
    EXPECT_TRUE(copy().may_finish);
    produce(1);  // the last is copied in the swap
    moves().finish(kKey);

    EXPECT_EQ(in("/b"), std::vector<std::string>{"t-0"});
    EXPECT_THAT(in("/a"), testing::ElementsAre(testing::MatchesRegex("t-0\\.[0-9a-f]+-delete")));
    EXPECT_EQ(partition()->log_end_offset(), Offset(9));
    EXPECT_EQ(partition()->high_watermark(), Offset(9));
    EXPECT_TRUE(misplaced().empty());
    const auto after = records();
    ASSERT_GT(after.size(), before.size());
    EXPECT_TRUE(std::ranges::equal(std::span(after).first(before.size()), before));
    produce(3);
    EXPECT_EQ(partition()->log_end_offset(), Offset(12));
    ASSERT_TRUE(replicas_->close());
    open(true);
    apply(kDirectoryB);
    EXPECT_EQ(partition()->log_end_offset(), Offset(12));
}

TEST_F(LocalMovesTest, WhatIsToldWhileItRunsIsTheCopyAndItsLag) {
    produce(4);
    ASSERT_EQ(place("/b"), ErrorCode::none);
    auto states = replicas_->directories();
    ASSERT_EQ(states[1].logs.size(), 1U);
    EXPECT_TRUE(states[1].logs[0].is_copy);
    EXPECT_EQ(states[1].logs[0].lag, 4);
    copy();
    states = replicas_->directories();
    EXPECT_EQ(states[1].logs[0].lag, 0);
    EXPECT_EQ(states[1].logs[0].bytes, states[0].logs[0].bytes);
    EXPECT_FALSE(states[0].logs[0].is_copy);
}

TEST_F(LocalMovesTest, RefusesWhatCanNotBe) {
    EXPECT_EQ(place("/c"), ErrorCode::log_dir_not_found);
    EXPECT_EQ(place("/a"), ErrorCode::none);  // it lies there
    EXPECT_TRUE(moves().under_way().empty());
    EXPECT_EQ(moves().place(kTopic, {"t", PartitionIndex(1)}, "/b"),
              ErrorCode::replica_not_available);
    EXPECT_EQ(moves().place(kOther, {std::string(213, 'x'), PartitionIndex(0)}, "/b"),
              ErrorCode::replica_not_available);
    EXPECT_EQ(moves().place(kOther, {std::string(214, 'x'), PartitionIndex(0)}, "/b"),
              ErrorCode::invalid_topic_exception);
}

TEST_F(LocalMovesTest, AReplicaThatIsNotThereYetIsMadeWhereItWasWanted) {
    delete_topic();
    for (int i = 0; i < 3; ++i) ASSERT_EQ(place("/b"), ErrorCode::replica_not_available);
    apply(kDirectoryA);
    EXPECT_EQ(in("/b"), std::vector<std::string>{"t-0"});
    EXPECT_EQ(misplaced(), (std::vector<PlacedReplica>{{kTopic, PartitionIndex(0), kDirectoryB}}));
}

TEST_F(LocalMovesTest, IsCalledOffByAWishForWhereItLies) {
    produce(4);
    ASSERT_EQ(place("/b"), ErrorCode::none);
    copy();
    EXPECT_EQ(place("/b"), ErrorCode::none);  // goes on
    EXPECT_EQ(moves().under_way(), std::vector{kKey});
    EXPECT_EQ(place("/a"), ErrorCode::none);
    EXPECT_TRUE(moves().under_way().empty());
    EXPECT_TRUE(misplaced().empty());
    EXPECT_THAT(in("/b"), testing::ElementsAre(testing::MatchesRegex("t-0\\.[0-9a-f]+-delete")));
    EXPECT_EQ(moves().copy(kKey).bytes, 0U);
    replicas_->remove_deleted();
    EXPECT_TRUE(in("/b").empty());
    EXPECT_EQ(partition()->log_end_offset(), Offset(4));
}

TEST_F(LocalMovesTest, GoesWithItsTopic) {
    produce(4);
    ASSERT_EQ(place("/b"), ErrorCode::none);
    copy();
    delete_topic();
    EXPECT_TRUE(moves().under_way().empty());
    for (const char* directory : {"/a", "/b"})
        EXPECT_THAT(in(directory),
                    testing::ElementsAre(testing::MatchesRegex("t-0\\.[0-9a-f]+-delete")));
}

TEST_F(LocalMovesTest, GoesOnAfterAKillAndAfterAStop) {
    produce(4);
    ASSERT_EQ(place("/b"), ErrorCode::none);
    copy();
    produce(4);
    for (const bool clean : {false, true}) {
        if (clean) ASSERT_TRUE(replicas_->close());
        open(clean);
        apply(kDirectoryA);
        EXPECT_EQ(moves().under_way(), std::vector{kKey});
        produce(1);
    }
    EXPECT_TRUE(copy().is_news);
    apply(kDirectoryB);
    ASSERT_TRUE(copy().may_finish);
    moves().finish(kKey);
    EXPECT_EQ(in("/b"), std::vector<std::string>{"t-0"});
    EXPECT_EQ(partition()->log_end_offset(), Offset(10));
}

TEST_F(LocalMovesTest, FollowsALogThatWasCutAndOneThatBeginsLater) {
    produce(6);
    ASSERT_EQ(place("/b"), ErrorCode::none);
    copy();
    ASSERT_EQ(partition()->delete_records(Offset(3), [](BrokerId) { return true; }).code,
              ErrorCode::none);
    produce(1);
    EXPECT_TRUE(copy().is_caught_up);
    apply(kDirectoryB);
    ASSERT_TRUE(copy().may_finish);
    moves().finish(kKey);
    EXPECT_EQ(partition()->log_start_offset(), Offset(3));
    EXPECT_EQ(partition()->log_end_offset(), Offset(7));
}

TEST_F(LocalMovesTest, ALogThatHasLostAllItsRecordsMoves) {
    for (const bool has_files : {true, false}) {
        produce(3);
        const Offset end = partition()->log_end_offset();
        ASSERT_EQ(partition()->delete_records(end, [](BrokerId) { return true; }).code,
                  ErrorCode::none);
        if (!has_files) {
            ASSERT_TRUE(partition()->flush());
            replicas_->enforce_retention();
        }
        const bool is_in_a = has_files;
        ASSERT_EQ(place(is_in_a ? "/b" : "/a"), ErrorCode::none);
        copy();
        apply(is_in_a ? kDirectoryB : kDirectoryA);
        ASSERT_TRUE(copy().may_finish);
        moves().finish(kKey);
        ASSERT_TRUE(moves().under_way().empty());
        EXPECT_EQ(partition()->log_start_offset(), end);
        EXPECT_EQ(partition()->log_end_offset(), end);
        produce(1);
        EXPECT_EQ(partition()->log_end_offset(), end + 1);
    }
}

/// The process ends at each call to the disk of the swap in turn: the start after it finds the
/// replica in one of the two directories, with all its records.
TEST_F(LocalMovesTest, AKillInTheMiddleOfTheSwapLosesNothing) {
    bool has_ended = false;
    for (std::uint64_t calls = 0; !has_ended; ++calls) {
        ASSERT_LT(calls, 200U);
        produce(3);
        const Offset end = partition()->log_end_offset();
        ASSERT_TRUE(partition()->flush());
        const bool is_in_a = in("/a").size() == 1 && in("/a")[0] == "t-0";
        ASSERT_EQ(place(is_in_a ? "/b" : "/a"), ErrorCode::none);
        ASSERT_TRUE(copy().is_caught_up);
        apply(is_in_a ? kDirectoryB : kDirectoryA);
        ASSERT_TRUE(copy().may_finish) << calls;
        node_.faults().fail_call(calls, EIO);
        moves().finish(kKey);
        has_ended = !node_.faults().has_fired();
        node_.faults().clear();
        // One disk has failed, and takes no more than its directory with it.
        replicas_->note_failed_logs();
        ASSERT_LE(replicas_->failed_directories().size(), 1U) << calls;
        open_killed();
        ASSERT_NE(partition(), nullptr);
        ASSERT_FALSE(partition()->offline()) << calls;
        ASSERT_EQ(partition()->log_end_offset(), end) << calls;
        if (!moves().under_way().empty()) {
            ASSERT_TRUE(copy().may_finish) << calls;
            moves().finish(kKey);
        }
        ASSERT_TRUE(moves().under_way().empty()) << calls;
        ASSERT_EQ(partition()->log_end_offset(), end) << calls;
        // What is left of either has gone.
        while (replicas_->remove_deleted() <= node_.clock().now()) {
        }
        world_.run_for(std::chrono::minutes(2));
        replicas_->remove_deleted();
        EXPECT_EQ(in("/a").size() + in("/b").size(), 1U) << calls;
    }
}

TEST_F(LocalMovesTest, AProcessThatMayOpenNoMoreFilesKeepsItsDirectories) {
    produce(1);
    node_.faults().fail_call(0, EMFILE);
    EXPECT_EQ(place("/b"), ErrorCode::kafka_storage_error);
    EXPECT_TRUE(replicas_->failed_directories().empty());
    EXPECT_EQ(place("/b"), ErrorCode::none);
}

TEST_F(LocalMovesTest, TheEndOfAMoveThatTheControllerKnowsIsTold) {
    int told = 0;
    moves().when_due([&] { ++told; });
    ASSERT_EQ(place("/b"), ErrorCode::none);
    ASSERT_EQ(place("/a"), ErrorCode::none);
    EXPECT_TRUE(moves().take_ended().empty()) << "nobody knew of it";
    for (const bool is_failure : {false, true}) {
        ASSERT_EQ(place("/b"), ErrorCode::none);
        copy();
        apply(kDirectoryB);
        told = 0;
        if (is_failure) node_.faults().fail_call(0, EIO);
        is_failure ? moves().finish(kKey) : static_cast<void>(place("/a"));
        EXPECT_EQ(told, 1);
        EXPECT_EQ(moves().take_ended(), std::vector{kTopic});
        EXPECT_TRUE(moves().take_ended().empty());
        EXPECT_EQ(misplaced()[0].directory, kDirectoryA);
        apply(kDirectoryA);
    }
}

TEST_F(LocalMovesTest, ADiskThatDoesNotTakeTheCopyFailsItsOwnDirectoryOnly) {
    produce(3);
    ASSERT_EQ(place("/b"), ErrorCode::none);
    open_killed();  // the copy is opened with its first piece
    node_.faults().fail_call(0, EIO);
    moves().copy(kKey);
    EXPECT_TRUE(node_.faults().has_fired());
    EXPECT_TRUE(replicas_->directories()[0].is_usable);
    EXPECT_FALSE(replicas_->directories()[1].is_usable);
    EXPECT_FALSE(partition()->offline());
}

TEST_F(LocalMovesTest, ACopyDoesNotTakeOverWhileADirectoryIsMissing) {
    produce(3);
    ASSERT_EQ(place("/b"), ErrorCode::none);
    ASSERT_TRUE(copy().is_caught_up);
    apply(kDirectoryB);
    produce(2);  // in the log only
    open(false, false);
    for (int i = 0; i < 2; ++i) {
        apply(kDirectoryB);
        EXPECT_TRUE(partition()->offline());
    }
    EXPECT_THAT(in("/b"), testing::ElementsAre(testing::MatchesRegex("t-0\\.[0-9a-f]+-future")));
    open_killed();
    EXPECT_EQ(partition()->log_end_offset(), Offset(5));
    ASSERT_TRUE(copy().may_finish);
    moves().finish(kKey);
    EXPECT_EQ(partition()->log_end_offset(), Offset(5));
}

TEST_F(LocalMovesTest, ACopyThatCanNotBeRenamedTakesOverLater) {
    kill_between_the_renames();
    node_.faults().fail_call(0, EMFILE);
    apply(kDirectoryB);
    EXPECT_TRUE(partition()->offline());
    EXPECT_TRUE(replicas_->failed_directories().empty());
    apply(kDirectoryB);
    EXPECT_EQ(partition()->log_end_offset(), Offset(3));
}

TEST_F(LocalMovesTest, ACopyWhoseDiskFailsWhenItTakesOverIsKept) {
    kill_between_the_renames();
    node_.faults().fail_call(0, EIO);
    apply(kDirectoryB);
    EXPECT_TRUE(partition()->offline());
    EXPECT_EQ(replicas_->failed_directories().size(), 1U);
    apply(kDirectoryB);
    EXPECT_TRUE(partition()->offline());
    open_killed();
    EXPECT_EQ(partition()->log_end_offset(), Offset(3));
}

TEST_F(LocalMovesTest, AnotherDirectoryThatHasFailedIsNoPlaceForACopy) {
    produce(1);
    ASSERT_EQ(place("/b"), ErrorCode::none);
    node_.faults().set_syncs_fail(true);
    apply(kDirectoryB);
    copy();
    moves().finish(kKey);
    node_.faults().set_syncs_fail(false);
    EXPECT_TRUE(moves().under_way().empty());
    EXPECT_EQ(place("/b"), ErrorCode::kafka_storage_error);
    EXPECT_FALSE(partition()->offline());
    EXPECT_EQ(partition()->log_end_offset(), Offset(1));
}

/// A copy that has a value, and never sees the tombstone that a cleaning has let go, would bring it
/// back.
TEST_F(LocalMovesTest, ALogIsNotCleanedWhileItMoves) {
    settings_.log.segment_bytes = 300;
    settings_.log.compaction = storage::CompactionOptions{.min_cleanable_dirty_ratio = 0};
    apply(kDirectoryA);
    produce(20);
    ASSERT_TRUE(partition()->flush());
    CleanableLogs& logs = replicas_->cleanable_logs();
    const auto list = [&] { return replicas_->cleanable_logs().list(no_limit); };
    const auto found = list();
    ASSERT_EQ(found.size(), 1U);
    const auto cleaning = logs.begin(found[0], {.read_bytes = 100});
    EXPECT_EQ(cleaning->step().value(), LogCleaning::Outcome::goes_on);
    ASSERT_EQ(place("/b"), ErrorCode::none);
    EXPECT_EQ(cleaning->step().value(), LogCleaning::Outcome::called_off);
    EXPECT_TRUE(list().empty());
    EXPECT_EQ(logs.begin(found[0], {}), nullptr);
    // Back to where it is: there is no copy any more.
    ASSERT_EQ(place("/a"), ErrorCode::none);
    EXPECT_EQ(list().size(), 1U);
    ASSERT_EQ(place("/b"), ErrorCode::none);
    open_killed();
    EXPECT_TRUE(list().empty()) << "the move goes on after a start";
    copy();
    apply(kDirectoryB);
    ASSERT_TRUE(copy().may_finish);
    moves().finish(kKey);
    EXPECT_EQ(list().size(), 1U) << "it is cleaned where it has come to";
}

}  // namespace
}  // namespace milena::replication
