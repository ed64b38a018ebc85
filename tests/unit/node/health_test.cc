// SPDX-License-Identifier: Apache-2.0
// The text of each stage, with the progress of a recovery.
#include "health.h"

#include <gtest/gtest.h>

namespace milena::node {
namespace {

TEST(Health, TellsItsStage) {
    Health health;
    EXPECT_EQ(health.json(), "{\"status\":\"starting\"}\n");
    health.become(LifeStage::ready);
    EXPECT_EQ(health.json(), "{\"status\":\"ready\"}\n");
}

TEST(Health, TellsHowFarARecoveryHasCome) {
    Health health;
    health.watch_recovery([] { return Health::Progress{3, 10}; });
    health.become(LifeStage::recovering);
    EXPECT_EQ(health.json(), "{\"status\":\"recovering\",\"logs_opened\":3,\"logs_total\":10}\n");
}

}  // namespace
}  // namespace milena::node
