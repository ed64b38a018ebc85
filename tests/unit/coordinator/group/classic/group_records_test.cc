// SPDX-License-Identifier: Apache-2.0
// Groups to records and back.
#include "group/classic/group_records.h"

#include <gtest/gtest.h>

#include "unit/coordinator/group/messages.h"

namespace milena::coordinator::test {
namespace {

ClassicGroup example() {
    ClassicGroup group("g", 5);
    for (const char* id : {"a", "b"}) {
        Member member;
        member.id = id;
        if (member.id == "b") member.instance_id = "i";
        member.client_id = "client";
        member.client_host = "/127.0.0.1";
        member.session_timeout_ms = 10;
        member.rebalance_timeout_ms = 20;
        member.protocols = {{"sticky", bytes("s")}, {"range", subscription({"t"})}};
        member.assignment = bytes(id);
        group.add(std::move(member), "consumer");
    }
    group.generation = 7;
    group.protocol_name = "range";
    group.leader = "b";
    return group;
}

TEST(GroupRecord, ComesBackAsItWas) {
    const ClassicGroup group = example();
    const Record record = group_record(group);
    EXPECT_EQ(*read_group_key(record.key), "g");
    ClassicGroup loaded("g", 0);
    ASSERT_TRUE(load_group(*record.value, loaded).has_value());
    EXPECT_EQ(loaded.generation, 7);
    EXPECT_EQ(loaded.state(), GroupState::stable);
    EXPECT_EQ(loaded.state_since(), 5);
    EXPECT_EQ(loaded.leader, "b");
    EXPECT_EQ(loaded.protocol_type, "consumer");
    ASSERT_EQ(loaded.members().size(), 2U);
    const Member& b = *loaded.find_instance("i");
    EXPECT_EQ(b.id, "b");
    EXPECT_EQ(b.rebalance_timeout_ms, 20);
    EXPECT_EQ(b.assignment, bytes("b"));
    EXPECT_EQ(b.protocols.size(), 1U) << "of the chosen protocol only";
    EXPECT_TRUE(loaded.is_subscribed_to("t"));
    EXPECT_EQ(group_record(loaded), record);
}

TEST(GroupRecord, HasOtherAssignmentsWhereTheyAreGiven) {
    const Record record = group_record(example(), {{"b", bytes("other")}});
    ClassicGroup loaded("g", 0);
    ASSERT_TRUE(load_group(*record.value, loaded).has_value());
    EXPECT_TRUE(loaded.find("a")->assignment.empty());
    EXPECT_EQ(loaded.find("b")->assignment, bytes("other"));
}

TEST(GroupRecord, EveryCutValueIsRefused) {
    const Record record = group_record(example());
    for (std::size_t length = 0; length < record.value->size(); ++length) {
        ClassicGroup loaded("g", 0);
        EXPECT_FALSE(load_group(BytesView(*record.value).first(length), loaded).has_value());
    }
}

TEST(GroupRecord, ALeaderWhoIsNoMemberIsNone) {
    ClassicGroup group = example();
    group.leader = "gone";
    ClassicGroup loaded("g", 0);
    ASSERT_TRUE(load_group(*group_record(group).value, loaded).has_value());
    EXPECT_EQ(loaded.leader, "a");
}

}  // namespace
}  // namespace milena::coordinator::test
