// SPDX-License-Identifier: Apache-2.0
// One partition's coordinator is asked, from several cores, while its follower, its disk, its store
// and its leadership do what they do. The loop's part is in hosted_groups_loop_test.cc.
#include "coordinators/hosted_groups.h"

#include <gtest/gtest.h>

#include "unit/drivers/coordinators/hosted_groups_fixture.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;
using coordinator::HeartbeatRequest;

TEST_F(HostedGroupsTest, AnswersACommitWhenItIsInTheLog) {
    become_active();
    const auto answer = ask_now(commit("t"));
    ASSERT_TRUE(answer);
    EXPECT_TRUE(std::holds_alternative<coordinator::CommitReply>(*answer));
    EXPECT_EQ(led_.partition->log_end_offset(), Offset(1));
    expect_trace({"apply t@0", "committed 1"});
}

TEST_F(HostedGroupsTest, AnswersNothingBeforeTheFollowerHasIt) {
    become_active_with_follower();
    const Slot committed = ask(commit("t"));
    const Slot beat = ask(HeartbeatRequest{}, 1);
    world_.run_for(2s);
    EXPECT_FALSE(committed->has_value());
    EXPECT_FALSE(beat->has_value()) << "its decision came after a commit that may be lost";
    EXPECT_EQ(hosted_->figures().parked, 2U);
    inside([this] { led_.follower_catches_up(); });
    world_.run_for(1s);
    EXPECT_EQ(code_of(committed), ErrorCode::none);
    EXPECT_EQ(code_of(beat), ErrorCode::none);
    EXPECT_EQ(hosted_->figures().askers, 0U);
}

TEST_F(HostedGroupsTest, DecidesOneAfterTheOtherFromAllCores) {
    become_active();
    std::vector<Slot> slots;
    for (std::size_t i = 0; i < 200; ++i)
        slots.push_back(ask(commit(fmt::format("t{}", i)), i % 2));
    world_.run_for(10s);
    for (const Slot& slot : slots) EXPECT_EQ(code_of(slot), ErrorCode::none);
    EXPECT_EQ(led_.partition->log_end_offset(), Offset(200));
    EXPECT_EQ(host_.counters.committed_offsets.value(), 0U) << "their keys are no offsets'";
    EXPECT_EQ(host_.counters.appends.value(), 200U);
}

TEST_F(HostedGroupsTest, GivesUpWhatItsReplicasDoNotHaveInTime) {
    become_active_with_follower();
    const Slot committed = ask(commit("t"));
    world_.run_for(4s);
    EXPECT_FALSE(committed->has_value());
    world_.run_for(2s);
    EXPECT_EQ(code_of(committed), ErrorCode::coordinator_not_available);
    // It is in the log all the same, and what comes later counts on it.
    inside([this] { led_.follower_catches_up(); });
    world_.run_for(1s);
    expect_trace({"apply t@0", "given up 1", "committed 1"});
    EXPECT_TRUE(ask(commit("u")) != nullptr);
    world_.run_for(1s);
    inside([this] { led_.follower_catches_up(); });
    world_.run_for(1s);
    expect_trace({"apply u@1", "committed 2"});
}

TEST_F(HostedGroupsTest, SaysSoIfTooFewReplicasAreInSync) {
    replication::PartitionSettings settings;
    settings.min_insync_replicas = 2;
    become_active_with_follower();
    inside([&] {
        led_.partition->configure(settings);
        ++led_.epoch;
        EXPECT_TRUE(led_.partition->become(
            {BrokerId(1), LeaderEpoch(led_.epoch), PartitionEpoch(led_.epoch), kBoth, kAlone}));
    });
    trace_.lines.clear();
    const auto answer = ask_now(commit("t"));
    ASSERT_FALSE(answer);
    EXPECT_EQ(answer.error().code, ErrorCode::coordinator_not_available);
    expect_trace({"failed 15"});
    EXPECT_TRUE(ask_now(HeartbeatRequest{})) << "what writes nothing goes on";
}

