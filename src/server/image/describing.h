// SPDX-License-Identifier: Apache-2.0
// What several APIs tell of topics and of the cluster in the same words: rights (KIP-430), leaders
// as this listener's clients can reach them, replicas that are offline.
#pragma once

#include <string_view>
#include <vector>

#include "request.h"

namespace milena::server {

/// One bit for each operation that the client may do, at the operation's number.
std::int32_t topic_operations(const Request& request, std::string_view topic);
std::int32_t group_operations(const Request& request, std::string_view group);
std::int32_t cluster_operations(const Request& request);

/// LEADER_NOT_AVAILABLE if nobody who serves leads the partition, LISTENER_NOT_FOUND if the leader
/// can't be reached on the listener of that name.
ErrorCode leader_error(const metadata::Image& image,
                       const metadata::PartitionRegistration& partition, std::string_view listener);

/// Of the replicas those whose broker is fenced or gone.
protocol::Array<std::int32_t> offline_replicas(const metadata::Image& image,
                                               std::span<const BrokerId> replicas,
                                               protocol::Arena& arena);

/// The ids as an array of the protocol, which lives as long as `brokers`.
inline std::span<const std::int32_t> numbers(std::span<const BrokerId> brokers) {
    static_assert(sizeof(BrokerId) == sizeof(std::int32_t), "a broker id is its number");
    return {reinterpret_cast<const std::int32_t*>(brokers.data()), brokers.size()};
}

}  // namespace milena::server
