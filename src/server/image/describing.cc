// SPDX-License-Identifier: Apache-2.0
// Which operations there are to ask of, and what an image says of a partition's brokers.
#include "image/describing.h"

#include <algorithm>

#include "leader_endpoints.h"

namespace milena::server {
namespace {

using security::Operation;
using security::ResourceType;

/// What an authorizer can be asked of a topic, a group and the cluster.
constexpr Operation kTopicOperations[] = {
    Operation::read,  Operation::write,    Operation::create,           Operation::remove,
    Operation::alter, Operation::describe, Operation::describe_configs, Operation::alter_configs};
constexpr Operation kGroupOperations[] = {Operation::read, Operation::remove, Operation::describe,
                                          Operation::describe_configs, Operation::alter_configs};
constexpr Operation kClusterOperations[] = {Operation::create,           Operation::alter,
                                            Operation::describe,         Operation::cluster_action,
                                            Operation::describe_configs, Operation::alter_configs,
                                            Operation::idempotent_write};

std::int32_t allowed(const Request& request, std::span<const Operation> operations,
                     ResourceType type, std::string_view resource) {
    std::int32_t bits = 0;
    for (const Operation operation : operations) {
        if (request.session.may(operation, type, resource))
            bits |= 1 << static_cast<int>(operation);
    }
    return bits;
}

bool is_online(const metadata::Image& image, BrokerId id) {
    const auto* const broker = image.cluster->find_broker(id);
    return broker != nullptr && !broker->fenced;
}

}  // namespace

std::int32_t topic_operations(const Request& request, std::string_view topic) {
    return allowed(request, kTopicOperations, ResourceType::topic, topic);
}

std::int32_t group_operations(const Request& request, std::string_view group) {
    return allowed(request, kGroupOperations, ResourceType::group, group);
}

std::int32_t cluster_operations(const Request& request) {
    return allowed(request, kClusterOperations, ResourceType::cluster, security::kClusterResource);
}

ErrorCode leader_error(const metadata::Image& image,
                       const metadata::PartitionRegistration& partition,
                       std::string_view listener) {
    if (!is_online(image, partition.leader)) return ErrorCode::leader_not_available;
    const auto* const broker = image.cluster->find_broker(partition.leader);
    return endpoint_of(*broker, listener) != nullptr ? ErrorCode::none
                                                     : ErrorCode::listener_not_found;
}

protocol::Array<std::int32_t> offline_replicas(const metadata::Image& image,
                                               std::span<const BrokerId> replicas,
                                               protocol::Arena& arena) {
    const auto online = [&](BrokerId id) { return is_online(image, id); };
    if (std::ranges::all_of(replicas, online)) return {};
    auto out = arena.make_array<std::int32_t>(replicas.size());
    std::size_t count = 0;
    for (const BrokerId id : replicas) {
        if (!online(id)) out[count++] = id.value;
    }
    return std::span<const std::int32_t>(out.first(count));
}

}  // namespace milena::server
