// SPDX-License-Identifier: Apache-2.0
// Death by evidence: what is enough of it, and what is not.
#include "broker_suspicions.h"

#include <algorithm>

#include <gmock/gmock.h>

#include "sim/random.h"

namespace milena::controller {
namespace {

using namespace std::chrono_literals;
using testing::ElementsAre;
using testing::IsEmpty;

constexpr BrokerEpoch kEpoch{7};

class BrokerSuspicionsTest : public testing::Test {
public:
    void add(int id, bool fenced = false) {
        metadata::BrokerRegistration broker;
        broker.id = BrokerId(id);
        broker.epoch = kEpoch;
        broker.fenced = fenced;
        decltype(cluster.brokers)::Editor brokers(cluster.brokers);
        brokers.set(broker.id, broker);
        cluster.brokers = std::move(brokers).finish();
    }
    void lose(int id) { suspicions.connection_lost(BrokerId(id), kEpoch, now); }
    /// Whom to connect to now.
    std::vector<BrokerId> probes() {
        std::vector<BrokerId> ids;
        for (const BrokerProbe& probe : suspicions.take_probes(cluster, now)) {
            under_way.push_back(probe);
            ids.push_back(probe.broker);
        }
        return ids;
    }
    /// The oldest probe of that broker ends.
    void probed(int id, bool is_refused) {
        const auto at = std::ranges::find(under_way, BrokerId(id), &BrokerProbe::broker);
        ASSERT_NE(at, under_way.end());
        const BrokerProbe probe = *at;
        under_way.erase(at);
        suspicions.probed(probe, is_refused, now);
    }
    /// Runs until `end`, every probe with that result at once; how many there were.
    int run(env::Duration time, bool is_refused) {
        const env::Instant end = now + time;
        int count = 0;
        while (!suspicions.dead(cluster) && suspicions.deadline(cluster) <= end) {
            now = std::max(now, suspicions.deadline(cluster));
            for (const BrokerId id : probes()) {
                probed(id.value, is_refused);
                ++count;
            }
        }
        if (!suspicions.dead(cluster)) now = end;
        return count;
    }

