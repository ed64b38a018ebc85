// SPDX-License-Identifier: Apache-2.0
// Groups of each protocol side by side, as a watcher walks over them.
#include <gtest/gtest.h>

#include "host.h"
#include "messages.h"

namespace milena::coordinator::test {
namespace {

ConsumerHeartbeatRequest heartbeat(std::string group, std::string member) {
    ConsumerHeartbeatRequest request;
    request.group = std::move(group);
    request.member_id = std::move(member);
    request.rebalance_timeout_ms = 60'000;
    request.topics = std::vector<std::string>{"t"};
    request.owned.emplace();
    return request;
}

/// A classic one of a member that joins, two that have only committed, and one by KIP-848.
class Summaries : public testing::Test {
protected:
    Summaries() {
        host_.set_topic("t", 2);
        host_.ask(join_request("classic", "client"));
        host_.ask(commit_request("offsets", "t", 5));
        host_.ask(commit_request("another", "t", 5));
        host_.ask(heartbeat("modern", "m1"));
        host_.ask(heartbeat("modern", "m2"));
    }
    std::vector<std::string> names(std::optional<std::string_view> behind, std::size_t most) {
        std::vector<std::string> names;
        for (const auto& one : host_.groups().summaries(behind, most)) names.push_back(one.group);
        return names;
    }
    Host host_;
};

TEST_F(Summaries, TellStatesAndMembersOfGroupsOfAllProtocols) {
    const std::vector<GroupSummary> wanted{
        {.group = "another", .state = "Empty", .members = 0},
        {.group = "classic", .state = "PreparingRebalance", .members = 1},
        {.group = "modern", .state = "Assigning", .members = 2},
        {.group = "offsets", .state = "Empty", .members = 0}};
    auto got = host_.groups().summaries(std::nullopt, 10);
    ASSERT_EQ(got.size(), 4U);
    // How far it has come is not this test's.
    EXPECT_NE(got[2].state, "Empty");
    got[2].state = "Assigning";
    EXPECT_EQ(got, wanted);
}

TEST_F(Summaries, ComeInPages) {
    EXPECT_EQ(names(std::nullopt, 2), (std::vector<std::string>{"another", "classic"}));
    EXPECT_EQ(names("classic", 2), (std::vector<std::string>{"modern", "offsets"}));
    EXPECT_EQ(names("offsets", 2), std::vector<std::string>());
    EXPECT_EQ(names("d", 1), std::vector<std::string>{"modern"}) << "it need not be there";
    EXPECT_EQ(names("", 1), std::vector<std::string>{"another"});
}

TEST_F(Summaries, HaveNoGroupThatIsDeleted) {
    host_.ask(DeleteGroupRequest{.group = "another"});
    EXPECT_EQ(names(std::nullopt, 1), std::vector<std::string>{"classic"});
}

}  // namespace
}  // namespace milena::coordinator::test
