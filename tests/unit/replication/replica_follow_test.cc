// SPDX-License-Identifier: Apache-2.0
// Two replicas of one partition, and a hand that carries what they say to each other: what a
// follower makes of its leader's answers, and whom the leader wants in sync.
#include <gtest/gtest.h>

#include "core_script.h"
#include "local_partition.h"
#include "memory_log.h"
#include "produce.h"
#include "support/batches.h"

namespace milena::replication {
namespace {

/// A replica with its log.
struct Copy {
    Copy(env::Env& env, int broker, const PartitionSettings& settings) {
        auto made = std::make_unique<MemoryLog>();
        log = made.get();
        partition = std::make_shared<LocalPartition>(env, Logger(),
                                                     ReplicaParts{BrokerId(broker),
                                                                  {"t", PartitionIndex(0)},
                                                                  Uuid{1, 2},
                                                                  std::move(made),
                                                                  Offset(0),
                                                                  settings});
    }
    std::vector<std::byte> bytes() const {
        std::vector<std::byte> all;
        for (const auto& batch : log->batches())
            all.insert(all.end(), batch.bytes.begin(), batch.bytes.end());
        return all;
    }
    MemoryLog* log = nullptr;
    std::shared_ptr<LocalPartition> partition;
};

class ReplicaFollowTest : public testing::Test {
protected:
    /// Both are replicas; `isr` are in sync.
    void lead(int leader, int epoch, std::initializer_list<int> isr = {1, 2}) {
        const PartitionState state{BrokerId(leader), LeaderEpoch(epoch), PartitionEpoch(epoch),
                                   brokers({1, 2}), brokers(isr)};
        ASSERT_TRUE(one_.partition->become(state));
        ASSERT_TRUE(two_.partition->become(state));
    }
    std::optional<ProduceAnswer> produce(Copy& to, int count, Acks acks = Acks::leader) {
        auto bytes = batch_of(count, env_->clock().wall());
        return produce_in(*to.partition, bytes, acks, env_->clock().now() + std::chrono::seconds(9),
                          [this](ProduceAnswer answer) { done_.push_back(answer); });
    }
    static FetchAnswer ask(Copy& leader, const FetchPlan& plan, BrokerId replica) {
        return leader.partition->fetch({.from = plan.from,
                                        .current_leader_epoch = plan.current_leader_epoch,
                                        .last_fetched_epoch = plan.last_fetched_epoch,
                                        .log_start_offset = plan.log_start,
                                        .replica = replica,
                                        .replica_epoch = BrokerEpoch(70 + replica.value),
                                        .bytes_max = 1 << 20});
    }
    /// One round: what the follower made of it.
    Result<FollowStep> carry(Copy& follower, Copy& leader,
                             ProducePlace place = ProducePlace::core) {
        const auto plan = follower.partition->next_fetch();
        if (!plan) return fail(ErrorCode::unknown_server_error, "no plan");
        const BrokerId self(&follower == &one_ ? 1 : 2);
        const FetchAnswer answer = ask(leader, *plan, self);
        if (answer.code != ErrorCode::none) return fail(answer.code, "refused");
        const auto bytes = bytes_of(answer.records);
        const FetchedPart part{.high_watermark = answer.high_watermark,
                               .log_start = answer.log_start_offset,
                               .diverging = answer.diverging_epoch,
                               .records = bytes};
        return follower.partition->take_fetched(*plan, part, place);
    }

