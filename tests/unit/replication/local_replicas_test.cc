// SPDX-License-Identifier: Apache-2.0
// The replicas of a node over two log directories of a simulated disk.
#include "local_replicas.h"

#include <cerrno>
#include <filesystem>
#include <mutex>
#include <thread>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core_script.h"
#include "memory_log.h"
#include "produce.h"
#include "sim/world.h"
#include "support/producers.h"

namespace milena::replication {
namespace {

constexpr Uuid kTopic{7, 1};
constexpr Uuid kOther{7, 2};

class CapturingSink final : public LogSink {
public:
    void write(const LogLine& line) override {
        const std::lock_guard lock(mutex_);
        lines_ += line.text();
        lines_ += '\n';
    }
    std::string lines() const {
        const std::lock_guard lock(mutex_);
        return lines_;
    }

private:
    mutable std::mutex mutex_;
    std::string lines_;
};

/// An image as a test wants it: topics whose partitions are all led by broker 1.
class Topics {
public:
    Topics& add(Uuid id, const std::string& name, int partitions, int partition_epoch = 0) {
        metadata::TopicImage topic{.name = name, .id = id, .partitions = {}};
        auto editor = decltype(topic.partitions)::Editor(topic.partitions);
        for (int i = 0; i < partitions; ++i)
            editor.set(PartitionIndex(i), registration(partition_epoch));
        topic.partitions = std::move(editor).finish();
        return set(std::move(topic));
    }
    Topics& set(metadata::TopicImage topic) {
        auto editor = decltype(topics_.by_id)::Editor(topics_.by_id);
        editor.set(topic.id, std::make_shared<const metadata::TopicImage>(topic));
        topics_.by_id = std::move(editor).finish();
        return *this;
    }
    Topics& remove(Uuid id) {
        auto editor = decltype(topics_.by_id)::Editor(topics_.by_id);
        editor.erase(id);
        topics_.by_id = std::move(editor).finish();
        return *this;
    }
    static metadata::PartitionRegistration registration(int partition_epoch) {
        metadata::PartitionRegistration partition;
        partition.replicas = partition.in_sync_replicas = brokers({1});
        partition.leader = BrokerId(1);
        partition.leader_epoch = LeaderEpoch(partition_epoch);
        partition.partition_epoch = PartitionEpoch(partition_epoch);
        return partition;
    }
    metadata::Image image() const {
        metadata::Image image = *metadata::Image::empty();
        image.topics = std::make_shared<const metadata::TopicsImage>(topics_);
        return image;
    }

private:
    metadata::TopicsImage topics_;
};

class LocalReplicasTest : public testing::Test {
protected:
    LocalReplicasTest() { open(true); }

    /// A start of the process: locks, directories, logs.
    void open(bool clean) {
        replicas_.reset();
        directories_.clear();
        for (const std::string path : {"/a", "/b"}) {
            directories_.push_back(storage::LogDirectory::open(node_, Logger(), path).value());
            if (!directories_.back()->meta().value()) {
                directories_.back()
                    ->write_meta({"cluster", BrokerId(1), Uuid{path == "/a" ? 500U : 501U, 9}})
                    .value();
            }
        }
        make();
        loaded_ = replicas_->load({clean, clean});
    }
    /// A start after a crash, when the first log that is opened can't be.
    void open_with_failure(int error_number) {
        open(false);
        make();
        ASSERT_TRUE(replicas_->find_logs({false, false}));
        node_.faults().fail_call(0, error_number);
        replicas_->open_logs();
        ASSERT_TRUE(node_.faults().has_fired());
    }
    void make() {
        std::vector<storage::LogDirectory*> all;
        for (const auto& directory : directories_) all.push_back(directory.get());
        replicas_ =
            Replicas::make(node_, Logger(sink_), BrokerId(1), std::move(all),
                           [this](const metadata::Image&, std::string_view) { return settings_; });
    }
    void apply(std::initializer_list<Uuid> changed) {
        replicas_->apply(topics_.image(), std::vector<Uuid>(changed));
    }
    std::shared_ptr<Partition> find(Uuid topic, int partition) {
        return replicas_->find(topic, PartitionIndex(partition));
    }
    ErrorCode produce(Partition& partition, int count = 1) {
        auto batch = batch_of(count, node_.clock().wall());
        const auto answer = produce_in(partition, batch, Acks::all, node_.clock().now(),
                                       [](const ProduceAnswer&) {});
        return answer ? answer->code : ErrorCode::request_timed_out;
    }
    bool exists(const std::string& path) { return node_.files().exists(path); }
    int replicas_in(const std::string& path) {
        int count = 0;
        for (const auto& entry : node_.files().list(path).value()) count += entry.is_directory;
        return count;
    }
    int named(const std::string& directory, std::string_view suffix) {
        int count = 0;
        for (const auto& entry : node_.files().list(directory).value())
            count += entry.name.ends_with(suffix);
        return count;
    }
    std::string read(const std::string& path) {
        return env::read_file(node_.files(), path, 1 << 16).value();
    }

