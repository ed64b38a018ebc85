// SPDX-License-Identifier: Apache-2.0
// One member's way from what it has to what it is to have.
#include "group/consumer/assignment/reconcile.h"

#include <gtest/gtest.h>

namespace milena::coordinator::test {
namespace {

constexpr Uuid kTopic{1, 1};

GroupPartition at(std::int32_t index) {
    return {kTopic, PartitionIndex(index)};
}

PartitionSet set(const std::vector<std::int32_t>& indexes) {
    PartitionSet out;
    for (const std::int32_t index : indexes) out.push_back(at(index));
    return out;
}

MemberCurrent current(std::int32_t epoch, const std::vector<std::int32_t>& indexes) {
    MemberCurrent out;
    out.epoch = epoch;
    for (const std::int32_t index : indexes) out.assigned.push_back({at(index), epoch});
    return out;
}

struct Case {
    MemberCurrent has;
    std::int32_t epoch = 0;
    PartitionSet wanted;
    std::optional<PartitionSet> owned;
    PartitionSet taken{};
    bool is_subscribed = true;
    std::int32_t said_epoch = 0;

    MemberCurrent next() const {
        return reconcile(
            {.current = has,
             .assignment_epoch = epoch,
             .wanted = wanted,
             .is_subscribed = [this](Uuid) { return is_subscribed; },
             .owned = owned ? &*owned : nullptr,
             .said_epoch = said_epoch,
             .is_free = [this](const GroupPartition& one) { return !contains(taken, one); }});
    }
};

TEST(Reconcile, WhatIsFreeIsGivenAtOnce) {
    const auto next = Case{current(1, {0}), 2, set({0, 1}), std::nullopt}.next();
    EXPECT_EQ(next.state, MemberState::stable);
    EXPECT_EQ(next.epoch, 2);
    EXPECT_EQ(next.previous_epoch, 1);
    EXPECT_EQ(next.assigned, (OwnedSet{{at(0), 1}, {at(1), 2}}));
}

TEST(Reconcile, TheEpochBeforeIsTheLastThatTheMemberHasSaid) {
    Case one{current(3, {0}), 4, set({0}), std::nullopt};
    one.said_epoch = 2;
    EXPECT_EQ(one.next().previous_epoch, 2);
    one.said_epoch = 3;
    EXPECT_EQ(one.next().previous_epoch, 3);
    one.has.epoch = kAwayEpoch;
    one.said_epoch = 0;
    EXPECT_EQ(one.next().previous_epoch, 0);
}

TEST(Reconcile, GivesUpBeforeItComesToTheEpoch) {
    Case one{current(1, {0, 1}), 2, set({1, 2}), std::nullopt};
    one.has = one.next();
    EXPECT_EQ(one.has.state, MemberState::unrevoked);
    EXPECT_EQ(one.has.epoch, 1);
    EXPECT_EQ(one.has.revoking, (OwnedSet{{at(0), 1}}));
    one.owned = set({0, 1});
    EXPECT_EQ(one.next(), one.has);
    one.owned = set({1});
    const auto next = one.next();
    EXPECT_EQ(next.state, MemberState::stable);
    EXPECT_EQ(next.epoch, 2);
    EXPECT_EQ(partitions_of(next.assigned), set({1, 2}));
}

TEST(Reconcile, WaitsForWhatOthersHave) {
    Case one{current(1, {0}), 2, set({0, 1, 2}), std::nullopt, set({1})};
    one.has = one.next();
    EXPECT_EQ(one.has.state, MemberState::unreleased);
    EXPECT_EQ(one.has.epoch, 2);
    EXPECT_EQ(partitions_of(one.has.assigned), set({0, 2}));
    one.taken.clear();
    const auto next = one.next();
    EXPECT_EQ(next.state, MemberState::stable);
    EXPECT_EQ(partitions_of(next.assigned), set({0, 1, 2}));
}

TEST(Reconcile, WhoHasGivenUpBeforeItWasToldNeedNotBeTold) {
    const auto next = Case{current(1, {0, 1}), 2, set({1}), set({1})}.next();
    EXPECT_EQ(next.state, MemberState::stable);
    EXPECT_EQ(next.epoch, 2);
}

TEST(Reconcile, WhatIsNotSubscribedIsGivenUpAtTheSameEpoch) {
    Case one{current(2, {0}), 2, {}, std::nullopt};
    one.is_subscribed = false;
    one.has = one.next();
    EXPECT_EQ(one.has.state, MemberState::unrevoked);
    EXPECT_EQ(one.has.epoch, 2);
    one.owned = PartitionSet();
    EXPECT_EQ(one.next().state, MemberState::stable);
}

TEST(Reconcile, WhatRestsRests) {
    const Case one{current(2, {0}), 2, set({0}), set({0})};
    EXPECT_EQ(one.next(), one.has);
}

}  // namespace
}  // namespace milena::coordinator::test
