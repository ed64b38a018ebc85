// SPDX-License-Identifier: Apache-2.0
// AssignReplicasToDirs: a broker says in which log directories its replicas lie (KIP-858).
#include "milena/protocol/messages/assign_replicas_to_dirs.h"

#include "controller_request.h"

namespace milena::server {
namespace {

using controller::AssignedReplica;
using protocol::AssignReplicasToDirsRequest;
using protocol::AssignReplicasToDirsResponse;
using DirectoryData = AssignReplicasToDirsResponse::DirectoryData;
using TopicData = AssignReplicasToDirsResponse::TopicData;
using PartitionData = AssignReplicasToDirsResponse::PartitionData;

controller::AssignReplicasRequest wanted(const AssignReplicasToDirsRequest& body) {
    controller::AssignReplicasRequest out{BrokerId(body.broker_id), BrokerEpoch(body.broker_epoch)};
    for (const auto& asked : body.directories) {
        auto& directory = out.directories.emplace_back(asked.id);
        for (const auto& one : asked.topics) {
            auto& topic = directory.topics.emplace_back(one.topic_id);
            for (const auto& partition : one.partitions)
                topic.partitions.emplace_back(partition.partition_index);
        }
    }
    return out;
}

env::Task<Result<std::vector<AssignedReplica>>> assign(const Request& request,
                                                       const AssignReplicasToDirsRequest& body) {
    CO_TRY(auto* const controller, own_controller(request));
    co_return co_await controller->assign_replicas(wanted(body),
                                                   request.received + kControllerWait);
}

/// In the form of the request; `assigned` has one of each of its replicas, in its order.
protocol::Array<DirectoryData> describe(protocol::Arena& arena,
                                        const AssignReplicasToDirsRequest& body,
                                        const std::vector<AssignedReplica>& assigned) {
    auto next = assigned.begin();
    auto directories = arena.make_array<DirectoryData>(body.directories.size());
    for (std::size_t i = 0; i < directories.size(); ++i) {
        const auto& asked = body.directories[i];
        auto topics = arena.make_array<TopicData>(asked.topics.size());
        for (std::size_t j = 0; j < topics.size(); ++j) {
            auto partitions = arena.make_array<PartitionData>(asked.topics[j].partitions.size());
            for (PartitionData& partition : partitions) {
                partition.partition_index = next->partition.value;
                partition.error_code = static_cast<std::int16_t>(next->code);
                ++next;
            }
            topics[j].topic_id = asked.topics[j].topic_id;
            topics[j].partitions = partitions;
        }
        directories[i].id = asked.id;
        directories[i].topics = topics;
    }
    return directories;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<AssignReplicasToDirsRequest>(request));
    const auto assigned = co_await assign(request, body);
    if (request.connection.is_closed()) co_return ok();
    AssignReplicasToDirsResponse response;
    if (assigned) {
        response.directories = describe(request.arena, body, *assigned);
    } else {
        response.error_code = static_cast<std::int16_t>(assigned.error().code);
    }
    co_return answer(request, response);
}

}  // namespace

Api api_73() {
    return make_api(protocol::ApiKey::assign_replicas_to_dirs, &serve);
}

}  // namespace milena::server