    sim::World world_{1};
    sim::Node& node_{world_.add_node("n1")};
    std::shared_ptr<CapturingSink> sink_ = std::make_shared<CapturingSink>();
    std::vector<std::unique_ptr<storage::LogDirectory>> directories_;
    PartitionSettings settings_;
    std::unique_ptr<Replicas> replicas_;
    Result<void> loaded_;
    Topics topics_;
};

TEST_F(LocalReplicasTest, StartsWhatTheMetadataAssignsToThisNode) {
    topics_.add(kTopic, "t", 2);
    metadata::TopicImage other{.name = "o", .id = kOther, .partitions = {}};
    auto editor = decltype(other.partitions)::Editor(other.partitions);
    auto elsewhere = Topics::registration(0);
    elsewhere.replicas = elsewhere.in_sync_replicas = brokers({2});
    editor.set(PartitionIndex(0), elsewhere);
    other.partitions = std::move(editor).finish();
    topics_.set(other);
    apply({kTopic, kOther});

    ASSERT_NE(find(kTopic, 0), nullptr);
    EXPECT_EQ(find(kTopic, 1)->name().text(), "t-1");
    EXPECT_EQ(find(kTopic, 2), nullptr);
    EXPECT_EQ(find(kOther, 0), nullptr);
    EXPECT_EQ(replicas_->all().size(), 2u);
    EXPECT_EQ(produce(*find(kTopic, 0)), ErrorCode::none);
}

TEST_F(LocalReplicasTest, LooksOnlyAtWhatHasChanged) {
    topics_.add(kTopic, "t", 1).add(kOther, "o", 1);
    apply({kTopic});
    EXPECT_NE(find(kTopic, 0), nullptr);
    EXPECT_EQ(find(kOther, 0), nullptr);
}

TEST_F(LocalReplicasTest, SpreadsReplicasOverTheDirectories) {
    topics_.add(kTopic, "t", 6);
    apply({kTopic});
    EXPECT_EQ(replicas_in("/a"), 3);
    EXPECT_EQ(replicas_in("/b"), 3);
}

TEST_F(LocalReplicasTest, PutsAReplicaWhereTheMetadataSays) {
    metadata::TopicImage topic{.name = "t", .id = kTopic, .partitions = {}};
    auto editor = decltype(topic.partitions)::Editor(topic.partitions);
    for (int i = 0; i < 3; ++i) {
        auto partition = Topics::registration(0);
        partition.directories = {Uuid{501, 9}};
        editor.set(PartitionIndex(i), partition);
    }
    topic.partitions = std::move(editor).finish();
    topics_.set(topic);
    apply({kTopic});
    EXPECT_EQ(replicas_in("/b"), 3);
    EXPECT_TRUE(replicas_->misplaced(topics_.image(), std::vector{kTopic}).empty());
}

TEST_F(LocalReplicasTest, TellsWhichReplicasLieElsewhereThanTheMetadataSays) {
    topics_.add(kTopic, "t", 2).add(kOther, "u", 1);  // in no directory that anybody knows
    apply({kTopic, kOther});
    EXPECT_EQ(replicas_->misplaced(topics_.image(), std::vector{kTopic}),
              (std::vector<PlacedReplica>{{kTopic, PartitionIndex(0), {500, 9}},
                                          {kTopic, PartitionIndex(1), {501, 9}}}));
}

TEST_F(LocalReplicasTest, GoesOnWhereACleanStopLeftIt) {
    topics_.add(kTopic, "t", 3);
    apply({kTopic});
    for (int i = 0; i < 3; ++i) ASSERT_EQ(produce(*find(kTopic, i), i + 1), ErrorCode::none);
    ASSERT_TRUE(replicas_->close());
    open(true);
    ASSERT_TRUE(loaded_);
    EXPECT_EQ(find(kTopic, 0), nullptr);
    topics_.add(kTopic, "t", 3, 1);
    apply({kTopic});
    for (int i = 0; i < 3; ++i) {
        EXPECT_EQ(find(kTopic, i)->log_end_offset(), Offset(i + 1));
        EXPECT_EQ(find(kTopic, i)->high_watermark(), Offset(i + 1));
    }
    EXPECT_EQ(replicas_in("/a") + replicas_in("/b"), 3);
}

TEST_F(LocalReplicasTest, RecoversAfterACrash) {
    topics_.add(kTopic, "t", 1);
    apply({kTopic});
    ASSERT_EQ(produce(*find(kTopic, 0), 4), ErrorCode::none);
    ASSERT_TRUE(replicas_->checkpoint());
    ASSERT_EQ(produce(*find(kTopic, 0), 3), ErrorCode::none);
    open(false);  // nothing was closed
    topics_.add(kTopic, "t", 1, 1);
    apply({kTopic});
    EXPECT_EQ(find(kTopic, 0)->log_end_offset(), Offset(7));
    EXPECT_THAT(sink_->lines(), testing::HasSubstr("opened logs done=1 all=1"));
}

TEST_F(LocalReplicasTest, ALogThatCouldNotBeOpenedIsRecoveredWhenItCan) {
    topics_.add(kTopic, "t", 1);
    apply({kTopic});
    ASSERT_EQ(produce(*find(kTopic, 0), 4), ErrorCode::none);
    ASSERT_TRUE(find(kTopic, 0)->flush());
    ASSERT_EQ(find(kTopic, 0)->delete_records(Offset(3), [](BrokerId) { return true; }).code,
              ErrorCode::none);
    ASSERT_TRUE(replicas_->checkpoint());
    ASSERT_EQ(produce(*find(kTopic, 0), 3), ErrorCode::none);
    open_with_failure(EMFILE);
    node_.faults().fail_call(0, EMFILE);
    apply({kTopic});
    ASSERT_TRUE(find(kTopic, 0)->offline());
    // It keeps its place in the checkpoints, and the stop is not clean while it is not recovered.
    ASSERT_TRUE(replicas_->checkpoint());
    EXPECT_EQ(read("/a/recovery-point-offset-checkpoint"), "0\n1\nt 0 4\n");
    EXPECT_EQ(read("/a/log-start-offset-checkpoint"), "0\n1\nt 0 3\n");
    EXPECT_EQ(read("/a/replication-offset-checkpoint"), "0\n1\nt 0 4\n");
    EXPECT_THAT(sink_->lines(), testing::Not(testing::HasSubstr("no known replica")));

    apply({kTopic});
    ASSERT_FALSE(find(kTopic, 0)->offline());
    EXPECT_EQ(find(kTopic, 0)->log_start_offset(), Offset(3));
    EXPECT_EQ(find(kTopic, 0)->log_end_offset(), Offset(7));
    EXPECT_EQ(find(kTopic, 0)->durable_end_offset(), Offset(4));
    EXPECT_TRUE(replicas_->close()) << "all is recovered";
}

TEST_F(LocalReplicasTest, AStopIsNotCleanWhileALogIsNotRecovered) {
    topics_.add(kTopic, "t", 1);
    apply({kTopic});
    ASSERT_EQ(produce(*find(kTopic, 0), 4), ErrorCode::none);
    open_with_failure(EMFILE);
    node_.faults().fail_call(0, EMFILE);
    apply({kTopic});
    EXPECT_FALSE(replicas_->close());
    open_with_failure(EIO);
    EXPECT_EQ(replicas_->failed_directories().size(), 1U) << "the controller is told";
}

TEST_F(LocalReplicasTest, ALogWhoseDirectoryWasThereIsCheckedWhole) {
    topics_.add(kTopic, "t", 1);
    apply({kTopic});
    ASSERT_EQ(produce(*find(kTopic, 0), 4), ErrorCode::none);
    // The replica is taken away, but its directory can't be renamed.
    metadata::Image none = Topics().image();
    node_.faults().fail_call(0, EIO);
    replicas_->apply(none, std::vector<Uuid>{kTopic});
    ASSERT_TRUE(node_.faults().has_fired());
    ASSERT_TRUE(exists("/a/t-0"));
    apply({kTopic});
    EXPECT_EQ(find(kTopic, 0)->log_end_offset(), Offset(4));
    EXPECT_EQ(find(kTopic, 0)->durable_end_offset(), Offset(0)) << "never synced";
}

TEST_F(LocalReplicasTest, StartsAFollowerAtItsCheckpointedHighWatermark) {
    topics_.add(kTopic, "t", 1);
    apply({kTopic});
    ASSERT_EQ(produce(*find(kTopic, 0), 4), ErrorCode::none);
    ASSERT_TRUE(replicas_->checkpoint());
    ASSERT_EQ(produce(*find(kTopic, 0), 3), ErrorCode::none);
    open(false);
    metadata::TopicImage topic{.name = "t", .id = kTopic, .partitions = {}};
    auto editor = decltype(topic.partitions)::Editor(topic.partitions);
    auto followed = Topics::registration(1);
    followed.replicas = followed.in_sync_replicas = brokers({1, 2});
    followed.leader = BrokerId(2);
    editor.set(PartitionIndex(0), followed);
    topic.partitions = std::move(editor).finish();
    topics_.set(topic);
    apply({kTopic});
    EXPECT_EQ(find(kTopic, 0)->high_watermark(), Offset(4));
    EXPECT_EQ(find(kTopic, 0)->log_end_offset(), Offset(7));
}

TEST_F(LocalReplicasTest, RemovesWhatATopicThatIsGoneHadAfterItsDelay) {
    topics_.add(kTopic, "t", 1);
    apply({kTopic});
    const auto partition = find(kTopic, 0);
    ASSERT_EQ(produce(*partition, 4), ErrorCode::none);
    const auto range = partition->fetch({.from = Offset(0), .bytes_max = 1000}).records;
    int told = 0;
    replicas_->when_deleted([&] { ++told; });
    topics_.remove(kTopic);
    const auto calls = node_.faults().calls();
    apply({kTopic});
    EXPECT_LE(node_.faults().calls(), calls + 1) << "a deleted log is renamed, and not synced";
    EXPECT_EQ(find(kTopic, 0), nullptr);
    EXPECT_TRUE(replicas_->all().empty());
    EXPECT_EQ(produce(*partition), ErrorCode::not_leader_or_follower);
    EXPECT_FALSE(exists("/a/t-0"));
    EXPECT_EQ(named("/a", "-delete"), 1);
    EXPECT_EQ(told, 1);

    const env::Instant due = replicas_->remove_deleted();
    EXPECT_EQ(due - node_.clock().now(), std::chrono::minutes(1));
    EXPECT_EQ(named("/a", "-delete"), 1);
    world_.run_for(std::chrono::minutes(1));
    EXPECT_EQ(replicas_->remove_deleted(), env::kNever);
    EXPECT_EQ(named("/a", "-delete"), 0);
    EXPECT_FALSE(bytes_of(range).empty()) << "who was reading may go on";
    EXPECT_TRUE(replicas_->close());
}

TEST_F(LocalReplicasTest, RemovesWhatWasDeletedBeforeTheStartWithoutDelay) {
    topics_.add(kTopic, "t", 400);
    apply({kTopic});
    topics_.remove(kTopic);
    apply({kTopic});
    ASSERT_TRUE(replicas_->close());
    open(true);
    ASSERT_TRUE(loaded_);
    EXPECT_EQ(named("/a", "-delete"), 200) << "a start does not wait for it";
    EXPECT_LE(replicas_->remove_deleted(), node_.clock().now()) << "there is more";
    EXPECT_EQ(replicas_->remove_deleted(), env::kNever);
    EXPECT_EQ(named("/a", "-delete") + named("/b", "-delete"), 0);
}

TEST_F(LocalReplicasTest, OldSegmentsLeaveTheirLogsAndThenTheDisk) {
    settings_.log.retention_ms = 1000;
    settings_.file_delete_delay = std::chrono::seconds(5);
    topics_.add(kTopic, "t", 1);
    apply({kTopic});
    ASSERT_EQ(produce(*find(kTopic, 0), 4), ErrorCode::none);
    replicas_->enforce_retention();
    EXPECT_EQ(find(kTopic, 0)->log_start_offset(), Offset(0));
    world_.run_for(std::chrono::seconds(2));
    replicas_->enforce_retention();
    for (const std::size_t directory : {0U, 1U})
        replicas_->sync_queued(directory);  // the name of the segment behind it
    replicas_->enforce_retention();
    EXPECT_EQ(find(kTopic, 0)->log_start_offset(), Offset(4));
    EXPECT_EQ(named("/a/t-0", ".log.deleted"), 1);
    EXPECT_EQ(replicas_->remove_deleted() - node_.clock().now(), std::chrono::seconds(5));
    world_.run_for(std::chrono::seconds(5));
    EXPECT_EQ(replicas_->remove_deleted(), env::kNever);
    EXPECT_EQ(named("/a/t-0", ".log.deleted"), 0);
    // A segment begins where the log does: its name says so, and no checkpoint has to.
    ASSERT_TRUE(replicas_->checkpoint());
    EXPECT_EQ(read("/a/log-start-offset-checkpoint"), "0\n0\n");
    ASSERT_TRUE(replicas_->close());
    open(true);
    apply({kTopic});
    EXPECT_EQ(find(kTopic, 0)->log_start_offset(), Offset(4));
}

TEST_F(LocalReplicasTest, AnOlderTopicOfTheSameNameIsNotInTheWay) {
    topics_.add(kTopic, "t", 1);
    apply({kTopic});
    ASSERT_EQ(produce(*find(kTopic, 0), 4), ErrorCode::none);
    topics_.remove(kTopic).add(kOther, "t", 1);
    apply({kTopic, kOther});
    ASSERT_NE(find(kOther, 0), nullptr);
    EXPECT_EQ(find(kOther, 0)->log_end_offset(), Offset(0));
    EXPECT_EQ(produce(*find(kOther, 0)), ErrorCode::none);
    EXPECT_EQ(named("/a", "-delete"), 1);

    // When the topic was made anew while this node was down, its log is a stray.
    ASSERT_TRUE(replicas_->close());
    open(true);
    ASSERT_TRUE(loaded_);
    const Uuid third{7, 3};
    topics_.remove(kOther).add(third, "t", 1);
    apply({kOther, third});
    EXPECT_EQ(find(third, 0)->log_end_offset(), Offset(0));
    EXPECT_EQ(produce(*find(third, 0)), ErrorCode::none);
    EXPECT_EQ(named("/a", "-stray"), 1);
    ASSERT_TRUE(replicas_->close());
    open(true);
    EXPECT_TRUE(loaded_);
}

TEST_F(LocalReplicasTest, TellsOnceOfLogsThatBelongToNobody) {
    topics_.add(kTopic, "t", 2);
    apply({kTopic});
    ASSERT_EQ(produce(*find(kTopic, 0), 4), ErrorCode::none);
    ASSERT_TRUE(replicas_->close());
    open(true);
    ASSERT_TRUE(replicas_->checkpoint());
    ASSERT_TRUE(replicas_->checkpoint());
    const std::string lines = sink_->lines();
    const std::string phrase =
        "logs of no known replica are kept and not served logs=2 first=\"t-0 t-1\"";
    ASSERT_THAT(lines, testing::HasSubstr(phrase));
    EXPECT_EQ(lines.find(phrase), lines.rfind(phrase));
    EXPECT_EQ(find(kTopic, 0), nullptr);
    // They keep their place in the checkpoints, and come back as they were.
    EXPECT_EQ(read("/a/replication-offset-checkpoint"), "0\n1\nt 0 4\n");
    topics_.add(kTopic, "t", 2, 1);
    apply({kTopic});
    EXPECT_EQ(find(kTopic, 0)->high_watermark(), Offset(4));
}

TEST_F(LocalReplicasTest, WritesCheckpointsThatHaveChanged) {
    topics_.add(kTopic, "t", 1);
    apply({kTopic});
    ASSERT_EQ(produce(*find(kTopic, 0), 4), ErrorCode::none);
    ASSERT_TRUE(replicas_->checkpoint());
    EXPECT_EQ(read("/a/replication-offset-checkpoint"), "0\n1\nt 0 4\n");
    EXPECT_EQ(read("/a/recovery-point-offset-checkpoint"), "0\n1\nt 0 0\n");
    EXPECT_EQ(read("/a/log-start-offset-checkpoint"), "0\n0\n");
    EXPECT_EQ(read("/b/replication-offset-checkpoint"), "0\n0\n");
    const auto calls = node_.faults().calls();
    ASSERT_TRUE(replicas_->checkpoint());
    EXPECT_EQ(node_.faults().calls(), calls);
    ASSERT_TRUE(find(kTopic, 0)->flush());
    ASSERT_TRUE(replicas_->checkpoint());
    EXPECT_EQ(read("/a/recovery-point-offset-checkpoint"), "0\n1\nt 0 4\n");
}

TEST_F(LocalReplicasTest, TellsWhatLiesInEachDirectory) {
    topics_.add(kTopic, "t", 3);
    apply({kTopic});
    ASSERT_EQ(produce(*find(kTopic, 2), 4), ErrorCode::none);
    const auto states = replicas_->directories();
    ASSERT_EQ(states.size(), 2u);
    EXPECT_EQ(states[0].path, "/a");
    ASSERT_EQ(states[0].logs.size(), 2u);
    EXPECT_EQ(states[0].logs[1].name.text(), "t-2");
    EXPECT_GT(states[0].logs[1].bytes, 0u);
    EXPECT_EQ(states[0].logs[0].bytes, 0u);
    EXPECT_EQ(states[1].logs[0].name.text(), "t-1");
    EXPECT_TRUE(states[1].is_usable);
}

TEST_F(LocalReplicasTest, DeletedRecordsStayDeletedAfterACrash) {
    topics_.add(kTopic, "t", 1);
    apply({kTopic});
    ASSERT_EQ(produce(*find(kTopic, 0), 4), ErrorCode::none);
    ASSERT_EQ(find(kTopic, 0)->delete_records(Offset(3), [](BrokerId) { return true; }).code,
              ErrorCode::none);
    ASSERT_TRUE(replicas_->checkpoint());
    EXPECT_EQ(read("/a/log-start-offset-checkpoint"), "0\n1\nt 0 3\n");
    open(false);
    apply({kTopic});
    EXPECT_EQ(find(kTopic, 0)->log_start_offset(), Offset(3));
}

TEST_F(LocalReplicasTest, AProducerIsRememberedOverAStartForAsLongAsItsTopicSays) {
    constexpr std::int64_t kDay = 24LL * 3600 * 1000;
    settings_.log.producer_expiration_ms = 7 * kDay;
    topics_.add(kTopic, "t", 1);
    apply({kTopic});
    const std::int64_t long_ago = node_.clock().wall().value - 3 * kDay;
    auto batch = support::sent_batch(0, {.producer = 5, .sequence = 0, .timestamp = long_ago});
    ASSERT_EQ(produce_in(*find(kTopic, 0), batch, Acks::leader, {}, {})->code, ErrorCode::none);
    ASSERT_TRUE(replicas_->close());
    open(true);
    apply({kTopic});
    ASSERT_EQ(find(kTopic, 0)->active_producers()->size(), 1u);
    find(kTopic, 0)->expire_producers(node_.clock().wall());
    EXPECT_EQ(find(kTopic, 0)->active_producers()->size(), 1u);
    settings_.log.producer_expiration_ms = kDay;
    apply({kTopic});
    find(kTopic, 0)->expire_producers(node_.clock().wall());
    EXPECT_TRUE(find(kTopic, 0)->active_producers()->empty());
}

TEST_F(LocalReplicasTest, SyncsTheLogsThatAskForIt) {
    settings_.flush_messages = 1;
    settings_.acks_need_sync = true;
    topics_.add(kTopic, "t", 2);
    apply({kTopic});
    int told = 0;
    replicas_->when_sync_queued([&] { ++told; });
    EXPECT_EQ(produce(*find(kTopic, 0)), ErrorCode::request_timed_out) << "it waits";
    EXPECT_EQ(told, 1);
    for (const std::size_t directory : {0U, 1U}) replicas_->sync_queued(directory);
    EXPECT_EQ(find(kTopic, 0)->high_watermark(), Offset(1));
    EXPECT_EQ(find(kTopic, 0)->durable_end_offset(), Offset(1));
    EXPECT_EQ(find(kTopic, 1)->durable_end_offset(), Offset(0));
}

TEST_F(LocalReplicasTest, ASyncThatFailsTakesItsDirectoryOffline) {
    settings_.flush_messages = 1;
    settings_.acks_need_sync = true;
    topics_.add(kTopic, "t", 4);
    apply({kTopic});
    produce(*find(kTopic, 0));
    node_.faults().set_syncs_fail(true);
    for (const std::size_t directory : {0U, 1U}) replicas_->sync_queued(directory);
    node_.faults().set_syncs_fail(false);
    EXPECT_TRUE(find(kTopic, 0)->offline() && find(kTopic, 2)->offline());
    EXPECT_FALSE(find(kTopic, 1)->offline() || find(kTopic, 3)->offline());
    for (const std::size_t directory : {0U, 1U}) replicas_->sync_queued(directory);
    EXPECT_EQ(find(kTopic, 0)->high_watermark(), Offset(0)) << "never tried again";
}

TEST_F(LocalReplicasTest, ClosesManyLogsWithFewSyncsAndLosesNothing) {
    topics_.add(kTopic, "t", 100);
    apply({kTopic});
    for (int i = 0; i < 100; ++i) ASSERT_EQ(produce(*find(kTopic, i), i + 1), ErrorCode::none);
    ASSERT_TRUE(replicas_->close());
    world_.crash(node_, sim::Crash::power);
    open(true);
    ASSERT_TRUE(loaded_) << loaded_.error().why;
    apply({kTopic});
    for (int i = 0; i < 100; ++i) {
        EXPECT_EQ(find(kTopic, i)->log_end_offset(), Offset(i + 1));
        EXPECT_EQ(find(kTopic, i)->high_watermark(), Offset(i + 1));
        EXPECT_TRUE(exists(fmt::format("/{}/t-{}/leader-epoch-checkpoint", i % 2 ? "b" : "a", i)));
    }
}

TEST_F(LocalReplicasTest, ManyLogsThatHaveANewEpochOnlyAreNotSyncedOneByOne) {
    topics_.add(kTopic, "t", 100);
    apply({kTopic});
    for (int i = 0; i < 100; ++i) ASSERT_EQ(produce(*find(kTopic, i)), ErrorCode::none);
    ASSERT_TRUE(replicas_->close());
    open(true);
    topics_.add(kTopic, "t", 100, 1);
    apply({kTopic});
    const auto before = node_.faults().calls();
    ASSERT_TRUE(replicas_->close());
    // Of each log, one file is made, written and put into its place.
    EXPECT_LT(node_.faults().calls() - before, 350u);
    world_.crash(node_, sim::Crash::power);
    open(true);
    apply({kTopic});
    EXPECT_THAT(read("/b/t-99/leader-epoch-checkpoint"), "0\n2\n0 0\n1 1\n");
}

TEST_F(LocalReplicasTest, ManyLogsOfWhichOnlyTheIndexesAreUnsyncedAreNotSyncedOneByOne) {
    // As flush.ms leaves them: all records are synced.
    topics_.add(kTopic, "t", 100);
    apply({kTopic});
    for (int i = 0; i < 100; ++i) ASSERT_EQ(produce(*find(kTopic, i)), ErrorCode::none);
    for (int i = 0; i < 100; ++i) ASSERT_TRUE(find(kTopic, i)->flush());
    const auto before = node_.faults().calls();
    ASSERT_TRUE(replicas_->close());
    // Of each log, two indexes are opened, written, measured and cut.
    EXPECT_LT(node_.faults().calls() - before, 900u);
    world_.crash(node_, sim::Crash::power);
    open(true);
    apply({kTopic});
    for (int i = 0; i < 100; ++i) EXPECT_EQ(find(kTopic, i)->log_end_offset(), Offset(1));
}

TEST_F(LocalReplicasTest, ManyLogsThatNobodyHasClaimedAreNotSyncedOneByOne) {
    topics_.add(kTopic, "t", 100);
    apply({kTopic});
    for (int i = 0; i < 100; ++i) ASSERT_EQ(produce(*find(kTopic, i)), ErrorCode::none);
    open(false);
    const auto before = node_.faults().calls();
    ASSERT_TRUE(replicas_->close());
    EXPECT_LT(node_.faults().calls() - before, 1200u);
    world_.crash(node_, sim::Crash::power);
    open(true);
    apply({kTopic});
    for (int i = 0; i < 100; ++i) EXPECT_EQ(find(kTopic, i)->log_end_offset(), Offset(1));
}

TEST_F(LocalReplicasTest, AStopOfManyLogsWhoseSyncFailsIsNotClean) {
    topics_.add(kTopic, "t", 100);
    apply({kTopic});
    for (int i = 0; i < 100; ++i) produce(*find(kTopic, i));
    node_.faults().set_syncs_fail(true);
    EXPECT_FALSE(replicas_->close());
}

TEST_F(LocalReplicasTest, RefusesAPartitionThatIsInTwoDirectories) {
    topics_.add(kTopic, "t", 1);
    apply({kTopic});
    ASSERT_TRUE(replicas_->close());
    ASSERT_TRUE(directories_[1]->prepare_partition({"t", PartitionIndex(0)}, kTopic));
    open(true);
    ASSERT_FALSE(loaded_);
    EXPECT_THAT(loaded_.error().why,
                testing::AllOf(testing::HasSubstr("/a"), testing::HasSubstr("/b"),
                               testing::HasSubstr("t-0")));
}

TEST_F(LocalReplicasTest, HandsOnNewSettings) {
    topics_.add(kTopic, "t", 1);
    settings_.rules.batch_bytes_max = 10;
    apply({kTopic});
    EXPECT_EQ(produce(*find(kTopic, 0)), ErrorCode::message_too_large);
    settings_.rules.batch_bytes_max = 1000;
    apply({kTopic});
    EXPECT_EQ(produce(*find(kTopic, 0)), ErrorCode::none);
}

TEST_F(LocalReplicasTest, IsOfflineOnAFullDiskUntilThereIsRoom) {
    topics_.add(kTopic, "t", 1);
    for (const int error : {EMFILE, ENOSPC}) {
        node_.faults().fail_call(0, error);
        apply({kTopic});
    }
    EXPECT_TRUE(replicas_->failed_directories().empty());
    ASSERT_NE(find(kTopic, 0), nullptr);
    EXPECT_TRUE(find(kTopic, 0)->offline());
    EXPECT_EQ(produce(*find(kTopic, 0)), ErrorCode::kafka_storage_error);
    EXPECT_EQ(find(kTopic, 0)->fetch({}).code, ErrorCode::kafka_storage_error);
    apply({kTopic});
    EXPECT_FALSE(find(kTopic, 0)->offline());
    EXPECT_EQ(produce(*find(kTopic, 0)), ErrorCode::none);
}

TEST_F(LocalReplicasTest, GoesOnWithoutADirectoryThatFailed) {
    topics_.add(kTopic, "t", 2);
    apply({kTopic});
    // The disk of the first directory fails while a replica is made there.
    topics_.add(kOther, "o", 1);
    node_.faults().fail_call(0, EIO);
    apply({kOther});
    EXPECT_TRUE(find(kOther, 0)->offline());
    EXPECT_TRUE(find(kTopic, 0)->offline());
    EXPECT_FALSE(find(kTopic, 1)->offline());
    EXPECT_EQ(produce(*find(kTopic, 1)), ErrorCode::none);
    EXPECT_TRUE(replicas_->checkpoint());
    // A new replica goes to the one that is left; an old one could be in the one that failed, and
    // is not made anew.
    topics_.add(Uuid{7, 3}, "new", 1).add(Uuid{7, 4}, "old", 1, 5);
    apply({Uuid{7, 3}, Uuid{7, 4}, kOther});
    EXPECT_FALSE(find(Uuid{7, 3}, 0)->offline());
    EXPECT_TRUE(find(Uuid{7, 4}, 0)->offline());
    EXPECT_FALSE(find(kOther, 0)->offline());
    EXPECT_TRUE(exists("/b/o-0"));
}

TEST_F(LocalReplicasTest, ReplicasMadeTogetherShareTheFateOfTheirDirectory) {
    // The third of four fails, in the directory of the first.
    topics_.add(kTopic, "t", 2);
    const auto before = node_.faults().calls();
    apply({kTopic});
    const auto calls_of_two = node_.faults().calls() - before;
    topics_.add(kOther, "o", 4);
    node_.faults().fail_call(calls_of_two - 2, EIO);  // two syncs of names come last
    apply({kOther});
    ASSERT_TRUE(node_.faults().has_fired());
    EXPECT_TRUE(find(kTopic, 0)->offline());
    EXPECT_TRUE(find(kOther, 0)->offline()) << "not published yet when its directory failed";
    EXPECT_TRUE(find(kOther, 2)->offline());
    EXPECT_FALSE(find(kOther, 1)->offline() || find(kOther, 3)->offline());
}

TEST_F(LocalReplicasTest, AStopIsCleanForTheDirectoriesThatAreLeft) {
    topics_.add(kTopic, "t", 4);
    apply({kTopic});
    for (int i = 0; i < 4; ++i) ASSERT_EQ(produce(*find(kTopic, i), 3), ErrorCode::none);
    node_.faults().set_syncs_fail(true);
    EXPECT_FALSE(find(kTopic, 0)->flush());
    node_.faults().set_syncs_fail(false);
    EXPECT_TRUE(replicas_->close());
    EXPECT_FALSE(replicas_->directories()[0].is_usable) << "not to be marked clean";
    EXPECT_TRUE(replicas_->directories()[1].is_usable);
    EXPECT_EQ(read("/b/recovery-point-offset-checkpoint"), "0\n2\nt 1 3\nt 3 3\n");
}

TEST_F(LocalReplicasTest, TakesADirectoryOfflineWithTheFirstLogThatFails) {
    topics_.add(kTopic, "t", 4);
    apply({kTopic});
    node_.faults().set_syncs_fail(true);
    ASSERT_EQ(produce(*find(kTopic, 0)), ErrorCode::none);
    EXPECT_FALSE(find(kTopic, 0)->flush());
    node_.faults().set_syncs_fail(false);
    EXPECT_TRUE(find(kTopic, 0)->offline());
    EXPECT_FALSE(find(kTopic, 2)->offline());
    EXPECT_TRUE(replicas_->checkpoint());
    EXPECT_TRUE(find(kTopic, 2)->offline());
    EXPECT_FALSE(find(kTopic, 1)->offline());
}

TEST_F(LocalReplicasTest, TellsAtOnceThatADiskDoesNotTakeAWrite) {
    topics_.add(kTopic, "t", 4);
    apply({kTopic});
    int told = 0;
    replicas_->when_failed([&] { ++told; });
    node_.faults().fail_call(0, EIO);
    EXPECT_EQ(produce(*find(kTopic, 0)), ErrorCode::kafka_storage_error);
    EXPECT_EQ(told, 1);
    replicas_->note_failed_logs();
    EXPECT_TRUE(find(kTopic, 2)->offline());
    EXPECT_EQ(replicas_->failed_directories().size(), 1U);
}

TEST_F(LocalReplicasTest, SurvivesAnyOneFailureOfTheDisk) {
    // Fail the n-th call while replicas are made, written and checkpointed, for every n: nothing
    // aborts, what is not offline works, and a stop that could not write says so.
    for (std::uint64_t n = 0;; ++n) {
        sim::World world(n + 1);
        sim::Node& node = world.add_node("n1");
        node.faults().pause();
        auto a = storage::LogDirectory::open(node, Logger(), "/a").value();
        auto b = storage::LogDirectory::open(node, Logger(), "/b").value();
        const auto replicas = Replicas::make(
            node, Logger(), BrokerId(1), {a.get(), b.get()},
            [](const metadata::Image&, std::string_view) { return PartitionSettings{}; });
        node.faults().resume();
        node.faults().fail_call(n);
        const bool loaded = replicas->load({true, true}).has_value();
        Topics topics;
        const std::vector<Uuid> changed{kTopic};
        replicas->apply(topics.add(kTopic, "t", 3).image(), changed);
        for (const auto& partition : replicas->all()) {
            auto batch = batch_of(1, node.clock().wall());
            const auto answer = produce_in(*partition, batch, Acks::leader, node.clock().now(), {});
            ASSERT_TRUE(answer);
            if (!partition->offline() && node.faults().has_fired() == false)
                EXPECT_EQ(answer->code, ErrorCode::none);
            if (answer->code == ErrorCode::none) EXPECT_EQ(partition->high_watermark(), Offset(1));
        }
        const bool noted = replicas->checkpoint().has_value();
        const bool closed = replicas->close().has_value();
        if (!node.faults().has_fired()) {
            EXPECT_TRUE(loaded && noted && closed);
            EXPECT_GT(n, 20u);
            break;
        }
    }
}

TEST(LocalReplicasThreads, OpenLogsTogetherWhileOthersLookUp) {
    // On the real file system: four threads share the work of opening; then one applies while
    // others look up.
    const auto path =
        std::filesystem::temp_directory_path() / fmt::format("milena-replicas-{}", ::getpid());
    std::filesystem::remove_all(path);
    const auto env = env::make_real_env(1);
    Topics topics;
    topics.add(kTopic, "t", 40);
    const std::vector<Uuid> changed{kTopic};
    const auto settings = [](const metadata::Image&, std::string_view) {
        return PartitionSettings{};
    };
    for (int round = 0; round < 2; ++round) {
        const auto directory = storage::LogDirectory::open(*env, Logger(), path.string()).value();
        const auto replicas =
            Replicas::make(*env, Logger(), BrokerId(1), {directory.get()}, settings);
        ASSERT_TRUE(replicas->find_logs({false}));
        std::vector<std::thread> threads;
        for (int i = 0; i < 4; ++i) threads.emplace_back([&] { replicas->open_logs(); });
        for (std::thread& thread : threads) thread.join();
        threads.clear();
        for (int i = 0; i < 2; ++i) {
            threads.emplace_back([&] {
                while (replicas->find(kTopic, PartitionIndex(39)) == nullptr)
                    std::this_thread::yield();
            });
        }
        threads.emplace_back([&] {
            for (int i = 0; i < 5; ++i) EXPECT_TRUE(replicas->checkpoint());
        });
        replicas->apply(topics.image(), changed);
        for (std::thread& thread : threads) thread.join();
        EXPECT_EQ(replicas->all().size(), 40u);
        EXPECT_EQ(replicas->find(kTopic, PartitionIndex(3))->log_end_offset(), Offset(round));
        for (const auto& partition : replicas->all()) {
            auto batch = batch_of(1, env->clock().wall());
            EXPECT_EQ(produce_in(*partition, batch, Acks::leader, env->clock().now(), {})->code,
                      ErrorCode::none);
        }
        if (round == 1) EXPECT_TRUE(replicas->close());
    }
    std::filesystem::remove_all(path);
}

}  // namespace
}  // namespace milena::replication
