// SPDX-License-Identifier: Apache-2.0
// Work that is done beside everybody, for a decision that then could not be written.
#include <gtest/gtest.h>

#include "unit/coordinator/group/host.h"

namespace milena::coordinator::test {
namespace {

class TargetTest : public testing::Test {
protected:
    TargetTest() {
        ConsumerSettings at_once;
        at_once.assignment_interval_ms = 0;
        host_.set_group("g", at_once);
    }

    static constexpr std::int32_t kPartitions = 1'500;  ///< too many to be assigned at once

    ConsumerHeartbeatReply beat(const std::string& member, std::int32_t epoch,
                                std::optional<std::string> regex = {}) {
        return host_.reply<ConsumerHeartbeatReply>(request(member, epoch, std::move(regex)));
    }
    static ConsumerHeartbeatRequest request(const std::string& member, std::int32_t epoch,
                                            std::optional<std::string> regex = {}) {
        ConsumerHeartbeatRequest request;
        request.group = "g";
        request.member_id = member;
        request.member_epoch = epoch;
        if (epoch != 0) return request;
        request.rebalance_timeout_ms = 60'000;
        if (!regex) request.topics = {"t"};
        request.regex = std::move(regex);
        request.owned.emplace();
        return request;
    }
    DescribeConsumerGroupReply described() {
        return host_.reply<DescribeConsumerGroupReply>(DescribeConsumerGroupRequest{"g"});
    }

    Host host_;
};

TEST_F(TargetTest, AnAssignmentForWhatCouldNotBeWrittenIsMadeAnew) {
    host_.set_topic("t", kPartitions);
    beat("A", 0);
    EXPECT_EQ(beat("A", 1).member_epoch, 2);
    host_.hold_work();
    host_.fail_next_append(ErrorCode::not_enough_replicas);
    const Ticket refused = host_.ask(request("B", 0));
    EXPECT_EQ(host_.refused(refused), ErrorCode::not_enough_replicas);
    host_.do_work();
    EXPECT_EQ(described().assignment_epoch, 2) << "of a group that B is no member of";
    beat("B", 0);
    host_.do_work();
    const auto group = described();
    EXPECT_EQ(group.group_epoch, 3);
    EXPECT_EQ(group.assignment_epoch, 3);
    std::size_t targets = 0;
    for (const auto& member : group.members) {
        for (const auto& topic : member.target) targets += topic.partitions.size();
    }
    EXPECT_EQ(targets, static_cast<std::size_t>(kPartitions));
    EXPECT_EQ(group.members.size(), 2U);
}

TEST_F(TargetTest, WhatAPatternMatchesIsLookedUpAgainIfItCouldNotBeWritten) {
    host_.set_topic("t1", 1);
    beat("A", 0, "t.");
    EXPECT_EQ(beat("A", 1).member_epoch, 2);
    host_.set_topic("t2", 1);
    host_.advance_ms(10'001);
    host_.hold_work();
    beat("A", 2);
    host_.fail_next_append(ErrorCode::not_enough_replicas);
    host_.do_work();
    EXPECT_EQ(described().group_epoch, 2);
    beat("A", 2);
    const auto told = beat("A", 2);
    EXPECT_EQ(told.member_epoch, 3);
    ASSERT_TRUE(told.assignment);
    EXPECT_EQ(told.assignment->size(), 2U);
}

}  // namespace
}  // namespace milena::coordinator::test