TEST_F(HostedGroupsTest, TellsEverybodyWhenTheLeadershipIsLost) {
    become_active_with_follower();
    const Slot committed = ask(commit("t"));
    const Slot joins = ask(join(60'000));
    world_.run_for(1s);
    inside([this] { led_.become(BrokerId(2), kBoth); });
    world_.run_for(1s);
    EXPECT_EQ(code_of(committed), ErrorCode::not_coordinator);
    EXPECT_EQ(code_of(joins), ErrorCode::not_coordinator);
    EXPECT_EQ(hosted_->figures().phase, HostedGroups::Phase::gone);
    const auto later = ask_now(HeartbeatRequest{});
    EXPECT_EQ(later.error().code, ErrorCode::not_coordinator);
}

TEST_F(HostedGroupsTest, GoesOnWhenTheDiskWasFullForAMoment) {
    become_active();
    node_.faults().fail_call(0, ENOSPC);
    const auto refused = ask_now(commit("t"));
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::not_coordinator);
    world_.run_for(1s);
    EXPECT_EQ(hosted_->figures().phase, HostedGroups::Phase::active);
    EXPECT_TRUE(ask_now(commit("t")));
}

TEST_F(HostedGroupsTest, TellsAJoinWhenItsTimeHasCome) {
    become_active();
    const Slot joins = ask(join(3000));
    world_.run_for(2s);
    EXPECT_FALSE(joins->has_value());
    world_.run_for(2s);
    EXPECT_EQ(code_of(joins), ErrorCode::none);
    expect_trace({"tick", "apply generation@0", "committed 1"});
}

TEST_F(HostedGroupsTest, AppendsWhatIsDecidedWhenSomethingIsCommitted) {
    become_active_with_follower();
    const Slot leaves = ask(coordinator::LeaveRequest{});
    world_.run_for(1s);
    for (int i = 0; i < 2; ++i) {
        EXPECT_FALSE(leaves->has_value());
        inside([this] { led_.follower_catches_up(); });
        world_.run_for(1s);
    }
    EXPECT_EQ(code_of(leaves), ErrorCode::none);
    expect_trace({"apply leaves@0", "committed 1", "apply left@1", "committed 2"});
}

TEST_F(HostedGroupsTest, ReadsTheStoreBeforeItAsks) {
    put("g-topic", 0);
    put("other", 0);
    become_active();
    const auto answer = ask_now(fetch("g"));
    ASSERT_TRUE(answer);
    const auto& topics = std::get<coordinator::FetchOffsetsReply>(*answer).topics;
    ASSERT_EQ(topics.size(), 1U);
    EXPECT_EQ(topics.front().name, "g-topic");
}

TEST_F(HostedGroupsTest, HoldsNoMoreOfTheStoreThanItsBound) {
    put("g", 1);
    become_active();
    host_.held.charge(kHeldBytesMax);
    const Slot refused = ask(fetch("g"));
    world_.run_for(std::chrono::milliseconds(100));
    EXPECT_EQ(code_of(refused), ErrorCode::coordinator_load_in_progress);
    host_.held.release(kHeldBytesMax);
    EXPECT_TRUE(ask_now(fetch("g")));
    EXPECT_EQ(host_.held.used(), 0U);
}

TEST_F(HostedGroupsTest, ForgetsNothingThatAReadUnderWayMayMiss) {
    become_active();
    ASSERT_TRUE(ask_now(commit("a")));
    ASSERT_TRUE(ask_now(commit("b")));
    trace_.lines.clear();
    // The read takes its time in the disk pool, and the store moves on meanwhile.
    const Slot fetched = ask(fetch("g"));
    world_.run_until([&] { return hosted_->figures().readers == 1; });
    applied_ = Offset(2);
    hosted_->store_moved();
    expect_trace({});
    world_.run_until([&] { return fetched->has_value(); });
    expect_trace({"fetch", "stored 2"});
}

TEST_F(HostedGroupsTest, AsksOnceForEachPageOfOffsets) {
    for (std::size_t i = 0; i < kPageKeysMax + 5; ++i)
        put(fmt::format("{}{:06}", std::string("\0\1", 2), i), 0);
    become_active();
    std::optional<Answer> done;
    telemetry::Counter gone;
    const auto page = [](bool is_last) {
        return coordinator::ExpireOffsetsRequest{.is_last_page = is_last};
    };
    const auto walk = [&]() -> env::Task<void> {
        done = co_await hosted_->ask_pages(node_.core(0), {.request = page, .gone = gone});
    };
    ASSERT_TRUE(world_.run(node_, walk()));
    ASSERT_TRUE(done && *done);
    expect_trace({"expire 1000 offsets, last false", "expire 5 offsets, last true"});
}

TEST_F(HostedGroupsTest, DeletesAGroupPageByPageUntilNothingIsLeft) {
    const std::string group("\0\1g", 3);
    for (std::size_t i = 0; i < kPageKeysMax + 5; ++i) put(fmt::format("{}{:06}", group, i), 0);
    put(std::string("\0\1h", 3), 0);
    become_active();
    const auto answer = ask_now(coordinator::DeleteGroupRequest{.group = group});
    ASSERT_TRUE(answer);
    EXPECT_FALSE(std::get<coordinator::DeleteGroupReply>(*answer).has_more);
    expect_trace({"delete 1000 offsets, last false", "delete 5 offsets, last true",
                  "delete 5 offsets, last true"});
}

TEST_F(HostedGroupsTest, ForgetsTheOffsetsOfDeletedTopicsOnce) {
    become_active();
    const coordinator::ForgetTopicsRequest::Topic topic{"t", Uuid{1, 1}};
    hosted_->forget(std::span(&topic, 1));
    EXPECT_EQ(hosted_->figures().forgotten, 1U);
    const auto forget = [&]() -> env::Task<void> {
        EXPECT_TRUE(co_await hosted_->forget_noted(node_.core(0)));
        EXPECT_TRUE(co_await hosted_->forget_noted(node_.core(0)));
    };
    ASSERT_TRUE(world_.run(node_, forget()));
    expect_trace({"forget t of 0 offsets"});
}

}  // namespace
}  // namespace milena::drivers
