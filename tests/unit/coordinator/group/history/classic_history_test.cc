// SPDX-License-Identifier: Apache-2.0
// What the scripts (scripts/history) do not show of classic groups: other options, large groups.
#include "group/history/classic_history.h"

#include <gtest/gtest.h>

#include "unit/coordinator/group/host.h"
#include "unit/coordinator/group/messages.h"

namespace milena::coordinator::test {
namespace {

/// So many members, of which each has joined and been given something.
void form_group(Host& host, std::size_t count) {
    std::vector<Ticket> joins;
    for (std::size_t i = 0; i < count; ++i) joins.push_back(host.ask(join_request("g", "c")));
    while (!host.has_been_told(joins.front())) host.advance_ms(1000);
    for (const Ticket join : joins) {
        const auto joined = host.reply_to<JoinReply>(join);
        SyncRequest sync;
        sync.group = "g";
        sync.member_id = joined.member_id;
        sync.generation = joined.generation;
        host.ask(sync);
    }
    host.take_events();
}

template <class Event>
std::vector<Event> events_of(Host& host) {
    std::vector<Event> out;
    for (GroupEvent& event : host.take_events()) {
        if (auto* const one = std::get_if<Event>(&event)) out.push_back(std::move(*one));
    }
    return out;
}

TEST(ClassicHistory, SaysThatAGroupIsLargerThanItsNewCoordinatorAllows) {
    Host before;
    form_group(before, 2);
    GroupOptions options;
    options.group_max_size = 1;
    Host after(options);
    for (const Record& record : before.log()) after.add_to_log(record);
    after.take_over();
    const auto begun = events_of<RebalanceBegan>(after);
    ASSERT_EQ(begun.size(), 1U);
    EXPECT_EQ(begun.front().reason, RebalanceReason{.cause = RebalanceCause::group_too_large});
    EXPECT_EQ(begun.front().generation, 2);
}

TEST(ClassicHistory, NamesTheFirstOfManyAndCountsThemAll) {
    Host host;
    form_group(host, 30);
    host.ask(join_request("g", "late"));
    host.advance_ms(5000);
    const auto waits = events_of<RebalanceWaits>(host);
    ASSERT_EQ(waits.size(), 1U);
    EXPECT_EQ(waits.front().awaited.count, 30U);
    EXPECT_EQ(waits.front().awaited.named.size(), AwaitedMembers::kNamedMax);
}

TEST(ClassicHistory, KeepsNoBookThatAMemberWrites) {
    Host host;
    auto request = join_request("g", "c");
    request.reason = std::string(10'000, 'x');
    host.ask(request);
    const auto begun = events_of<RebalanceBegan>(host);
    ASSERT_EQ(begun.size(), 1U);
    EXPECT_EQ(begun.front().reason.said.size(), 256U);
}

}  // namespace
}  // namespace milena::coordinator::test
