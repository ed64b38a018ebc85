// SPDX-License-Identifier: Apache-2.0
// The partition with its guard, over a log in memory.
#include "local_partition.h"

#include <atomic>
#include <thread>

#include <gtest/gtest.h>

#include "core_script.h"
#include "memory_log.h"
#include "produce.h"
#include "support/batches.h"

namespace milena::replication {
namespace {

PartitionState state(int leader, std::initializer_list<int> replicas, int partition_epoch = 0,
                     int leader_epoch = 0) {
    return {BrokerId(leader), LeaderEpoch(leader_epoch), PartitionEpoch(partition_epoch),
            brokers(replicas), brokers(replicas)};
}

class Listener final : public FetchListener {
public:
    void partition_has_news() override { ++told; }
    std::atomic<int> told = 0;
};

class LocalPartitionTest : public testing::Test {
protected:
    /// Broker 1 with one replica, leading, unless told otherwise.
    void start(std::initializer_list<int> replicas = {1}, int leader = 1,
               Offset high_watermark = Offset(0)) {
        auto log = std::make_unique<MemoryLog>();
        log_ = log.get();
        partition_ = make(std::move(log), high_watermark);
        ASSERT_TRUE(partition_->become(state(leader, replicas)));
    }
    std::shared_ptr<LocalPartition> make(std::unique_ptr<storage::Log> log, Offset high_watermark) {
        return std::make_shared<LocalPartition>(*env_, Logger(),
                                                ReplicaParts{BrokerId(1),
                                                             {"t", PartitionIndex(0)},
                                                             Uuid{1, 2},
                                                             std::move(log),
                                                             high_watermark,
                                                             settings_});
    }
    Timestamp now() { return env_->clock().wall(); }
    env::Instant soon() { return env_->clock().now() + std::chrono::seconds(30); }

    std::optional<ProduceAnswer> produce(std::vector<std::byte> batch, Acks acks) {
        return produce_in(*partition_, batch, acks, soon(),
                          [this](ProduceAnswer answer) { done_.push_back(answer); });
    }
    std::optional<ProduceAnswer> produce(int count, Acks acks = Acks::leader) {
        return produce(batch_of(count, now()), acks);
    }
    ErrorCode refused(std::vector<std::byte> batch, Acks acks = Acks::leader) {
        const auto answer = produce(std::move(batch), acks);
        EXPECT_TRUE(answer);
        return answer ? answer->code : ErrorCode::none;
    }
    FetchAnswer fetch(std::int64_t from, BrokerId replica = kNoBroker) {
        FetchQuestion question;
        question.from = Offset(from);
        question.replica = replica;
        question.bytes_max = 1 << 20;
        return partition_->fetch(question);
    }