    std::unique_ptr<env::RealEnv> env_ = env::make_real_env(1);
    PartitionSettings settings_;
    Copy one_{*env_, 1, settings_};
    Copy two_{*env_, 2, settings_};
    std::vector<ProduceAnswer> done_;
};

TEST_F(ReplicaFollowTest, CopiesItsLeadersBytesAndLearnsWhatIsCommitted) {
    lead(1, 3);
    EXPECT_FALSE(produce(one_, 3, Acks::all));
    EXPECT_EQ(carry(two_, one_), FollowStep::taken);
    EXPECT_EQ(two_.bytes(), one_.bytes());
    EXPECT_EQ(two_.partition->high_watermark(), Offset(0));
    EXPECT_TRUE(done_.empty());
    EXPECT_EQ(carry(two_, one_), FollowStep::taken);  // by which the leader knows
    ASSERT_EQ(done_.size(), 1U);
    EXPECT_EQ(done_[0].code, ErrorCode::none);
    EXPECT_EQ(two_.partition->high_watermark(), Offset(3));
}

TEST_F(ReplicaFollowTest, CutsWhatItsNewLeaderDoesNotHave) {
    lead(1, 1);
    produce(one_, 2);
    ASSERT_EQ(carry(two_, one_), FollowStep::taken);
    produce(one_, 5);  // of which the other never hears
    lead(2, 2);
    produce(two_, 1);
    EXPECT_EQ(carry(one_, two_), FollowStep::needs_disk);
    EXPECT_EQ(carry(one_, two_, ProducePlace::disk_pool), FollowStep::needs_record);
    EXPECT_EQ(one_.partition->log_end_offset(), Offset(2));
    EXPECT_EQ(carry(one_, two_), FollowStep::taken);
    EXPECT_EQ(one_.bytes(), two_.bytes());
}

TEST_F(ReplicaFollowTest, BeginsAnewWhereItsLeadersLogBegins) {
    lead(1, 1);
    produce(one_, 2);
    produce(one_, 2);
    ASSERT_TRUE(one_.log->raise_start(Offset(2)));
    const auto plan = *two_.partition->next_fetch();
    EXPECT_EQ(ask(one_, plan, BrokerId(2)).code, ErrorCode::offset_out_of_range);
    EXPECT_EQ(two_.partition->take_out_of_range(plan, Offset(2), Offset(4)),
              FollowStep::needs_record);
    EXPECT_EQ(two_.partition->log_start_offset(), Offset(2));
    EXPECT_EQ(carry(two_, one_), FollowStep::taken);
    EXPECT_EQ(two_.bytes(), one_.bytes());
}

TEST_F(ReplicaFollowTest, FollowsWhereItsLeadersLogBegins) {
    lead(1, 1);
    produce(one_, 2);
    produce(one_, 2);
    ASSERT_EQ(carry(two_, one_), FollowStep::taken);
    ASSERT_EQ(carry(two_, one_), FollowStep::taken);
    ASSERT_EQ(one_.partition->delete_records(Offset(2), [](BrokerId) { return true; }).code,
              ErrorCode::none);
    EXPECT_EQ(carry(two_, one_), FollowStep::taken);
    EXPECT_EQ(two_.partition->log_start_offset(), Offset(2));
}

TEST_F(ReplicaFollowTest, AnAnswerThatCameTooLateChangesNothing) {
    lead(1, 1);
    produce(one_, 2);
    const auto plan = *two_.partition->next_fetch();
    const auto bytes = bytes_of(ask(one_, plan, BrokerId(2)).records);
    const FetchedPart part{Offset(2), Offset(0), {}, bytes};
    lead(2, 2);
    EXPECT_EQ(two_.partition->take_fetched(plan, part, ProducePlace::core), FollowStep::taken);
    EXPECT_TRUE(two_.log->batches().empty());
    EXPECT_FALSE(two_.partition->next_fetch());
    lead(1, 3);  // the same offset, of another history
    EXPECT_EQ(two_.partition->take_fetched(plan, part, ProducePlace::core), FollowStep::taken);
    EXPECT_TRUE(two_.log->batches().empty());
}

TEST_F(ReplicaFollowTest, TakesNothingOfADamagedBatch) {
    lead(1, 1);
    produce(one_, 2);
    const auto plan = *two_.partition->next_fetch();
    auto bytes = bytes_of(ask(one_, plan, BrokerId(2)).records);
    bytes.back() ^= std::byte{1};
    const auto taken =
        two_.partition->take_fetched(plan, {Offset(2), Offset(0), {}, bytes}, ProducePlace::core);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, ErrorCode::corrupt_message);
    EXPECT_TRUE(two_.log->batches().empty());
    EXPECT_EQ(carry(two_, one_), FollowStep::taken);
}

TEST_F(ReplicaFollowTest, WritesInThePoolHoldNobodyUp) {
    // While the disk does not come back from a write everything else is asked of the partition by
    // the thread that writes: it would wait for itself if the guard were held.
    lead(1, 1);
    produce(one_, 2);
    two_.log->set_rolls_next(true);
    EXPECT_EQ(carry(two_, one_), FollowStep::needs_disk);
    int asked = 0;
    two_.log->write_in(std::make_shared<HookedFile>([&] {
        ++asked;
        EXPECT_EQ(two_.partition->log_end_offset(), Offset(0));
        EXPECT_FALSE(two_.partition->next_fetch());  // one at a time
    }));
    EXPECT_EQ(carry(two_, one_, ProducePlace::disk_pool), FollowStep::taken);
    EXPECT_EQ(asked, 1);
    EXPECT_EQ(two_.bytes(), one_.bytes());
}

TEST_F(ReplicaFollowTest, ARoleThatComesMeanwhileWaitsForTheWrite) {
    lead(1, 1);
    produce(one_, 2);
    two_.log->set_rolls_next(true);
    two_.log->write_in(std::make_shared<HookedFile>([&] { lead(2, 2); }));
    EXPECT_EQ(carry(two_, one_, ProducePlace::disk_pool), FollowStep::taken);
    EXPECT_EQ(two_.partition->current_leader().leader, BrokerId(2));
    EXPECT_EQ(two_.partition->log_end_offset(), Offset(2));
    two_.log->set_rolls_next(false);
    two_.log->write_in(std::make_shared<HookedFile>([] {}));
    EXPECT_EQ(produce(two_, 1)->base_offset, Offset(2));
}

TEST_F(ReplicaFollowTest, AsksForMoreOnlyWhenWhatItHasIsSynced) {
    settings_.acks_need_sync = true;
    two_.partition->configure(settings_);
    lead(1, 1);
    produce(one_, 2);
    EXPECT_EQ(carry(two_, one_), FollowStep::needs_sync);
    EXPECT_FALSE(two_.partition->next_fetch());
    ASSERT_TRUE(two_.partition->flush());
    EXPECT_EQ(two_.partition->next_fetch()->from, Offset(2));
}

TEST_F(ReplicaFollowTest, WhoHasCaughtUpIsAskedIntoTheInSyncReplicas) {
    PartitionQueue<LocalPartition> queue;
    one_.partition->queue_isr_changes_in(queue);
    lead(1, 1, {1});
    produce(one_, 2);
    EXPECT_EQ(carry(two_, one_), FollowStep::taken);
    EXPECT_EQ(queue.take(), nullptr);
    EXPECT_EQ(carry(two_, one_), FollowStep::taken);
    ASSERT_EQ(queue.take(), one_.partition);
    const auto proposal = one_.partition->propose_isr();
    ASSERT_TRUE(proposal);
    EXPECT_EQ(proposal->in_sync_replicas,
              (std::vector<InSyncMember>{{BrokerId(1)}, {BrokerId(2), BrokerEpoch(72)}}));
    EXPECT_FALSE(one_.partition->propose_isr());  // it is on its way

    one_.partition->isr_refused(IsrRefusal::unknown);
    ASSERT_EQ(queue.take(), one_.partition);
    EXPECT_EQ(one_.partition->propose_isr(), proposal);
    one_.partition->isr_accepted(brokers({1, 2}), PartitionEpoch(5));
    EXPECT_FALSE(produce(one_, 1, Acks::all));  // now the other must have it
    EXPECT_EQ(carry(two_, one_), FollowStep::taken);
    EXPECT_EQ(carry(two_, one_), FollowStep::taken);
    EXPECT_EQ(done_.size(), 1U);
}

/// Broker 2 is a replica and not in sync; the quota is used up.
TEST_F(ReplicaFollowTest, AThrottledCopyWaitsForItsQuotaUntilItIsInSync) {
    ReplicationQuota quota({});
    quota.set_limit(100);
    settings_.throttled = std::make_shared<const ThrottledReplicas>(
        ThrottledReplicas{.at_leader = {.has_all = true}, .at_follower = {}});
    one_.partition->configure(settings_);
    lead(1, 1, {1});
    produce(one_, 2);
    FetchQuestion question{.from = Offset(0),
                           .replica = BrokerId(2),
                           .replica_epoch = BrokerEpoch(72),
                           .bytes_max = 1 << 20,
                           .quota = &quota};
    FetchAnswer answer = one_.partition->fetch(question);
    EXPECT_TRUE(answer.is_throttled);
    EXPECT_FALSE(answer.is_withheld);
    EXPECT_GT(answer.records.length, 0U);

    quota.record(1000, env_->clock().now());
    answer = one_.partition->fetch(question);
    EXPECT_TRUE(answer.is_withheld);
    EXPECT_EQ(answer.code, ErrorCode::none);
    EXPECT_EQ(answer.records.length, 0U);
    EXPECT_EQ(answer.high_watermark, Offset(2));
    question.from = Offset(2);  // has all there is
    EXPECT_FALSE(one_.partition->fetch(question).is_withheld);
    question.from = Offset(0);

    lead(1, 2, {1, 2});
    EXPECT_FALSE(one_.partition->fetch(question).is_withheld);
    settings_.throttled = nullptr;
    one_.partition->configure(settings_);
    EXPECT_FALSE(one_.partition->fetch(question).is_throttled);
}

TEST_F(ReplicaFollowTest, IsBehindWhileItLacksWhatIsCommittedAndIsNotInSync) {
    lead(1, 1, {1});
    produce(one_, 2);
    EXPECT_FALSE(one_.partition->is_behind()) << "it leads";
    EXPECT_TRUE(two_.partition->is_behind()) << "it has heard nothing";
    ASSERT_EQ(carry(two_, one_), FollowStep::taken);
    EXPECT_FALSE(two_.partition->is_behind());
    lead(1, 2, {1});
    EXPECT_TRUE(two_.partition->is_behind());
    lead(1, 3, {1, 2});
    EXPECT_FALSE(two_.partition->is_behind());
}

}  // namespace
}  // namespace milena::replication
