// SPDX-License-Identifier: Apache-2.0
// Members, votes and states of one group.
#include "group/classic/classic_group.h"

#include <gtest/gtest.h>

#include "unit/coordinator/group/messages.h"

namespace milena::coordinator::test {
namespace {

Member member(std::string id, std::vector<std::string> protocols,
              std::optional<std::string> instance_id = {}) {
    Member out;
    out.id = std::move(id);
    out.instance_id = std::move(instance_id);
    for (auto& name : protocols) out.protocols.push_back({std::move(name), subscription({"t"})});
    return out;
}

ClassicGroup group_of(std::initializer_list<std::vector<std::string>> all) {
    ClassicGroup group("g", 0);
    int count = 0;
    for (const auto& protocols : all)
        group.add(member("m" + std::to_string(++count), protocols), "consumer");
    group.load_state(GroupState::stable, 0);
    return group;
}

TEST(ClassicGroup, VotesForWhatMostLikeBestOfWhatAllKnow) {
    EXPECT_EQ(group_of({{"a", "b"}, {"b", "a"}, {"b", "a"}}).vote(), "b");
    EXPECT_EQ(group_of({{"x", "a", "b"}, {"y", "b", "a"}, {"z", "a", "b"}}).vote(), "a");
    EXPECT_EQ(group_of({{"a", "b"}, {"b", "a"}}).vote(), "a") << "the first members' of several";
}

TEST(ClassicGroup, AcceptsWhoKnowsWhatAllKnow) {
    const ClassicGroup group = group_of({{"a", "b"}, {"b"}});
    EXPECT_TRUE(group.accepts("consumer", member("n", {"c", "b"}).protocols));
    EXPECT_FALSE(group.accepts("consumer", member("n", {"a"}).protocols));
    EXPECT_FALSE(group.accepts("connect", member("n", {"b"}).protocols));
    EXPECT_FALSE(group.accepts("consumer", {}));
    EXPECT_FALSE(ClassicGroup("g", 0).accepts("", member("n", {"a"}).protocols));
    EXPECT_TRUE(ClassicGroup("g", 0).accepts("any", member("n", {"a"}).protocols));
}

TEST(ClassicGroup, AProtocolNamedTwiceCountsOnce) {
    ClassicGroup group = group_of({{"a", "a"}, {"a"}});
    EXPECT_EQ(group.vote(), "a");
    group.remove("m1");
    EXPECT_EQ(group.vote(), "a");
}

TEST(ClassicGroup, TheFirstLeadsAndAnotherWhenItGoes) {
    ClassicGroup group = group_of({{"a"}, {"a"}});
    EXPECT_TRUE(group.is_leader("m1"));
    group.remove("m1");
    EXPECT_TRUE(group.is_leader("m2"));
    group.remove("m2");
    EXPECT_FALSE(group.leader.has_value());
}

TEST(ClassicGroup, AnInstanceHasOneMember) {
    ClassicGroup group("g", 0);
    group.add(member("old", {"a"}, "i"), "consumer");
    EXPECT_EQ(group.validate("old", "i"), ErrorCode::none);
    group.rename(*group.find("old"), "new");
    EXPECT_EQ(group.validate("old", "i"), ErrorCode::fenced_instance_id);
    EXPECT_EQ(group.validate("old", {}), ErrorCode::unknown_member_id);
    EXPECT_EQ(group.validate("new", "i"), ErrorCode::none);
    EXPECT_EQ(group.validate("new", "j"), ErrorCode::unknown_member_id);
    EXPECT_TRUE(group.is_leader("new"));
    EXPECT_EQ(group.find_instance("i"), group.find("new"));
    group.remove("new");
    EXPECT_EQ(group.find_instance("i"), nullptr);
}

TEST(ClassicGroup, IsSubscribedToEverythingIfItsMembersCantBeUnderstood) {
    ClassicGroup group = group_of({{"a"}, {"a"}});
    group.protocol_name = "a";
    group.learn_subscriptions();
    EXPECT_TRUE(group.is_subscribed_to("t"));
    EXPECT_FALSE(group.is_subscribed_to("u"));
    group.set_protocols(*group.find("m1"), {{"a", bytes("nonsense")}});
    group.learn_subscriptions();
    EXPECT_TRUE(group.is_subscribed_to("u"));
}

TEST(ClassicGroup, OthersThanConsumersSubscribeToNothingKnown) {
    ClassicGroup group("g", 0);
    group.add(member("m", {"a"}), "connect");
    group.protocol_name = "a";
    group.learn_subscriptions();
    EXPECT_FALSE(group.is_subscribed_to("t"));
}

}  // namespace
}  // namespace milena::coordinator::test