    std::unique_ptr<env::RealEnv> env_ = env::make_real_env(1);
    PartitionSettings settings_;
    MemoryLog* log_ = nullptr;
    std::shared_ptr<LocalPartition> partition_;
    std::vector<ProduceAnswer> done_;
};

TEST_F(LocalPartitionTest, GivesOffsetsInOrderAndServesWhatItTook) {
    start();
    EXPECT_EQ(produce(3)->base_offset, Offset(0));
    EXPECT_EQ(produce(2, Acks::none)->base_offset, Offset(3));
    const auto all = produce(1, Acks::all);  // alone in sync: known at once
    ASSERT_TRUE(all);
    EXPECT_EQ(all->base_offset, Offset(5));
    EXPECT_EQ(all->log_start_offset, Offset(0));
    EXPECT_EQ(all->log_append_time, Timestamp(-1));

    const FetchAnswer answer = fetch(3);
    EXPECT_EQ(answer.high_watermark, Offset(6));
    EXPECT_EQ(answer.last_stable_offset, Offset(6));
    const auto bytes = bytes_of(answer.records);
    const auto batch = record::first_batch(bytes).value().value();
    EXPECT_EQ(batch.base_offset(), Offset(3));
    EXPECT_EQ(batch.leader_epoch(), LeaderEpoch(0));
    EXPECT_TRUE(batch.check_crc());
}

TEST_F(LocalPartitionTest, AnswersAParkedProduceWhenFollowersHaveIt) {
    start({1, 2});
    EXPECT_FALSE(produce(2, Acks::all));
    EXPECT_TRUE(done_.empty());
    EXPECT_TRUE(fetch(0).records.length == 0);  // nothing is committed
    EXPECT_GT(fetch(0, BrokerId(2)).records.length, 0u);
    EXPECT_TRUE(done_.empty());
    EXPECT_EQ(fetch(2, BrokerId(2)).high_watermark, Offset(2));
    ASSERT_EQ(done_.size(), 1u);
    EXPECT_EQ(done_[0].code, ErrorCode::none);
    EXPECT_EQ(done_[0].base_offset, Offset(0));
    EXPECT_EQ(done_[0].log_start_offset, Offset(0));
}

TEST_F(LocalPartitionTest, AnswersOutsideTheGuard) {
    // The answer of one produce comes back in: it would wait for itself if the guard were held.
    start({1, 2});
    Offset seen(-1);
    auto batch = batch_of(1, now());
    produce_in(*partition_, batch, Acks::all, soon(),
               [&](const ProduceAnswer&) { seen = partition_->high_watermark(); });
    fetch(1, BrokerId(2));
    EXPECT_EQ(seen, Offset(1));
}

TEST_F(LocalPartitionTest, TimesOutAParkedProduce) {
    start({1, 2});
    ASSERT_FALSE(produce(1, Acks::all));
    const env::Instant next = partition_->expire(env_->clock().now());
    EXPECT_NE(next, env::kNever);
    EXPECT_TRUE(done_.empty());
    EXPECT_EQ(partition_->expire(next), env::kNever);
    ASSERT_EQ(done_.size(), 1u);
    EXPECT_EQ(done_[0].code, ErrorCode::request_timed_out);
    EXPECT_EQ(done_[0].base_offset, Offset(-1));
    EXPECT_EQ(log_->log_end_offset(), Offset(1));  // the data stays
}

TEST_F(LocalPartitionTest, EndsParkedProducesWhenItFollows) {
    start({1, 2});
    ASSERT_FALSE(produce(1, Acks::all));
    ASSERT_TRUE(partition_->become(state(2, {1, 2}, 1, 1)));
    ASSERT_EQ(done_.size(), 1u);
    EXPECT_EQ(done_[0].code, ErrorCode::not_leader_or_follower);
    EXPECT_EQ(done_[0].current_leader.leader, BrokerId(2));
    EXPECT_EQ(done_[0].current_leader.epoch, LeaderEpoch(1));
}

TEST_F(LocalPartitionTest, RefusesWithTheLeadersNameWhenItFollows) {
    start({1, 2}, 2);
    const auto answer = produce(1);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->code, ErrorCode::not_leader_or_follower);
    EXPECT_EQ(answer->current_leader.leader, BrokerId(2));
    EXPECT_EQ(fetch(0).current_leader.leader, BrokerId(2));
}

TEST_F(LocalPartitionTest, HasNoRoleBeforeTheMetadataGivesOne) {
    auto log = std::make_unique<MemoryLog>();
    partition_ = make(std::move(log), Offset(0));
    EXPECT_EQ(refused(batch_of(1, now())), ErrorCode::not_leader_or_follower);
    EXPECT_EQ(fetch(0).code, ErrorCode::not_leader_or_follower);
}

TEST_F(LocalPartitionTest, IgnoresAStaleState) {
    start({1, 2});
    ASSERT_TRUE(partition_->become(state(1, {1, 2}, 5, 2)));
    ASSERT_TRUE(partition_->become(state(2, {1, 2}, 4, 1)));
    EXPECT_EQ(partition_->current_leader().leader, BrokerId(1));
    EXPECT_EQ(partition_->current_leader().epoch, LeaderEpoch(2));
}

TEST_F(LocalPartitionTest, KeepsItsHighWatermarkFromRoleToRole) {
    start({1, 2});
    produce(4);
    produce(4);
    fetch(4, BrokerId(2));
    ASSERT_EQ(partition_->high_watermark(), Offset(4));
    ASSERT_TRUE(partition_->become(state(2, {1, 2}, 1, 1)));
    EXPECT_EQ(partition_->high_watermark(), Offset(4));
    ASSERT_TRUE(partition_->become(state(1, {1, 2}, 2, 2)));
    EXPECT_EQ(partition_->high_watermark(), Offset(4));
}

TEST_F(LocalPartitionTest, LosesAnEpochWithoutBatchesWhenItFollows) {
    // It led in epoch 1 and wrote nothing; what it fetches next may be of epoch 0.
    start({1, 2});
    produce(1);
    ASSERT_TRUE(partition_->become(state(1, {1, 2}, 1, 1)));
    ASSERT_EQ(log_->epoch_at(Offset(1)), LeaderEpoch(1));
    ASSERT_TRUE(partition_->become(state(2, {1, 2}, 2, 2)));
    EXPECT_EQ(log_->epoch_at(Offset(1)), LeaderEpoch(0));
    EXPECT_EQ(partition_->log_end_offset(), Offset(1));
}

TEST_F(LocalPartitionTest, ChecksInTheOrderOfKafka) {
    // What is not one batch comes before everything; what is in it only after role and in-sync
    // replicas.
    settings_.min_insync_replicas = 2;
    start({1, 2}, 2);
    EXPECT_EQ(refused({}), ErrorCode::invalid_record);
    auto broken = batch_of(1, now());
    broken.back() ^= std::byte{1};
    EXPECT_EQ(refused(broken), ErrorCode::not_leader_or_follower);
    PartitionState alone = state(1, {1, 2}, 1, 1);
    alone.in_sync_replicas = brokers({1});
    ASSERT_TRUE(partition_->become(alone));
    EXPECT_EQ(refused(broken, Acks::all), ErrorCode::not_enough_replicas);
    EXPECT_EQ(refused(broken, Acks::leader), ErrorCode::corrupt_message);
    EXPECT_EQ(log_->log_end_offset(), Offset(0));
}

TEST_F(LocalPartitionTest, RefusesTwoBatchesAndTooLargeOnes) {
    settings_.rules.batch_bytes_max = 200;
    settings_.log.segment_bytes = 150;
    start();
    auto two = batch_of(1, now());
    const auto second = two;
    two.insert(two.end(), second.begin(), second.end());
    EXPECT_EQ(refused(two), ErrorCode::invalid_record);
    EXPECT_EQ(refused(batch_of(20, now())), ErrorCode::message_too_large);
    EXPECT_EQ(refused(batch_of(8, now())), ErrorCode::record_list_too_large);
    EXPECT_EQ(produce(1)->code, ErrorCode::none);
}

TEST_F(LocalPartitionTest, NamesTheRecordsOfARefusedBatch) {
    settings_.rules.timestamp_after_max_ms = 1000;
    start();
    const auto answer = produce(batch_of(1, Timestamp(now().value + 100'000)), Acks::leader);
    ASSERT_TRUE(answer);
    EXPECT_EQ(answer->code, ErrorCode::invalid_timestamp);
    EXPECT_EQ(answer->record_errors.size(), 1u);
    EXPECT_EQ(answer->base_offset, Offset(-1));
}

TEST_F(LocalPartitionTest, StampsItsOwnTimeWhereTheTopicAsksForIt) {
    settings_.rules.timestamp_type = record::TimestampType::log_append;
    start();
    const Timestamp before = now();
    const auto answer = produce(batch_of(2, Timestamp(5)), Acks::leader);
    ASSERT_TRUE(answer);
    ASSERT_EQ(answer->code, ErrorCode::none);
    EXPECT_GE(answer->log_append_time, before);
    const auto batch = record::BatchView(log_->batches().back().bytes);
    EXPECT_EQ(batch.timestamp_type(), record::TimestampType::log_append);
    EXPECT_EQ(batch.max_timestamp(), answer->log_append_time);
    EXPECT_TRUE(batch.check_crc());
}

TEST_F(LocalPartitionTest, StoresTheTopicsCodec) {
    settings_.codec = record::Codec::lz4;
    start();
    EXPECT_EQ(produce(2)->base_offset, Offset(0));
    settings_.codec = std::nullopt;  // the producer's own
    partition_->configure(settings_);
    EXPECT_EQ(produce(1)->base_offset, Offset(2));
    const auto bytes = bytes_of(fetch(0).records);
    const auto first = record::first_batch(bytes).value().value();
    EXPECT_EQ(first.codec(), record::Codec::lz4);
    EXPECT_TRUE(first.check_crc());
    const auto second = record::first_batch(BytesView(bytes).subspan(first.size())).value().value();
    EXPECT_EQ(second.codec(), record::Codec::none);
    EXPECT_EQ(second.base_offset(), Offset(2));
}

TEST_F(LocalPartitionTest, RefusesWhatIsTooLargeInTheTopicsCodec) {
    auto batch = support::make_batch(
        {.codec = record::Codec::zstd,
         .records = {{.timestamp = now().value, .value = std::string(10'000, 'a')}}});
    settings_.codec = record::Codec::none;
    settings_.rules.batch_bytes_max = batch.size();
    start();
    EXPECT_EQ(refused(batch), ErrorCode::message_too_large);
    EXPECT_EQ(partition_->log_end_offset(), Offset(0));
}

TEST_F(LocalPartitionTest, NamesTheLogsStartWhenItRefusesRecordsButNotASizeOrChecksum) {
    start();
    auto wrong = batch_of(1, now());
    store<std::int64_t>(wrong.data(), 5);  // the base offset lies outside the checksum
    const auto records = produce(wrong, Acks::leader);
    EXPECT_EQ(records->code, ErrorCode::invalid_record);
    EXPECT_EQ(records->log_start_offset, Offset(0));

    auto damaged = batch_of(1, now());
    damaged.back() ^= std::byte{1};
    const auto checksum = produce(damaged, Acks::leader);
    EXPECT_EQ(checksum->code, ErrorCode::corrupt_message);
    EXPECT_EQ(checksum->log_start_offset, Offset(-1));
}

TEST_F(LocalPartitionTest, FollowsNewSettings) {
    settings_.rules.batch_bytes_max = 10;
    start({1, 2});
    EXPECT_EQ(refused(batch_of(1, now())), ErrorCode::message_too_large);
    settings_.rules.batch_bytes_max = 1000;
    partition_->configure(settings_);
    EXPECT_EQ(produce(1)->code, ErrorCode::none);
}

TEST_F(LocalPartitionTest, KeepsTheOffsetOfAnAppendThatFailed) {
    start();
    produce(1);
    log_->fail_appends_after(0, false);
    EXPECT_EQ(refused(batch_of(1, now())), ErrorCode::kafka_storage_error);
    EXPECT_FALSE(partition_->offline());
    log_->fail_appends_after(-1, false);
    EXPECT_EQ(produce(1)->base_offset, Offset(1));
}

TEST_F(LocalPartitionTest, GoesOfflineWithItsLog) {
    start({1, 2});
    ASSERT_FALSE(produce(1, Acks::all));
    log_->fail_appends_after(0, true);
    EXPECT_EQ(refused(batch_of(1, now())), ErrorCode::kafka_storage_error);
    EXPECT_TRUE(partition_->offline());
    ASSERT_EQ(done_.size(), 1u);
    EXPECT_EQ(done_[0].code, ErrorCode::kafka_storage_error);
    EXPECT_EQ(fetch(0).code, ErrorCode::kafka_storage_error);
    EXPECT_EQ(refused(batch_of(1, now())), ErrorCode::kafka_storage_error);
    EXPECT_FALSE(partition_->become(state(1, {1, 2}, 9, 9)));
}

TEST_F(LocalPartitionTest, TellsListenersOfNews) {
    start({1, 2});
    const auto listener = std::make_shared<Listener>();
    partition_->listen(listener);
    produce(1);
    EXPECT_EQ(listener->told, 1);  // followers have more to read
    fetch(1, BrokerId(2));
    EXPECT_EQ(listener->told, 2);  // consumers have
    fetch(1, BrokerId(2));
    EXPECT_EQ(listener->told, 2);
    partition_->become(state(2, {1, 2}, 1, 1)).value();
    EXPECT_EQ(listener->told, 3);
    partition_->unlisten(listener.get());
    partition_->stop();
    EXPECT_EQ(listener->told, 3);
}

TEST_F(LocalPartitionTest, MayBeUnlistenedByTheListenersLastBreath) {
    // The listener dies while it is told; its destructor takes the guard.
    struct Leaving final : FetchListener {
        explicit Leaving(Partition& where) : partition(where) {}
        ~Leaving() override { partition.unlisten(this); }
        void partition_has_news() override { last.reset(); }
        Partition& partition;
        std::shared_ptr<Leaving> last;
    };
    start();
    auto leaving = std::make_shared<Leaving>(*partition_);
    leaving->last = leaving;
    partition_->listen(leaving);
    const std::weak_ptr<Leaving> gone = leaving;
    leaving.reset();
    produce(1);
    EXPECT_TRUE(gone.expired());
}

TEST_F(LocalPartitionTest, TellsAFollowerThatItDoesNotKnowToAskAgain) {
    start({1, 2});
    FetchQuestion question;
    question.replica = BrokerId(9);
    EXPECT_EQ(partition_->fetch(question).code, ErrorCode::not_leader_or_follower);
    question.current_leader_epoch = LeaderEpoch(0);
    EXPECT_EQ(partition_->fetch(question).code, ErrorCode::unknown_leader_epoch);
}

TEST_F(LocalPartitionTest, DoesNotCountAFollowerWhoseHistoryDiffers) {
    start({1, 2});
    ASSERT_TRUE(partition_->become(state(1, {1, 2}, 1, 3)));
    produce(2);
    FetchQuestion question;
    question.replica = BrokerId(2);
    question.from = Offset(2);
    question.current_leader_epoch = LeaderEpoch(3);
    question.last_fetched_epoch = LeaderEpoch(2);
    const FetchAnswer answer = partition_->fetch(question);
    EXPECT_EQ(answer.code, ErrorCode::none);
    EXPECT_EQ(answer.diverging_epoch, (storage::EpochEnd{LeaderEpoch(2), Offset(0)}));
    EXPECT_EQ(partition_->high_watermark(), Offset(0));
}

TEST_F(LocalPartitionTest, NamesTheEndOfAnEpoch) {
    start();
    produce(2);
    ASSERT_TRUE(partition_->become(state(1, {1}, 1, 4)));
    EXPECT_EQ(partition_->end_of_epoch(kNoLeaderEpoch, LeaderEpoch(4)).end,
              (storage::EpochEnd{LeaderEpoch(4), Offset(2)}));
    EXPECT_EQ(partition_->end_of_epoch(LeaderEpoch(4), LeaderEpoch(2)).end,
              (storage::EpochEnd{LeaderEpoch(0), Offset(2)}));
    EXPECT_EQ(partition_->end_of_epoch(kNoLeaderEpoch, LeaderEpoch(5)).end, storage::EpochEnd{});
    EXPECT_EQ(partition_->end_of_epoch(LeaderEpoch(3), LeaderEpoch(2)).code,
              ErrorCode::fenced_leader_epoch);
}

TEST_F(LocalPartitionTest, CountsWhatIsSyncedIfTheTopicAsksForIt) {
    settings_.acks_need_sync = true;
    start();
    ASSERT_FALSE(produce(1, Acks::all));
    EXPECT_EQ(partition_->durable_end_offset(), Offset(0));
    ASSERT_TRUE(partition_->flush());
    EXPECT_EQ(partition_->durable_end_offset(), Offset(1));
    ASSERT_EQ(done_.size(), 1u);
    EXPECT_EQ(done_[0].code, ErrorCode::none);
}

TEST_F(LocalPartitionTest, BeginsWithAllThatACrashHasLeftIfTheTopicAsksForSyncs) {
    settings_.acks_need_sync = true;
    auto log = std::make_unique<MemoryLog>();
    auto batch = batch_of(3, now());
    ASSERT_TRUE(log->append(batch));  // and the checkpoint of the high watermark was older
    partition_ = make(std::move(log), Offset(1));
    ASSERT_TRUE(partition_->become(state(1, {1})));
    EXPECT_EQ(partition_->high_watermark(), Offset(3));
}

TEST_F(LocalPartitionTest, AProducerOfOneAckWaitsForTheSyncAndNotForOthers) {
    settings_.acks_need_sync = true;
    start({1, 2});
    ASSERT_FALSE(produce(1, Acks::leader));
    ASSERT_FALSE(produce(1, Acks::leader));
    ASSERT_FALSE(produce(1, Acks::all));
    ASSERT_TRUE(partition_->flush());
    ASSERT_EQ(done_.size(), 2u) << "the follower has nothing yet";
    EXPECT_EQ(done_[1].code, ErrorCode::none);
    EXPECT_EQ(done_[1].base_offset, Offset(1));
    // Once the topic asks no more for syncs, nobody waits for one.
    ASSERT_FALSE(produce(1, Acks::leader));
    settings_.acks_need_sync = false;
    partition_->configure(settings_);
    EXPECT_EQ(done_.size(), 3u);
    EXPECT_TRUE(produce(1, Acks::leader));
}

TEST_F(LocalPartitionTest, AProducerThatWaitsForTheSyncHearsOfItsDeadlineAndOfAFailure) {
    settings_.acks_need_sync = true;
    start();
    ASSERT_FALSE(produce(1, Acks::leader));
    EXPECT_LT(partition_->expire(env_->clock().now()), env::kNever);
    partition_->expire(soon() + std::chrono::seconds(1));
    ASSERT_EQ(done_.size(), 1u);
    EXPECT_EQ(done_[0].code, ErrorCode::request_timed_out);
    ASSERT_FALSE(produce(1, Acks::leader));
    partition_->take_offline();
    ASSERT_EQ(done_.size(), 2u);
    EXPECT_EQ(done_[1].code, ErrorCode::kafka_storage_error);
}

TEST_F(LocalPartitionTest, IsQueuedForASyncOnceForAllAppendsThatWaitForIt) {
    PartitionQueue<LocalPartition> queue;
    int told = 0;
    queue.when_added([&] { ++told; });
    settings_.flush_messages = 3;
    start();
    partition_->queue_syncs_in(queue);
    produce(2);
    EXPECT_EQ(queue.take(), nullptr) << "two of three";
    produce(1);
    produce(5);
    EXPECT_EQ(told, 1);
    ASSERT_EQ(queue.take(), partition_);
    EXPECT_EQ(queue.take(), nullptr);
    ASSERT_TRUE(partition_->flush());
    EXPECT_EQ(partition_->durable_end_offset(), Offset(8));
    produce(2);
    EXPECT_EQ(queue.take(), nullptr);
    // A segment that was closed is synced whatever the topic says.
    log_->roll();
    produce(1, Acks::none);
    EXPECT_EQ(queue.take(), partition_);
}

TEST_F(LocalPartitionTest, AFailedSyncIsNotTriedAgainAndBelieved) {
    PartitionQueue<LocalPartition> queue;
    settings_.acks_need_sync = true;
    settings_.flush_messages = 1;
    start();
    partition_->queue_syncs_in(queue);
    // Another append asks for a sync while the first is under way.
    const auto file =
        std::make_shared<ForgetfulFile>([this] { EXPECT_FALSE(produce(1, Acks::leader)); });
    log_->sync_in(file);
    ASSERT_FALSE(produce(1, Acks::leader));
    ASSERT_EQ(queue.take(), partition_);
    EXPECT_FALSE(partition_->flush());
    ASSERT_EQ(done_.size(), 2u);
    EXPECT_EQ(done_[1].code, ErrorCode::kafka_storage_error);
    EXPECT_EQ(queue.take(), nullptr);
    (void)partition_->flush();
    EXPECT_EQ(file->syncs(), 1);
    EXPECT_EQ(partition_->durable_end_offset(), Offset(0));
}

TEST_F(LocalPartitionTest, IsQueuedWhenItsLastSyncIsTooLongAgo) {
    PartitionQueue<LocalPartition> queue;
    settings_.flush_interval = std::chrono::milliseconds(20);
    start();
    partition_->queue_syncs_in(queue);
    produce(1);
    partition_->sync_if_due();
    EXPECT_EQ(queue.take(), nullptr) << "its time begins now";
    std::this_thread::sleep_for(std::chrono::milliseconds(21));
    partition_->sync_if_due();
    ASSERT_EQ(queue.take(), partition_);
    ASSERT_TRUE(partition_->flush());
    std::this_thread::sleep_for(std::chrono::milliseconds(21));
    partition_->sync_if_due();
    EXPECT_EQ(queue.take(), nullptr) << "nothing is unsynced";
}

TEST_F(LocalPartitionTest, AnswersAfterItWasClosed) {
    start();
    produce(3);
    ASSERT_TRUE(partition_->close());
    EXPECT_EQ(refused(batch_of(1, now())), ErrorCode::not_leader_or_follower);
    EXPECT_EQ(fetch(0).code, ErrorCode::not_leader_or_follower);
    EXPECT_EQ(partition_->durable_end_offset(), Offset(3));
    EXPECT_EQ(partition_->high_watermark(), Offset(3));
    EXPECT_TRUE(partition_->flush());
    EXPECT_TRUE(partition_->close());
}

/// Waits until told, then reads: the mark is cleared before the read, so that no news falls
/// between.
class Reader final : public FetchListener {
public:
    void partition_has_news() override {
        marked_.store(true);
        marked_.notify_one();
    }
    void read_up_to(Partition& partition, Offset end) {
        while (position < end) {
            marked_.wait(false);
            marked_.store(false);
            FetchQuestion question;
            question.bytes_max = 1 << 16;
            for (;;) {
                question.from = position;
                const FetchAnswer answer = partition.fetch(question);
                if (answer.records.length == 0) break;
                const auto bytes = bytes_of(answer.records);
                for (BytesView rest = bytes; !rest.empty();) {
                    const auto batch = record::first_batch(rest).value().value();
                    contiguous &= batch.base_offset() == position;
                    position = batch.next_offset();
                    rest = rest.subspan(batch.size());
                }
            }
        }
    }
    Offset position;
    bool contiguous = true;

private:
    std::atomic<bool> marked_ = false;
};

TEST_F(LocalPartitionTest, LosesNoWakeUpBetweenThreads) {
    // Two producers, one of them with acks=all, a follower, two readers that wait for news only,
    // and one who comes and goes. A lost wake-up leaves a reader waiting for ever.
    constexpr int kBatches = 1000;
    start({1, 2});
    std::atomic<int> answered = 0;
    const auto produce_all = [&](Acks acks) {
        for (int i = 0; i < kBatches; ++i) {
            auto batch = batch_of(1, now());
            produce_in(*partition_, batch, acks, soon(), [&](const ProduceAnswer& answer) {
                if (answer.code == ErrorCode::none) ++answered;
            });
        }
    };
    const auto readers = {std::make_shared<Reader>(), std::make_shared<Reader>()};
    std::atomic<bool> over = false;
    std::vector<std::thread> threads;
    for (const auto& reader : readers) {
        partition_->listen(reader);
        threads.emplace_back(
            [&, reader] { reader->read_up_to(*partition_, Offset(2 * kBatches)); });
    }
    threads.emplace_back(produce_all, Acks::leader);
    threads.emplace_back(produce_all, Acks::all);
    std::thread follower([&] {
        while (!over) {
            FetchQuestion question;
            question.replica = BrokerId(2);
            question.from = partition_->log_end_offset();
            partition_->fetch(question);
            std::this_thread::yield();
        }
    });
    std::thread visitor([&] {
        while (!over) {
            const auto listener = std::make_shared<Listener>();
            partition_->listen(listener);
            partition_->unlisten(listener.get());
            partition_->expire(env_->clock().now());
            std::this_thread::yield();
        }
    });
    for (std::thread& thread : threads) thread.join();
    over = true;
    follower.join();
    visitor.join();
    EXPECT_EQ(answered, kBatches);
    for (const auto& reader : readers) {
        EXPECT_TRUE(reader->contiguous);
        EXPECT_EQ(reader->position, Offset(2 * kBatches));
    }
}

TEST_F(LocalPartitionTest, OldSegmentsGoBelowTheHighWatermarkOnly) {
    start({1, 2});
    ASSERT_EQ(produce(4)->code, ErrorCode::none);
    log_->let_go(Offset(4));
    EXPECT_TRUE(partition_->remove_old_segments()->empty()) << "the follower has nothing yet";
    fetch(4, BrokerId(2));
    const auto listener = std::make_shared<Listener>();
    partition_->listen(listener);
    EXPECT_EQ(partition_->remove_old_segments()->size(), 1u);
    EXPECT_EQ(partition_->log_start_offset(), Offset(4));
    EXPECT_EQ(listener->told, 1) << "who waits below the start must hear of it";
    EXPECT_EQ(fetch(0).code, ErrorCode::offset_out_of_range);
    EXPECT_EQ(partition_->start_to_checkpoint(), std::nullopt);
}

TEST_F(LocalPartitionTest, AnAbandonedLogIsNeitherSyncedNorMissed) {
    start();
    ASSERT_EQ(produce(4)->code, ErrorCode::none);
    partition_->abandon();
    EXPECT_EQ(log_->durable_end_offset(), Offset(0));
    EXPECT_TRUE(partition_->flush());
    EXPECT_TRUE(partition_->close());
    EXPECT_EQ(log_->durable_end_offset(), Offset(0));
    EXPECT_TRUE(partition_->remove_old_segments()->empty());
    EXPECT_EQ(produce(1)->code, ErrorCode::not_leader_or_follower);
}

/// Every follower counts.
bool everybody(BrokerId) {
    return true;
}

TEST_F(LocalPartitionTest, RecordsAreDeletedUpToTheHighWatermark) {
    start();
    produce(4);
    const auto listener = std::make_shared<Listener>();
    partition_->listen(listener);
    const DeleteAnswer some = partition_->delete_records(Offset(2), everybody);
    EXPECT_EQ(some.code, ErrorCode::none);
    EXPECT_EQ(some.requested, Offset(2));
    EXPECT_EQ(some.low_watermark, Offset(2));
    EXPECT_EQ(listener->told, 1);
    EXPECT_EQ(fetch(1).code, ErrorCode::offset_out_of_range);
    EXPECT_EQ(partition_->start_to_checkpoint(), Offset(2));
    EXPECT_EQ(partition_->delete_records(Offset(1), everybody).low_watermark, Offset(2))
        << "what is gone already is a success";
    EXPECT_EQ(partition_->delete_records(Offset(-1), everybody).low_watermark, Offset(4));
    for (const int wrong : {5, -2}) {
        const DeleteAnswer refused = partition_->delete_records(Offset(wrong), everybody);
        EXPECT_EQ(refused.code, ErrorCode::offset_out_of_range);
        EXPECT_EQ(refused.low_watermark, Offset(-1));
    }
}

TEST_F(LocalPartitionTest, RecordsAreDeletedWhenTheFollowersThatCountHaveDoneSo) {
    start({1, 2, 3});
    produce(4);
    fetch(4, BrokerId(2));
    fetch(4, BrokerId(3));
    const auto without_3 = [](BrokerId follower) { return follower != BrokerId(3); };
    EXPECT_EQ(partition_->delete_records(Offset(3), without_3).low_watermark, Offset(-1));
    FetchQuestion question{.from = Offset(4), .log_start_offset = Offset(3)};
    question.replica = BrokerId(2);
    partition_->fetch(question);
    EXPECT_EQ(partition_->low_watermark(without_3).low_watermark, Offset(3));
    EXPECT_EQ(partition_->low_watermark(everybody).low_watermark, Offset(-1));
    ASSERT_TRUE(partition_->become(state(2, {1, 2, 3}, 1, 1)));
    EXPECT_EQ(partition_->low_watermark(everybody).code, ErrorCode::not_leader_or_follower);
    EXPECT_EQ(partition_->delete_records(Offset(3), everybody).code,
              ErrorCode::not_leader_or_follower);
}

TEST_F(LocalPartitionTest, RecordsOfACompactedTopicAreNotDeleted) {
    settings_.keeps_latest_only = true;
    start();
    produce(4);
    EXPECT_EQ(partition_->delete_records(Offset(2), everybody).code, ErrorCode::policy_violation);
    EXPECT_EQ(partition_->log_start_offset(), Offset(0));
}

}  // namespace
}  // namespace milena::replication
