// SPDX-License-Identifier: Apache-2.0
// Records of groups of other protocols, alone and through the coordinator.
#include "group/other_groups.h"

#include <gtest/gtest.h>

#include "host.h"
#include "messages.h"
#include "milena/protocol/records/group.h"

namespace milena::coordinator::test {
namespace {

using namespace milena::protocol;

/// What a broker writes for a streams group of one member.
std::vector<Record> streams_group(std::int32_t epoch, std::int32_t target, std::int32_t current) {
    return {*make_record(StreamsGroupMetadataKey{.group_id = "c"},
                         StreamsGroupMetadataValue{.epoch = epoch}, 0),
            *make_record(StreamsGroupMemberMetadataKey{.group_id = "c", .member_id = "m"},
                         StreamsGroupMemberMetadataValue{}, 0),
            *make_record(StreamsGroupTargetAssignmentMetadataKey{.group_id = "c"},
                         StreamsGroupTargetAssignmentMetadataValue{.assignment_epoch = target}, 0),
            *make_record(StreamsGroupCurrentMemberAssignmentKey{.group_id = "c", .member_id = "m"},
                         StreamsGroupCurrentMemberAssignmentValue{.member_epoch = current}, 0)};
}

Host host_with(const std::vector<Record>& records) {
    Host host;
    for (const Record& record : records) host.add_to_log(record);
    host.take_over();
    return host;
}

std::string state_of(const std::vector<Record>& records) {
    Host host = host_with(records);
    const auto listed = host.reply<ListGroupsReply>(ListGroupsRequest{});
    return listed.groups.empty() ? "" : listed.groups[0].state;
}

TEST(OtherGroups, AreListedInTheirState) {
    EXPECT_EQ(state_of(streams_group(3, 2, 2)), "Assigning");
    EXPECT_EQ(state_of(streams_group(3, 3, 2)), "Reconciling");
    EXPECT_EQ(state_of(streams_group(3, 3, 3)), "Stable");
    auto empty = streams_group(3, 3, 3);
    empty.push_back(
        *make_tombstone(StreamsGroupMemberMetadataKey{.group_id = "c", .member_id = "m"}));
    EXPECT_EQ(state_of(empty), "Empty");
}

TEST(OtherGroups, AreOfTheirType) {
    Host host = host_with({*make_record(ShareGroupMetadataKey{.group_id = "s"},
                                        ShareGroupMetadataValue{.epoch = 1}, 0),
                           *make_record(StreamsGroupMetadataKey{.group_id = "t"},
                                        StreamsGroupMetadataValue{.epoch = 1}, 0)});
    const auto listed = host.reply<ListGroupsReply>(ListGroupsRequest{});
    ASSERT_EQ(listed.groups.size(), 2U);
    EXPECT_EQ(listed.groups[0].type, "share");
    EXPECT_EQ(listed.groups[1].protocol_type, "streams");
}

TEST(OtherGroups, AreNotJoinedByClassicMembersWhileSomebodyIsInThem) {
    Host host = host_with(streams_group(3, 3, 3));
    const auto joined = host.reply<JoinReply>(join_request("c", "client"));
    EXPECT_EQ(joined.code, ErrorCode::inconsistent_group_protocol);
    const auto described = host.reply<DescribeGroupReply>(DescribeGroupRequest{"c"});
    EXPECT_EQ(described.why, "Group c is not a classic group.");
    EXPECT_EQ(host.reply<DeleteGroupReply>(DeleteGroupRequest{"c"}).code,
              ErrorCode::non_empty_group);
    EXPECT_EQ(host.reply<CommitReply>(commit_request("c", "t", 1)).code,
              ErrorCode::unknown_member_id);
}

TEST(OtherGroups, MakeWayForAClassicOneWhenEmptyAndLeaveNothing) {
    auto records = streams_group(3, 3, 3);
    records.push_back(
        *make_tombstone(StreamsGroupMemberMetadataKey{.group_id = "c", .member_id = "m"}));
    Host host = host_with(records);
    const std::size_t before = host.log().size();
    host.ask(join_request("c", "client"));
    // Three tombstones, the group's own last, and the classic group.
    ASSERT_EQ(host.log().size(), before + 4);
    EXPECT_EQ(leading_number(host.log()[before + 2].key), std::int16_t{17});
    EXPECT_FALSE(host.log()[before + 2].value.has_value());
    const auto listed = host.reply<ListGroupsReply>(ListGroupsRequest{});
    ASSERT_EQ(listed.groups.size(), 1U);
    EXPECT_EQ(listed.groups[0].type, "classic");
}

TEST(OtherGroups, StayIfTheClassicOneCantBeWritten) {
    auto records = streams_group(3, 3, 3);
    records.push_back(
        *make_tombstone(StreamsGroupMemberMetadataKey{.group_id = "c", .member_id = "m"}));
    Host host = host_with(records);
    host.fail_next_append(ErrorCode::not_enough_replicas);
    host.ask(join_request("c", "client"));
    const auto listed = host.reply<ListGroupsReply>(ListGroupsRequest{});
    ASSERT_EQ(listed.groups.size(), 1U);
    EXPECT_EQ(listed.groups[0].type, "streams");
}

TEST(OtherGroups, KeepOffsetsThatWereCommittedBefore) {
    Host host;
    host.ask(commit_request("c", "t", 5));
    for (const Record& record : streams_group(3, 3, 3)) host.add_to_log(record);
    host.take_over();
    const auto listed = host.reply<ListGroupsReply>(ListGroupsRequest{});
    ASSERT_EQ(listed.groups.size(), 1U);
    EXPECT_EQ(listed.groups[0].type, "streams");
    const auto fetched = host.reply<FetchOffsetsReply>(fetch_request("c", "t"));
    EXPECT_EQ(fetched.topics[0].partitions[0].offset, Offset(5));
}

TEST(OtherGroups, ACutKeyIsRefused) {
    EXPECT_FALSE(read_other_group(17, bytes(std::string_view("\0\x11\0\5g", 5))).has_value());
    EXPECT_FALSE(read_other_group(17, bytes(std::string_view("\0\x11\xff\xff", 4))).has_value());
    EXPECT_FALSE(read_other_group(17, bytes(std::string_view("\0\x11", 2))).has_value());
}

}  // namespace
}  // namespace milena::coordinator::test
