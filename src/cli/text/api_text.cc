// SPDX-License-Identifier: Apache-2.0
// The table of APIs of a node, beside ours.
#include "text/api_text.h"

#include <fmt/format.h>

#include "console.h"
#include "text/exceptions.h"
#include "text/hash_order.h"

namespace milena::cli {
namespace {

using protocol::ApiVersionsRequest;
using protocol::ApiVersionsResponse;

std::string api_line(const ApiVersionsResponse::ApiVersion& theirs) {
    const protocol::Api* const api = protocol::find_api(theirs.api_key);
    std::string line = fmt::format("{}({}): {}", api == nullptr ? "UNKNOWN" : api->name,
                                   theirs.api_key, theirs.min_version);
    if (theirs.max_version != theirs.min_version) line += fmt::format(" to {}", theirs.max_version);
    if (api == nullptr) return line;
    if (api->max_version < theirs.min_version) return line + " [unusable: node too new]";
    if (theirs.max_version < api->min_version) return line + " [unusable: node too old]";
    return line + fmt::format(" [usable: {}]", std::min(api->max_version, theirs.max_version));
}

/// The hash of Kafka's Node, whose map the tool walks.
std::int32_t node_hash(const wire::ClusterNode& node) {
    constexpr std::uint32_t kFalse = 1237;
    auto hash = 31U + static_cast<std::uint32_t>(java_hash(node.endpoint.host));
    hash = hash * 31 + static_cast<std::uint32_t>(node.id.value);
    hash = hash * 31 + node.endpoint.port;
    hash = hash * 31 + (node.rack ? static_cast<std::uint32_t>(java_hash(*node.rack)) : 0U);
    return static_cast<std::int32_t>(hash * 31 + kFalse);
}

std::vector<wire::ClusterNode> nodes_in_hash_order(const wire::Client& client) {
    std::vector<wire::ClusterNode> nodes;
    std::vector<std::int32_t> hashes;
    for (const auto& [id, node] : client.nodes()) {
        nodes.push_back(node);
        hashes.push_back(node_hash(node));
    }
    constexpr std::size_t kDefaultCapacity = 16;
    std::vector<wire::ClusterNode> ordered;
    for (const std::size_t at : hash_order(hashes, kDefaultCapacity)) ordered.push_back(nodes[at]);
    return ordered;
}

}  // namespace

std::string node_text(const wire::ClusterNode& node) {
    return fmt::format("{}:{} (id: {} rack: {} isFenced: false)", node.endpoint.host,
                       node.endpoint.port, node.id, node.rack.value_or("null"));
}

std::string api_versions_text(const ApiVersionsResponse& answer) {
    std::map<std::int16_t, std::string> lines;
    for (const auto& theirs : answer.api_keys) lines[theirs.api_key] = api_line(theirs);
    for (const protocol::Api& api : protocol::apis()) {
        if (api.on_broker) {
            lines.try_emplace(
                static_cast<std::int16_t>(api.key),
                fmt::format("{}({}): UNSUPPORTED", api.name, static_cast<std::int16_t>(api.key)));
        }
    }
    std::string text = "(";
    for (const auto& [key, line] : lines)
        text += fmt::format("{}\n\t{}", text.size() == 1 ? "" : ",", line);
    return text + "\n)";
}

env::Task<Result<void>> print_api_versions(Session& session) {
    CO_TRY_VOID(co_await session.client().refresh_nodes());
    ApiVersionsRequest request;
    request.client_software_name = "milena";
    request.client_software_version = MILENA_VERSION;
    for (const wire::ClusterNode& node : nodes_in_hash_order(session.client())) {
        const auto answer = co_await session.client().call<ApiVersionsResponse>(
            wire::Target::broker(node.id), request);
        print(fmt::format(
            "{} -> {}\n", node_text(node),
            answer ? api_versions_text(**answer) : "ERROR: " + exception_text(answer.error())));
    }
    co_return ok();
}

}  // namespace milena::cli
