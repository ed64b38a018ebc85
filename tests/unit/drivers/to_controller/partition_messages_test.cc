// SPDX-License-Identifier: Apache-2.0
// Requests about partitions as the wire carries them: written, read back, and field by field what
// was asked.
#include "to_controller/partition_messages.h"

#include <gtest/gtest.h>

#include "milena/protocol/codec.h"

namespace milena::drivers {
namespace {

constexpr Uuid kTopic{7, 1};
constexpr Uuid kDirectory{8, 100};

template <class Message>
Message through_the_wire(const Message& message, std::int16_t version,
                         std::vector<std::byte>& bytes, protocol::Arena& arena) {
    EXPECT_TRUE(protocol::append(message, version, bytes));
    auto read = protocol::decode<Message>(bytes, version, arena);
    EXPECT_TRUE(read.has_value());
    return *read;
}

TEST(PartitionMessages, CarryProposalsWithTheEpochsOfBrokers) {
    const controller::AlterPartitionRequest request{
        BrokerId(3),
        BrokerEpoch(33),
        {{kTopic,
          {{.partition = PartitionIndex(5),
            .leader_epoch = LeaderEpoch(6),
            .in_sync_replicas = {{BrokerId(3), BrokerEpoch(33)}, {BrokerId(4), BrokerEpoch(44)}},
            .leader_recovery_state = 1,
            .partition_epoch = PartitionEpoch(7)}}}}};
    protocol::Arena arena;
    std::vector<std::byte> bytes;
    const auto read = through_the_wire(to_wire(arena, request), 3, bytes, arena);
    EXPECT_EQ(read.broker_id, 3);
    EXPECT_EQ(read.broker_epoch, 33);
    ASSERT_EQ(read.topics.size(), 1U);
    EXPECT_EQ(read.topics[0].topic_id, kTopic);
    const auto& partition = read.topics[0].partitions[0];
    EXPECT_EQ(partition.partition_index, 5);
    EXPECT_EQ(partition.leader_epoch, 6);
    ASSERT_EQ(partition.new_isr_with_epochs.size(), 2U);
    EXPECT_EQ(partition.new_isr_with_epochs[1].broker_id, 4);
    EXPECT_EQ(partition.new_isr_with_epochs[1].broker_epoch, 44);
    EXPECT_EQ(partition.leader_recovery_state, 1);
    EXPECT_EQ(partition.partition_epoch, 7);
}

TEST(PartitionMessages, BringBackWhatBecameOfProposals) {
    using protocol::AlterPartitionResponse;
    const std::vector<std::int32_t> isr{3, 4};
    std::vector<AlterPartitionResponse::PartitionData> partitions(2);
    partitions[0].partition_index = 5;
    partitions[0].leader_id = 3;
    partitions[0].leader_epoch = 6;
    partitions[0].isr = isr;
    partitions[0].leader_recovery_state = 1;
    partitions[0].partition_epoch = 8;
    partitions[1].partition_index = 6;
    partitions[1].error_code = static_cast<std::int16_t>(ErrorCode::ineligible_replica);
    std::vector<AlterPartitionResponse::TopicData> topics(1);
    topics[0].topic_id = kTopic;
    topics[0].partitions = partitions;
    AlterPartitionResponse response;
    response.topics = topics;
    protocol::Arena arena;
    std::vector<std::byte> bytes;
    const std::vector<controller::AlteredTopic> expected{
        {kTopic,
         {{.partition = PartitionIndex(5),
           .leader = BrokerId(3),
           .leader_epoch = LeaderEpoch(6),
           .in_sync_replicas = {BrokerId(3), BrokerId(4)},
           .is_recovering = true,
           .partition_epoch = PartitionEpoch(8)},
          {.partition = PartitionIndex(6), .code = ErrorCode::ineligible_replica}}}};
    EXPECT_EQ(from_wire(through_the_wire(response, 3, bytes, arena)), expected);
}

TEST(PartitionMessages, CarryDirectoriesAndBringBackTheirCodes) {
    const controller::AssignReplicasRequest request{
        BrokerId(3),
        BrokerEpoch(33),
        {{kDirectory, {{kTopic, {PartitionIndex(1), PartitionIndex(2)}}}}}};
    protocol::Arena arena;
    std::vector<std::byte> bytes;
    const auto read = through_the_wire(to_wire(arena, request), 0, bytes, arena);
    EXPECT_EQ(read.broker_epoch, 33);
    EXPECT_EQ(read.directories[0].id, kDirectory);
    EXPECT_EQ(read.directories[0].topics[0].topic_id, kTopic);
    EXPECT_EQ(read.directories[0].topics[0].partitions[1].partition_index, 2);

    using protocol::AssignReplicasToDirsResponse;
    std::vector<AssignReplicasToDirsResponse::PartitionData> partitions(1);
    partitions[0].partition_index = 2;
    partitions[0].error_code = static_cast<std::int16_t>(ErrorCode::unknown_topic_id);
    std::vector<AssignReplicasToDirsResponse::TopicData> topics(1);
    topics[0].topic_id = kTopic;
    topics[0].partitions = partitions;
    std::vector<AssignReplicasToDirsResponse::DirectoryData> directories(1);
    directories[0].id = kDirectory;
    directories[0].topics = topics;
    AssignReplicasToDirsResponse response;
    response.directories = directories;
    std::vector<std::byte> answer;
    const std::vector<controller::AssignedReplica> expected{
        {kDirectory, kTopic, PartitionIndex(2), ErrorCode::unknown_topic_id}};
    EXPECT_EQ(from_wire(through_the_wire(response, 0, answer, arena)), expected);
}

}  // namespace
}  // namespace milena::drivers
