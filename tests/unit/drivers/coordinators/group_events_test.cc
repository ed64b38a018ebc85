// SPDX-License-Identifier: Apache-2.0
// Lines and counts of events, over a simulated clock and a sink that keeps the lines.
#include "coordinators/group_events.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/memory_state_store.h"
#include "unit/drivers/coordinators/led_partition.h"

namespace milena::drivers {
namespace {

using coordinator::RebalanceCause;
using testing::ElementsAre;
using testing::HasSubstr;

class KeptLines final : public LogSink {
public:
    void write(const LogLine& line) override { lines.push_back(line.text()); }
    std::vector<std::string> lines;
};

class GroupEventsTest : public ::testing::Test {
protected:
    GroupEventsTest()
        : node_(world_.add_node("n1")),
          disk_([](std::uint64_t) { return 0; }),
          store_(disk_.open()),
          host_(node_, Logger(sink_), *store_, GroupCoordinatorOptions{}) {}

    void tell_of(coordinator::GroupEvent event) { tell(host_, std::span(&event, 1)); }
    std::uint64_t count(RebalanceCause cause) {
        return host_.counters.rebalances[static_cast<std::size_t>(cause)].value();
    }

    const coordinator::GroupMemberName member_{"m-1", "", "app", "/10.0.0.7"};
    sim::World world_{1};
    sim::Node& node_;
    support::StateDisk disk_;
    std::unique_ptr<storage::StateStore> store_;
    std::shared_ptr<KeptLines> sink_ = std::make_shared<KeptLines>();
    Host host_;
};

TEST_F(GroupEventsTest, ARebalanceBeginsAndEnds) {
    tell_of(coordinator::RebalanceBegan{
        "g", 7, {.cause = RebalanceCause::member_joined, .member = member_, .said = "a b"}});
    tell_of(coordinator::RebalanceBegan{"g", 8, {.cause = RebalanceCause::topics_changed}});
    tell_of(coordinator::RebalanceCompleted{"g", 8, 5, 1234, 2, member_, 900});
    EXPECT_THAT(sink_->lines,
                ElementsAre("rebalance began group=g generation=7 cause=member_joined member=m-1 "
                            "client=app host=/10.0.0.7 said=\"a b\"",
                            "rebalance began group=g generation=8 cause=topics_changed",
                            "rebalance completed group=g generation=8 members=5 seconds=1.234 "
                            "rounds=2 slowest=m-1 slowest_host=/10.0.0.7 slowest_seconds=0.900"));
    EXPECT_EQ(count(RebalanceCause::member_joined), 1U);
    EXPECT_EQ(count(RebalanceCause::topics_changed), 1U);
    EXPECT_EQ(count(RebalanceCause::member_left), 0U);
}

TEST_F(GroupEventsTest, WhoDoesNotComeIsNamed) {
    coordinator::AwaitedMembers awaited;
    for (int i = 0; i < 6; ++i) awaited.add({.member = member_});
    tell_of(coordinator::RebalanceWaits{"g", 5000, awaited});
    tell_of(coordinator::MemberRemoved{"g", member_, RebalanceCause::rebalance_timeout,
                                       coordinator::AwaitedStep::join, 60'000});
    ASSERT_EQ(sink_->lines.size(), 2U);
    EXPECT_THAT(sink_->lines[0],
                HasSubstr("rebalance waits for members group=g seconds=5.000 awaited=6 "
                          "members=\"m-1 at /10.0.0.7 to join, "));
    EXPECT_EQ(sink_->lines[1],
              "member removed group=g member=m-1 client=app host=/10.0.0.7 "
              "cause=rebalance_timeout missed=join timeout_ms=60000");
    EXPECT_EQ(host_.counters.slow_members.value(), 1U);
    EXPECT_EQ(host_.counters.silent_members.value(), 0U);
}

TEST_F(GroupEventsTest, ExpiredOffsetsAreToldWithTheirGroup) {
    tell_of(coordinator::OffsetsExpired{"g", 12, false});
    tell_of(coordinator::OffsetsExpired{"h", 0, true});
    EXPECT_THAT(sink_->lines, ElementsAre("offsets expired group=g offsets=12 group_removed=false",
                                          "offsets expired group=h offsets=0 group_removed=true"));
    EXPECT_EQ(host_.counters.expired_groups.value(), 1U);
}

TEST_F(GroupEventsTest, CountsWhatItHasNoLineFor) {
    for (int i = 0; i < 1000; ++i)
        tell_of(coordinator::RebalanceBegan{"g", i, {.cause = RebalanceCause::member_left}});
    EXPECT_EQ(sink_->lines.size(), 100U);
    EXPECT_EQ(count(RebalanceCause::member_left), 1000U);
    world_.run_for(std::chrono::seconds(1));
    tell_of(coordinator::RebalanceBegan{"g", 1, {.cause = RebalanceCause::member_left}});
    EXPECT_THAT(sink_->lines.back(), HasSubstr("suppressed=900"));
}

}  // namespace
}  // namespace milena::drivers
