// SPDX-License-Identifier: Apache-2.0
// AlterPartitionReassignments: has the controller begin or end moves of replicas (KIP-455).
#include "milena/protocol/messages/alter_partition_reassignments.h"

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using controller::ReassignedTopic;
using protocol::AlterPartitionReassignmentsRequest;
using protocol::AlterPartitionReassignmentsResponse;

controller::ReassignmentsRequest wanted(const AlterPartitionReassignmentsRequest& body) {
    controller::ReassignmentsRequest out{.allow_replication_factor_change =
                                             body.allow_replication_factor_change};
    for (const auto& asked : body.topics) {
        auto& topic = out.topics.emplace_back(std::string(asked.name));
        for (const auto& one : asked.partitions) {
            auto& partition = topic.partitions.emplace_back(PartitionIndex(one.partition_index));
            if (!one.replicas.has_value()) continue;
            auto& replicas = partition.replicas.emplace();
            for (const std::int32_t id : one.replicas) replicas.emplace_back(id);
        }
    }
    return out;
}

env::Task<Result<std::vector<ReassignedTopic>>> reassign(
    Request& request, const AlterPartitionReassignmentsRequest& body) {
    CO_TRY_VOID(check_cluster_right(request, security::Operation::alter));
    const env::Instant deadline = request.deadline(body.timeout_ms);
    CO_TRY(auto reassigned, co_await ask_controller(request, [&](controller::Gateway& controller) {
               return controller.alter_reassignments(wanted(body), deadline);
           }));
    co_await show_change(request, deadline);
    co_return reassigned;
}

protocol::Array<AlterPartitionReassignmentsResponse::ReassignableTopicResponse> describe(
    protocol::Arena& arena, const std::vector<ReassignedTopic>& topics) {
    using Topic = AlterPartitionReassignmentsResponse::ReassignableTopicResponse;
    using Partition = AlterPartitionReassignmentsResponse::ReassignablePartitionResponse;
    auto out = arena.make_array<Topic>(topics.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto& reassigned = topics[i].partitions;
        auto partitions = arena.make_array<Partition>(reassigned.size());
        for (std::size_t j = 0; j < partitions.size(); ++j) {
            partitions[j].partition_index = reassigned[j].partition.value;
            partitions[j].error_code = static_cast<std::int16_t>(reassigned[j].code);
            partitions[j].error_message = std::nullopt;
            if (!reassigned[j].why.empty())
                partitions[j].error_message = error_text(reassigned[j].why);
        }
        out[i].name = topics[i].topic;
        out[i].partitions = partitions;
    }
    return out;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<AlterPartitionReassignmentsRequest>(request));
    const auto reassigned = co_await reassign(request, body);
    AlterPartitionReassignmentsResponse response;
    response.error_message = std::nullopt;
    response.allow_replication_factor_change = body.allow_replication_factor_change;
    if (reassigned) {
        response.responses = describe(request.arena, *reassigned);
    } else {
        response.error_code = static_cast<std::int16_t>(reassigned.error().code);
        response.error_message = error_text(reassigned.error().why);
    }
    co_return answer(request, response);
}

}  // namespace

Api api_45() {
    return make_api(protocol::ApiKey::alter_partition_reassignments, &serve);
}

}  // namespace milena::server