    metadata::ClusterImage cluster;
    BrokerSuspicions suspicions;
    std::vector<BrokerProbe> under_way;
    env::Instant now{};
};

TEST_F(BrokerSuspicionsTest, NobodyIsSuspectedWhoIsConnected) {
    add(1);
    EXPECT_THAT(probes(), IsEmpty());
    EXPECT_EQ(suspicions.deadline(cluster), env::kNever);
}

TEST_F(BrokerSuspicionsTest, ABrokerThatIsRefusedForTheGraceIsDead) {
    add(1);
    lose(1);
    EXPECT_EQ(run(10s, true), 4) << "at 0, 50, 100 and 150 ms";
    EXPECT_EQ(suspicions.dead(cluster), BrokerId(1));
    EXPECT_EQ(now - env::Instant{}, BrokerSuspicions::kGrace);
    EXPECT_EQ(suspicions.deadline(cluster), env::Instant::min());
}

TEST_F(BrokerSuspicionsTest, OneThatIsNotRefusedIsLeftToItsSession) {
    add(1);
    lose(1);
    EXPECT_EQ(run(10s, false), 4) << "its sockets may close one after the other";
    EXPECT_EQ(suspicions.dead(cluster), std::nullopt);
    EXPECT_EQ(suspicions.deadline(cluster), env::kNever);
}

TEST_F(BrokerSuspicionsTest, WhoeverIsHeardOfIsNotDead) {
    add(1);
    lose(1);
    run(140ms, true);
    suspicions.clear(BrokerId(1));
    EXPECT_EQ(run(10s, true), 0);
    EXPECT_EQ(suspicions.dead(cluster), std::nullopt);
    lose(1);
    run(149ms, true);
    EXPECT_EQ(suspicions.dead(cluster), std::nullopt) << "the grace begins anew";
}

TEST_F(BrokerSuspicionsTest, OneProbeIsNotEnough) {
    add(1);
    lose(1);
    ASSERT_THAT(probes(), ElementsAre(BrokerId(1)));
    now += 1s;  // it took that long
    probed(1, true);
    EXPECT_EQ(suspicions.dead(cluster), std::nullopt);
    run(1s, true);
    EXPECT_EQ(suspicions.dead(cluster), BrokerId(1));
}

TEST_F(BrokerSuspicionsTest, AnAnswerInBetweenMakesEarlierRefusalsVoid) {
    add(1);
    lose(1);
    run(100ms, true);
    now += 20ms;
    run(0ms, true);
    now += 30ms;  // the last probe, at the end of the grace
    ASSERT_THAT(probes(), ElementsAre(BrokerId(1)));
    probed(1, false);
    EXPECT_EQ(run(10s, true), 0);
    EXPECT_EQ(suspicions.dead(cluster), std::nullopt);
}

TEST_F(BrokerSuspicionsTest, AnotherIncarnationAndAFencedBrokerAreNotProbed) {
    add(1);
    add(2, true);
    suspicions.connection_lost(BrokerId(1), BrokerEpoch(6), now);
    lose(2);
    lose(3);  // unregistered
    EXPECT_THAT(probes(), IsEmpty());
    EXPECT_EQ(suspicions.deadline(cluster), env::kNever);
    now += 1s;
    EXPECT_TRUE(suspicions.is_cut_off(BrokerId(2), kEpoch, now));
    EXPECT_FALSE(suspicions.is_cut_off(BrokerId(1), kEpoch, now));
}

TEST_F(BrokerSuspicionsTest, ANewControllerSuspectsEverybodyButItsOwnNode) {
    for (int id = 1; id <= 3; ++id) add(id);
    suspicions.begin(cluster, BrokerId(2), now);
    EXPECT_THAT(probes(), ElementsAre(BrokerId(1), BrokerId(3)));
    EXPECT_FALSE(suspicions.is_cut_off(BrokerId(1), kEpoch, now + 149ms));
    EXPECT_TRUE(suspicions.is_cut_off(BrokerId(1), kEpoch, now + 150ms));
    EXPECT_FALSE(suspicions.is_cut_off(BrokerId(2), kEpoch, now + 1h));
}

TEST_F(BrokerSuspicionsTest, ProbesUnderWayAreBounded) {
    constexpr int kBrokers = 200;
    for (int id = 1; id <= kBrokers; ++id) {
        add(id);
        lose(id);
    }
    const auto first = probes();
    EXPECT_EQ(first.size(), BrokerSuspicions::kProbesMax);
    EXPECT_THAT(probes(), IsEmpty());
    EXPECT_EQ(suspicions.deadline(cluster), env::kNever) << "a result brings the next";
    for (const BrokerId id : first) probed(id.value, false);
    EXPECT_EQ(probes().size(), BrokerSuspicions::kProbesMax);
}

TEST_F(BrokerSuspicionsTest, AResultThatComesLateDecidesNothing) {
    add(1);
    lose(1);
    ASSERT_EQ(probes().size(), 1u);
    suspicions.clear(BrokerId(1));
    lose(1);
    now += 150ms;
    EXPECT_THAT(probes(), ElementsAre(BrokerId(1)));
    probed(1, true);  // of before
    probed(1, true);
    EXPECT_EQ(suspicions.dead(cluster), std::nullopt) << "only one was refused since";
}

/// Whatever happens: who is found dead has had no connection for the grace, and each of the probes
/// since its last sign of life was refused, two of them at least.
TEST_F(BrokerSuspicionsTest, NobodyIsDeadWithoutAllOfTheEvidence) {
    sim::SeededRandom random(11);
    for (int round = 0; round < 200; ++round) {
        suspicions = {};
        cluster = {};
        under_way.clear();
        constexpr int kBrokers = 4;
        std::map<int, std::optional<env::Instant>> lost_since;
        std::map<int, int> refusals;
        for (int id = 1; id <= kBrokers; ++id) add(id);
        for (int step = 0; step < 100; ++step) {
            const int id = 1 + static_cast<int>(random.next() % kBrokers);
            switch (random.next() % 6) {
                case 0:
                    lose(id);
                    lost_since[id] = now;
                    refusals[id] = 0;
                    break;
                case 1:
                    if (random.next() % 4 != 0) break;
                    suspicions.clear(BrokerId(id));
                    lost_since[id] = std::nullopt;
                    break;
                case 2: probes(); break;
                case 3:
                case 4: {
                    if (std::ranges::find(under_way, BrokerId(id), &BrokerProbe::broker) ==
                        under_way.end())
                        break;
                    const bool is_refused = random.next() % 5 != 0;
                    refusals[id] = is_refused ? refusals[id] + 1 : 0;
                    probed(id, is_refused);
                    break;
                }
                default: now += std::chrono::milliseconds(random.next() % 60);
            }
            const auto dead = suspicions.dead(cluster);
            if (!dead) continue;
            ASSERT_TRUE(lost_since[dead->value]);
            ASSERT_GE(now - *lost_since[dead->value], BrokerSuspicions::kGrace);
            ASSERT_GE(refusals[dead->value], BrokerSuspicions::kRefusalsMin);
        }
    }
}

}  // namespace
}  // namespace milena::controller
