// SPDX-License-Identifier: Apache-2.0
// What a partition's coordinator does by itself: it takes over when that loses nothing, and no
// sooner.
#include "coordinators/hosted_groups.h"

#include <gtest/gtest.h>

#include "support/batches.h"
#include "unit/drivers/coordinators/hosted_groups_fixture.h"
#include "unit/replication/produce.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;
using coordinator::HeartbeatRequest;
using Phase = HostedGroups::Phase;

class TakingOver : public HostedGroupsTest {
protected:
    /// As another leader has left it.
    void append(const std::string& key) {
        inside([&] {
            auto batch =
                support::make_batch({.records = {{.timestamp = 1000, .key = key, .value = "v"}}});
            const auto answer = replication::produce_in(
                *led_.partition, batch, replication::Acks::leader, node_.clock().now() + 1s, {});
            ASSERT_TRUE(answer);
            EXPECT_EQ(answer->code, ErrorCode::none) << answer->why;
        });
    }
};

TEST_F(TakingOver, LoadsTheStoreAndTheLogBehindIt) {
    led_.lead(kAlone);
    append("a");
    append("b");
    put("group", 1);
    applied_ = Offset(1);
    elect();
    world_.run_for(1s);
    EXPECT_EQ(hosted_->figures().phase, Phase::active);
    expect_trace({"load group@-1", "load b@1", "loaded", "committed 2"});
}

TEST_F(TakingOver, AnswersNothingBeforeTheHighWatermarkIsWhereTheLogEnded) {
    led_.lead(kBoth);
    append("a");
    elect();
    world_.run_for(1s);
    EXPECT_EQ(ask_now(HeartbeatRequest{}).error().code, ErrorCode::coordinator_load_in_progress);
    expect_trace({});
    inside([this] { led_.follower_catches_up(); });
    world_.run_for(1s);
    EXPECT_TRUE(ask_now(HeartbeatRequest{}));
    expect_trace({"load a@0", "loaded", "committed 1"});
}

TEST_F(TakingOver, WaitsUntilItIsKnownWhatTheStoreHas) {
    applied_ = std::nullopt;
    led_.lead(kAlone);
    elect();
    world_.run_for(10s);
    EXPECT_EQ(hosted_->figures().phase, Phase::loading);
    applied_ = Offset(0);
    hosted_->store_moved();
    world_.run_for(10ms);
    EXPECT_EQ(hosted_->figures().phase, Phase::active);
}

TEST_F(TakingOver, WaitsForTheStoreToForgetWhatTheLogHasLost) {
    led_.lead(kAlone);
    append("a");
    applied_ = Offset(5);
    elect();
    world_.run_for(10s);
    EXPECT_EQ(hosted_->figures().phase, Phase::loading);
    applied_ = Offset(0);
    hosted_->store_moved();
    world_.run_for(10ms);
    EXPECT_EQ(hosted_->figures().phase, Phase::active);
    expect_trace({"load a@0", "loaded", "committed 1"});
}

TEST_F(TakingOver, PassesOverRecordsThatCanNotBeRead) {
    led_.lead(kAlone);
    for (const char* const key : {"a", "bad", "c"}) append(key);
    elect();
    world_.run_for(1s);
    expect_trace({"load a@0", "load c@2", "loaded", "committed 3"});
}

TEST_F(TakingOver, TriesAgainIfTheStoreCanNotBeRead) {
    bool is_broken = true;
    support::StateDisk broken([](std::uint64_t) { return 0; },
                              [&]() -> std::optional<Error> {
                                  if (!is_broken) return std::nullopt;
                                  return Error{ErrorCode::kafka_storage_error, "no disk"};
                              });
    const auto store = broken.open();
    Host host(node_, Logger(), *store, options());
    host.ended = [] {};
    led_.lead(kAlone);
    hosted_ = std::make_shared<HostedGroups>(
        host, HostedGroups::Place{space_, led_.partition, node_.core(1)});
    inside([this] { hosted_->start(nullptr); });
    world_.run_for(5s);
    EXPECT_EQ(hosted_->figures().phase, Phase::loading);
    EXPECT_GE(host.counters.failed_loads.value(), 3U);
    is_broken = false;
    world_.run_for(2s);
    EXPECT_EQ(hosted_->figures().phase, Phase::active);
    hosted_->resign({ErrorCode::not_coordinator, "the test is over"});
    world_.run_for(1s);
    hosted_ = nullptr;
}

TEST_F(TakingOver, WaitsForWhatOneBeforeItsPredecessorWrites) {
    auto compressing = options();
    compressing.codec = record::Codec::lz4;
    Host host(node_, Logger(), *store_, compressing);
    host.ended = [] {};
    led_.lead(kAlone);
    const auto make = [&] {
        return std::make_shared<HostedGroups>(
            host, HostedGroups::Place{space_, led_.partition, node_.core(1)});
    };
    hosted_ = make();
    inside([this] { hosted_->start(nullptr); });
    world_.run_for(1s);
    const Error lost{ErrorCode::not_coordinator, "lost"};
    // Large, so that it is on its way through a pool when the partition is lost and found twice.
    const Slot committed = ask(commit(std::string(100'000, 't')));
    world_.run_until([&] { return hosted_->figures().askers == 1; });
    ASSERT_EQ(led_.partition->log_end_offset(), Offset(0));
    trace_.lines.clear();
    const auto first = hosted_;
    hosted_ = make();
    inside([&] {
        first->resign(lost);
        auto second = make();
        second->start(first);
        second->resign(lost);
        hosted_->start(second);
    });
    world_.run_for(2s);
    EXPECT_EQ(hosted_->figures().phase, Phase::active);
    ASSERT_EQ(led_.partition->log_end_offset(), Offset(1));
    ASSERT_FALSE(trace_.lines.empty());
    EXPECT_TRUE(trace_.lines.front().starts_with("load t"));
    hosted_->resign(lost);
    world_.run_for(1s);
    hosted_ = nullptr;
}

TEST_F(TakingOver, EndsWhenTheLeadershipIsLostBefore) {
    applied_ = std::nullopt;
    led_.lead(kBoth);
    elect();
    world_.run_for(1s);
    inside([this] { led_.become(BrokerId(2), kBoth); });
    world_.run_for(1s);
    EXPECT_EQ(hosted_->figures().phase, Phase::gone);
    EXPECT_EQ(host_.running.with([](int running) { return running; }), 0);
}

}  // namespace
}  // namespace milena::drivers
