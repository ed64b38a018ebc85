// SPDX-License-Identifier: Apache-2.0
// Field by field, in the newest version: the controllers of a cluster are not older than its
// brokers need.
#include "to_controller/partition_messages.h"

namespace milena::drivers {
namespace {

using protocol::AlterPartitionRequest;
using protocol::AssignReplicasToDirsRequest;

protocol::Array<AlterPartitionRequest::PartitionData> proposals(
    protocol::Arena& arena, const std::vector<controller::ProposedPartition>& proposed) {
    auto out = arena.make_array<AlterPartitionRequest::PartitionData>(proposed.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto& one = proposed[i];
        auto isr =
            arena.make_array<AlterPartitionRequest::BrokerState>(one.in_sync_replicas.size());
        for (std::size_t j = 0; j < isr.size(); ++j) {
            isr[j].broker_id = one.in_sync_replicas[j].broker.value;
            isr[j].broker_epoch = one.in_sync_replicas[j].broker_epoch.value;
        }
        out[i].partition_index = one.partition.value;
        out[i].leader_epoch = one.leader_epoch.value;
        out[i].new_isr_with_epochs = isr;
        out[i].leader_recovery_state = one.leader_recovery_state;
        out[i].partition_epoch = one.partition_epoch.value;
    }
    return out;
}

controller::AlteredPartition altered(const protocol::AlterPartitionResponse::PartitionData& one) {
    controller::AlteredPartition out;
    out.partition = PartitionIndex(one.partition_index);
    out.code = static_cast<ErrorCode>(one.error_code);
    out.leader = BrokerId(one.leader_id);
    out.leader_epoch = LeaderEpoch(one.leader_epoch);
    for (const std::int32_t id : one.isr) out.in_sync_replicas.emplace_back(id);
    out.is_recovering = one.leader_recovery_state == 1;
    out.partition_epoch = PartitionEpoch(one.partition_epoch);
    return out;
}

protocol::Array<AssignReplicasToDirsRequest::TopicData> topics_of(
    protocol::Arena& arena, const std::vector<controller::TopicReplicas>& replicas) {
    auto out = arena.make_array<AssignReplicasToDirsRequest::TopicData>(replicas.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto& indexes = replicas[i].partitions;
        auto partitions =
            arena.make_array<AssignReplicasToDirsRequest::PartitionData>(indexes.size());
        for (std::size_t j = 0; j < partitions.size(); ++j)
            partitions[j].partition_index = indexes[j].value;
        out[i].topic_id = replicas[i].topic;
        out[i].partitions = partitions;
    }
    return out;
}

}  // namespace

AlterPartitionRequest to_wire(protocol::Arena& arena,
                              const controller::AlterPartitionRequest& request) {
    auto topics = arena.make_array<AlterPartitionRequest::TopicData>(request.topics.size());
    for (std::size_t i = 0; i < topics.size(); ++i) {
        topics[i].topic_id = request.topics[i].topic;
        topics[i].partitions = proposals(arena, request.topics[i].partitions);
    }
    AlterPartitionRequest wire;
    wire.broker_id = request.broker.value;
    wire.broker_epoch = request.epoch.value;
    wire.topics = topics;
    return wire;
}

AssignReplicasToDirsRequest to_wire(protocol::Arena& arena,
                                    const controller::AssignReplicasRequest& request) {
    const auto& asked = request.directories;
    auto directories = arena.make_array<AssignReplicasToDirsRequest::DirectoryData>(asked.size());
    for (std::size_t i = 0; i < directories.size(); ++i) {
        directories[i].id = asked[i].directory;
        directories[i].topics = topics_of(arena, asked[i].topics);
    }
    AssignReplicasToDirsRequest wire;
    wire.broker_id = request.broker.value;
    wire.broker_epoch = request.epoch.value;
    wire.directories = directories;
    return wire;
}

std::vector<controller::AlteredTopic> from_wire(const protocol::AlterPartitionResponse& answer) {
    std::vector<controller::AlteredTopic> told;
    for (const auto& topic : answer.topics) {
        auto& out = told.emplace_back(topic.topic_id);
        for (const auto& one : topic.partitions) out.partitions.push_back(altered(one));
    }
    return told;
}

std::vector<controller::AssignedReplica> from_wire(
    const protocol::AssignReplicasToDirsResponse& answer) {
    std::vector<controller::AssignedReplica> told;
    for (const auto& directory : answer.directories) {
        for (const auto& topic : directory.topics) {
            for (const auto& one : topic.partitions) {
                told.push_back({directory.id, topic.topic_id, PartitionIndex(one.partition_index),
                                static_cast<ErrorCode>(one.error_code)});
            }
        }
    }
    return told;
}

}  // namespace milena::drivers
