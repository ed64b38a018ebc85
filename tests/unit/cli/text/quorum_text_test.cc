// SPDX-License-Identifier: Apache-2.0
// The quorum, as Kafka 4.4's kafka-metadata-quorum printed one of three nodes.
#include "text/quorum_text.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

using protocol::DescribeQuorumResponse;

class QuorumTextTest : public testing::Test {
protected:
    QuorumTextTest() {
        for (std::size_t i = 0; i < voters.size(); ++i) {
            voters[i].replica_id = static_cast<std::int32_t>(i) + 1;
            voters[i].log_end_offset = 1720;
            voters[i].last_fetch_timestamp = 1000;
            voters[i].last_caught_up_timestamp = 1000;
        }
        voters[0].replica_directory_id = *Uuid::parse("AAAAAAAAAAAAAAAAAAAB1A");
        voters[1].log_end_offset = 1700;
        voters[1].last_caught_up_timestamp = 862;
        listeners[0] = {"CONTROLLER", "127.0.0.1", 39211};
        nodes[0].node_id = 1;
        nodes[0].listeners = listeners;
        partitions[0].leader_id = 1;
        partitions[0].leader_epoch = 4;
        partitions[0].high_watermark = 1719;
        partitions[0].current_voters = voters;
        topics[0].partitions = partitions;
        answer.topics = topics;
        answer.nodes = nodes;
    }

    std::array<DescribeQuorumResponse::ReplicaState, 2> voters;
    std::array<DescribeQuorumResponse::Listener, 1> listeners;
    std::array<DescribeQuorumResponse::Node, 1> nodes;
    std::array<DescribeQuorumResponse::PartitionData, 1> partitions;
    std::array<DescribeQuorumResponse::TopicData, 1> topics;
    DescribeQuorumResponse answer;
};

TEST_F(QuorumTextTest, StatusTellsHowFarTheLastFollowerIs) {
    EXPECT_EQ(quorum_status(answer, "abc"),
              "ClusterId:              abc\n"
              "LeaderId:               1\n"
              "LeaderEpoch:            4\n"
              "HighWatermark:          1719\n"
              "MaxFollowerLag:         20\n"
              "MaxFollowerLagTimeMs:   138\n"
              "CurrentVoters:          [{\"id\": 1, \"directoryId\": \"AAAAAAAAAAAAAAAAAAAB1A\", "
              "\"endpoints\": [\"CONTROLLER://127.0.0.1:39211\"]}, {\"id\": 2, \"directoryId\": "
              "null}]\n"
              "CurrentObservers:       []\n");
}

TEST_F(QuorumTextTest, ReplicationIsATable) {
    EXPECT_EQ(quorum_replication(answer, 1000).value(),
              "NodeId\tDirectoryId           \tLogEndOffset\tLag\tLastFetchTimestamp\t"
              "LastCaughtUpTimestamp\tStatus  \t\n"
              "1     \tAAAAAAAAAAAAAAAAAAAB1A\t1720        \t0  \t0 ms ago          \t"
              "0 ms ago             \tLeader  \t\n"
              "2     \tAAAAAAAAAAAAAAAAAAAAAA\t1700        \t20 \t0 ms ago          \t"
              "138 ms ago           \tFollower\t\n");
}

TEST_F(QuorumTextTest, AnErrorOfThePartitionIsTheAnswer) {
    partitions[0].error_code = 6;
    EXPECT_EQ(quorum_status(answer, "abc").error().code, ErrorCode::not_leader_or_follower);
}

}  // namespace
}  // namespace milena::cli
