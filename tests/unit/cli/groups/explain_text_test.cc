// SPDX-License-Identifier: Apache-2.0
// A sentence for each thing that can be the matter with a group.
#include "groups/explain_text.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace milena::cli {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

MemberState member(std::string id, Assigned assigned) {
    return {.id = std::move(id),
            .instance_id = {},
            .client_id = "c",
            .host = "/10.0.0.7",
            .assigned = std::move(assigned),
            .target = {},
            .epoch = {}};
}

GroupDescription group(std::string state, std::vector<MemberState> members = {}) {
    GroupDescription described{.name = "g",
                               .state = std::move(state),
                               .assignor = "range",
                               .coordinator = BrokerId(2),
                               .endpoint = {"kafka2", 9092}};
    described.members = std::move(members);
    return described;
}

TEST(ExplainGroup, NamesTheMemberThatIsBehind) {
    const Committed committed{{{"t", 0}, {3, -1}}, {{"t", 1}, {9, -1}}};
    const PartitionEnds ends{{{{"t", 0}, 0}, {{"t", 1}, 0}}, {{{"t", 0}, 10}, {{"t", 1}, 9}}};
    EXPECT_EQ(explain_group(
                  group("Stable", {member("slow", {{"t", {0}}}), member("quick", {{"t", {1}}})}),
                  committed, ends),
              "Group g is Stable. Its coordinator is broker 2 (kafka2:9092).\n"
              "2 members share 2 partitions, as range deals them.\n"
              "It is 7 records behind, most of them in t-0: 7, which slow at /10.0.0.7 reads.\n");
}

TEST(ExplainGroup, SaysThatAllIsRead) {
    EXPECT_THAT(explain_group(group("Stable", {member("m", {{"t", {0}}})}), {{{"t", 0}, {5, -1}}},
                              {{{{"t", 0}, 0}}, {{{"t", 0}, 5}}}),
                HasSubstr("1 member shares 1 partition, as range deals them.\n"
                          "It has read all there is"));
}

TEST(ExplainGroup, SaysWhatToDoWithAnEmptyOne) {
    const std::string text =
        explain_group(group("Empty"), {{{"t", 0}, {5, -1}}}, {{{{"t", 0}, 0}}, {{{"t", 0}, 8}}});
    EXPECT_THAT(text, HasSubstr("Nobody is in it. Start its consumers"));
    EXPECT_THAT(text,
                HasSubstr("3 records behind, most of them in t-0: 3, which nobody in it reads"));
    EXPECT_THAT(text, Not(HasSubstr("--delete-offsets")));
}

TEST(ExplainGroup, SaysWhomARebalanceWaitsFor) {
    EXPECT_THAT(explain_group(group("PreparingRebalance", {member("m", {{"t", {0}}})}), {}, {}),
                HasSubstr("waits for members to join again: m at /10.0.0.7."));
    EXPECT_THAT(explain_group(group("CompletingRebalance", {member("m", {})}), {}, {}),
                HasSubstr("wait for one of them, the leader"));
    GroupDescription moving =
        group("Reconciling", {member("done", {}), member("busy", {{"t", {0}}})});
    moving.members[0].target = Assigned{};
    moving.members[1].target = Assigned{};
    EXPECT_THAT(explain_group(moving, {}, {}),
                HasSubstr("Not yet where they shall be: busy at /10.0.0.7;"));
}

TEST(ExplainGroup, NamesMembersWithoutPartitions) {
    EXPECT_THAT(explain_group(group("Stable", {member("m", {{"t", {0}}}), member("idle", {})}), {},
                              {{{{"t", 0}, 0}}, {{{"t", 0}, 0}}}),
                HasSubstr("1 member has nothing to read, since there are more members than "
                          "partitions: idle at /10.0.0.7."));
}

TEST(ExplainGroup, NamesPartitionsThatNobodyReadsOrThatAreGone) {
    const std::string text =
        explain_group(group("Stable", {member("m", {{"t", {0}}})}),
                      {{{"old", 0}, {5, -1}}, {{"t", 0}, {5, -1}}, {{"gone", 1}, {5, -1}}},
                      {{{{"old", 0}, 6}, {{"t", 0}, 0}}, {{{"old", 0}, 8}, {{"t", 0}, 2}}});
    EXPECT_THAT(text,
                HasSubstr("Of 1 partition it has offsets and no member that reads them: old-0."));
    EXPECT_THAT(text, HasSubstr("never were in this one: old-0 at 5, t-0 at 5."));
    EXPECT_THAT(text, HasSubstr("Without a leader, or not there: gone-1."));
}

TEST(ExplainGroup, SaysWhatTheCoordinatorKnowsOfARebalance) {
    GroupDescription waiting = group("PreparingRebalance", {member("slow", {}), member("new", {})});
    waiting.facts = GroupFacts{.state_age_ms = 6'000};
    waiting.facts->rebalance = GroupFacts::Rebalance{.cause = "member_joined",
                                                     .by = {"new", "", "c", "/10.0.0.7"},
                                                     .said = {},
                                                     .began_ago_ms = 6'000,
                                                     .slowest = {}};
    EXPECT_THAT(explain_group(waiting, {}, {}),
                HasSubstr("waits a moment for others to come (group.initial.rebalance.delay.ms)."));
    waiting.facts->awaited_count = 1;
    waiting.facts->awaited.push_back(
        {.member = {"slow", "", "c", "/10.0.0.7"}, .step = "join", .removed_in_ms = 54'000});
    const std::string text = explain_group(waiting, {}, {});
    EXPECT_THAT(text, StartsWith("Group g is PreparingRebalance, for 6.0 s now. Its coordinator is "
                                 "broker 2 (kafka2:9092).\nIt waits for slow at /10.0.0.7 (client "
                                 "c) to join again, for 54 s more at most. A member that"));
    EXPECT_THAT(text, HasSubstr("\nIts rebalance has lasted for 6.0 s: new at /10.0.0.7 (client c) "
                                "joined. "));
    EXPECT_THAT(text, Not(HasSubstr("new at /10.0.0.7 (client c) to join")));
}

TEST(ExplainGroup, SaysWhenOffsetsGo) {
    GroupDescription empty = group("Empty");
    empty.facts = GroupFacts{.state_age_ms = 3'600'000};
    empty.facts->expiring.push_back({"t", 1, 518'400'000, 518'400'000});
    const std::string text =
        explain_group(empty, {{{"t", 0}, {5, -1}}}, {{{{"t", 0}, 0}}, {{{"t", 0}, 8}}});
    EXPECT_THAT(text, StartsWith("Group g is Empty, for 1 h 0 min now."));
    EXPECT_THAT(text, HasSubstr("Offsets that nobody uses expire: t (1 partition) in 6 d 0 h."));
}

TEST(ExplainMissingGroup, NamesThoseThatThereAre) {
    EXPECT_THAT(explain_missing_group("g", {"b", "a"}), HasSubstr("There are: a, b."));
    EXPECT_THAT(explain_missing_group("g", {"1", "2", "3", "4", "5", "6", "7"}),
                HasSubstr("There are: 1, 2, 3, 4, 5 and 2 more."));
    EXPECT_THAT(explain_missing_group("g", {}), HasSubstr("There are no groups at all."));
}

}  // namespace
}  // namespace milena::cli
