// SPDX-License-Identifier: Apache-2.0
// AlterPartition: a partition's leader proposes another in-sync set (KIP-497, KIP-903).
#include "milena/protocol/messages/alter_partition.h"

#include "controller_request.h"

namespace milena::server {
namespace {

using controller::AlteredTopic;
using protocol::AlterPartitionRequest;
using protocol::AlterPartitionResponse;

constexpr std::int16_t kFirstVersionWithBrokerEpochs = 3;

std::vector<controller::InSyncReplica> in_sync_replicas(
    const AlterPartitionRequest::PartitionData& partition, std::int16_t version) {
    std::vector<controller::InSyncReplica> out;
    if (version < kFirstVersionWithBrokerEpochs) {
        for (const std::int32_t id : partition.new_isr) out.push_back({BrokerId(id)});
    } else {
        for (const auto& one : partition.new_isr_with_epochs)
            out.push_back({BrokerId(one.broker_id), BrokerEpoch(one.broker_epoch)});
    }
    return out;
}

controller::AlterPartitionRequest wanted(const AlterPartitionRequest& body, std::int16_t version) {
    controller::AlterPartitionRequest out{BrokerId(body.broker_id), BrokerEpoch(body.broker_epoch)};
    for (const auto& asked : body.topics) {
        auto& topic = out.topics.emplace_back(asked.topic_id);
        for (const auto& one : asked.partitions) {
            topic.partitions.push_back({.partition = PartitionIndex(one.partition_index),
                                        .leader_epoch = LeaderEpoch(one.leader_epoch),
                                        .in_sync_replicas = in_sync_replicas(one, version),
                                        .leader_recovery_state = one.leader_recovery_state,
                                        .partition_epoch = PartitionEpoch(one.partition_epoch)});
        }
    }
    return out;
}

env::Task<Result<std::vector<AlteredTopic>>> alter(const Request& request,
                                                   const AlterPartitionRequest& body) {
    CO_TRY(auto* const controller, own_controller(request));
    co_return co_await controller->alter_partition(wanted(body, request.version()),
                                                   request.received + kControllerWait);
}

AlterPartitionResponse::PartitionData describe(protocol::Arena& arena,
                                               const controller::AlteredPartition& partition) {
    AlterPartitionResponse::PartitionData out;
    out.partition_index = partition.partition.value;
    out.error_code = static_cast<std::int16_t>(partition.code);
    out.leader_id = partition.leader.value;
    out.leader_epoch = partition.leader_epoch.value;
    auto isr = arena.make_array<std::int32_t>(partition.in_sync_replicas.size());
    std::ranges::transform(partition.in_sync_replicas, isr.begin(), &BrokerId::value);
    out.isr = isr;
    out.leader_recovery_state = partition.is_recovering ? 1 : 0;
    out.partition_epoch = partition.partition_epoch.value;
    return out;
}

protocol::Array<AlterPartitionResponse::TopicData> describe(
    protocol::Arena& arena, const std::vector<AlteredTopic>& topics) {
    auto out = arena.make_array<AlterPartitionResponse::TopicData>(topics.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto& altered = topics[i].partitions;
        auto partitions = arena.make_array<AlterPartitionResponse::PartitionData>(altered.size());
        for (std::size_t j = 0; j < partitions.size(); ++j)
            partitions[j] = describe(arena, altered[j]);
        out[i].topic_id = topics[i].topic;
        out[i].partitions = partitions;
    }
    return out;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<AlterPartitionRequest>(request));
    const auto altered = co_await alter(request, body);
    if (request.connection.is_closed()) co_return ok();
    AlterPartitionResponse response;
    if (altered) {
        response.topics = describe(request.arena, *altered);
    } else {
        response.error_code = static_cast<std::int16_t>(altered.error().code);
    }
    co_return answer(request, response);
}

}  // namespace

Api api_56() {
    return make_api(protocol::ApiKey::alter_partition, &serve);
}

}  // namespace milena::server
