// SPDX-License-Identifier: Apache-2.0
// The laws of placement, for any cluster.
#include "milena/controller/placement.h"

#include <algorithm>
#include <map>
#include <ranges>
#include <set>

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "sim/random.h"

namespace milena::controller {
namespace {

struct Any {
    std::vector<UsableBroker> brokers;
    std::int32_t partitions;
    std::int16_t factor;
    std::vector<Replicas> placed;
    std::size_t unfenced;
    std::set<std::string> unfenced_racks;

    const UsableBroker& find(BrokerId id) const {
        return *std::ranges::find(brokers, id, &UsableBroker::id);
    }
};

/// Up to twelve brokers in up to four racks, at least one of them unfenced.
Any place_any() {
    Any any;
    const int count = *rc::gen::inRange(1, 13);
    for (int id = 0; id < count; ++id) {
        const bool fenced = id > 0 && *rc::gen::inRange(0, 4) == 0;
        any.brokers.push_back({BrokerId(id),
                               std::string(1, static_cast<char>('a' + *rc::gen::inRange(0, 4))),
                               fenced});
    }
    any.partitions = *rc::gen::inRange(1, 40);
    any.factor = static_cast<std::int16_t>(*rc::gen::inRange(1, count + 1));
    for (const UsableBroker& broker : any.brokers) {
        if (!broker.fenced) any.unfenced_racks.insert(broker.rack);
    }
    any.unfenced =
        static_cast<std::size_t>(std::ranges::count(any.brokers, false, &UsableBroker::fenced));
    sim::SeededRandom random(*rc::gen::arbitrary<std::uint64_t>());
    const auto placed = place(any.brokers, any.partitions, any.factor, random);
    RC_ASSERT(placed.has_value());
    any.placed = *placed;
    return any;
}

RC_GTEST_PROP(Placement, GivesEachPartitionItsReplicasOnDifferentBrokers, ()) {
    const Any any = place_any();
    RC_ASSERT(any.placed.size() == static_cast<std::size_t>(any.partitions));
    for (const Replicas& replicas : any.placed) {
        RC_ASSERT(replicas.size() == static_cast<std::size_t>(any.factor));
        RC_ASSERT(std::set(replicas.begin(), replicas.end()).size() == replicas.size());
    }
}

RC_GTEST_PROP(Placement, SpreadsLeadersEvenlyOverUnfencedBrokers, ()) {
    const Any any = place_any();
    std::map<BrokerId, int> leads;
    for (const UsableBroker& broker : any.brokers) {
        if (!broker.fenced) leads[broker.id] = 0;
    }
    for (const Replicas& replicas : any.placed) {
        RC_ASSERT(leads.contains(replicas.front()));
        ++leads[replicas.front()];
    }
    const auto [least, most] = std::ranges::minmax(leads | std::views::values);
    RC_ASSERT(most - least <= 1);
}

RC_GTEST_PROP(Placement, UsesFencedBrokersOnlyWhereOthersDoNotSuffice, ()) {
    const Any any = place_any();
    const auto expected = static_cast<std::size_t>(any.factor) > any.unfenced
                              ? static_cast<std::size_t>(any.factor) - any.unfenced
                              : 0;
    for (const Replicas& replicas : any.placed) {
        const auto fenced =
            std::ranges::count_if(replicas, [&](BrokerId id) { return any.find(id).fenced; });
        RC_ASSERT(static_cast<std::size_t>(fenced) == expected);
    }
}

RC_GTEST_PROP(Placement, PutsReplicasInDifferentRacksWhereThereAreEnough, ()) {
    const Any any = place_any();
    const std::size_t expected =
        std::min(any.unfenced_racks.size(), static_cast<std::size_t>(any.factor));
    for (const Replicas& replicas : any.placed) {
        std::set<std::string> racks;
        for (const BrokerId id : replicas) racks.insert(any.find(id).rack);
        RC_ASSERT(racks.size() >= expected);
    }
}

RC_GTEST_PROP(Placement, IsTheSameForTheSameRandomness, ()) {
    const std::uint64_t seed = *rc::gen::arbitrary<std::uint64_t>();
    sim::SeededRandom a(seed);
    sim::SeededRandom b(seed);
    const std::vector<UsableBroker> brokers{
        {BrokerId(1), "a"}, {BrokerId(2), "b"}, {BrokerId(3), "a"}};
    RC_ASSERT(*place(brokers, 10, 2, a) == *place(brokers, 10, 2, b));
}

TEST(Placement, SpreadsFollowersToo) {
    // 30 partitions of three replicas on six brokers of two racks: each broker has 15 in the end.
    std::vector<UsableBroker> brokers;
    for (int id = 0; id < 6; ++id) brokers.push_back({BrokerId(id), id % 2 == 0 ? "a" : "b"});
    sim::SeededRandom random(7);
    std::map<BrokerId, int> has;
    std::set<Replicas> different;
    for (const Replicas& replicas : *place(brokers, 30, 3, random)) {
        for (const BrokerId id : replicas) ++has[id];
        different.insert(replicas);
    }
    for (const auto& [id, count] : has) EXPECT_NEAR(count, 15, 1) << id.value;
    EXPECT_GT(different.size(), 12U) << "a broker's followers differ from partition to partition";
}

TEST(Placement, RefusesMoreReplicasThanBrokers) {
    sim::SeededRandom random(1);
    const auto placed =
        place({{BrokerId(1), ""}, {BrokerId(2), ""}, {BrokerId(3), ""}}, 1, 4, random);
    ASSERT_FALSE(placed);
    EXPECT_EQ(placed.error().code, ErrorCode::invalid_replication_factor);
    EXPECT_EQ(placed.error().why,
              "The target replication factor of 4 cannot be reached because only 3 broker(s) are "
              "registered or some brokers have all their log directories cordoned.");
}

TEST(Placement, RefusesACallWithNobodyToLead) {
    sim::SeededRandom random(1);
    const auto placed = place({{BrokerId(1), "", true}}, 1, 1, random);
    ASSERT_FALSE(placed);
    EXPECT_EQ(placed.error().code, ErrorCode::invalid_replication_factor);
    EXPECT_EQ(placed.error().why,
              "All brokers are currently fenced, or have all their log directories cordoned.");
    EXPECT_EQ(place({}, 1, 1, random).error().why, placed.error().why);
}

}  // namespace
}  // namespace milena::controller
