// SPDX-License-Identifier: Apache-2.0
// Committed and proposed in-sync sets.
#include "core/in_sync_replicas.h"

#include <gtest/gtest.h>

#include "core_script.h"

namespace milena::replication {
namespace {

TEST(InSyncReplicas, CountsBothSetsWhileAProposalIsOpen) {
    InSyncReplicas isr(brokers({1, 2}), PartitionEpoch(4));
    isr.propose(brokers({1, 3}));
    EXPECT_TRUE(isr.maximal_contains(BrokerId(2)));
    EXPECT_TRUE(isr.maximal_contains(BrokerId(3)));
    EXPECT_TRUE(isr.contains(BrokerId(2)));
    EXPECT_FALSE(isr.contains(BrokerId(3)));
}

TEST(InSyncReplicas, TakesNewerStatesOnly) {
    InSyncReplicas isr(brokers({1, 2}), PartitionEpoch(4));
    isr.propose(brokers({1}));
    EXPECT_FALSE(isr.commit(brokers({1, 2, 3}), PartitionEpoch(4)));
    EXPECT_TRUE(isr.proposed());
    EXPECT_TRUE(isr.commit(brokers({1, 2, 3}), PartitionEpoch(5)));
    EXPECT_FALSE(isr.proposed());
    EXPECT_EQ(isr.committed(), brokers({1, 2, 3}));
}

TEST(InSyncReplicas, SendsAProposalOnceUnlessAskedAgain) {
    InSyncReplicas isr(brokers({1, 2}), PartitionEpoch(4));
    EXPECT_FALSE(isr.take_to_send());
    isr.propose(brokers({1}));
    EXPECT_TRUE(isr.take_to_send());
    EXPECT_FALSE(isr.take_to_send());
    isr.ask_again();
    EXPECT_TRUE(isr.take_to_send());
    isr.withdraw();
    isr.ask_again();
    EXPECT_FALSE(isr.take_to_send());
}

TEST(InSyncReplicas, PrintsWhatItProposes) {
    const IsrProposal proposal{LeaderEpoch(5), PartitionEpoch(4), {{BrokerId(1)}, {BrokerId(3)}}};
    EXPECT_EQ(proposal.text(), "alter partition epoch=4 leader_epoch=5 isr=[1, 3]");
}

}  // namespace
}  // namespace milena::replication
