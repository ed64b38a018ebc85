// SPDX-License-Identifier: Apache-2.0
// DescribeCluster: who the cluster is and where its brokers are; on a controllers' listener, where
// its controllers are (KIP-919).
#include "milena/protocol/messages/describe_cluster.h"

#include "../api.h"
#include "../image/describing.h"
#include "../leader_endpoints.h"

namespace milena::server {
namespace {

using protocol::DescribeClusterRequest;
using protocol::DescribeClusterResponse;
using DescribedBroker = DescribeClusterResponse::DescribeClusterBroker;

constexpr std::int8_t kBrokers = 1;
constexpr std::int8_t kControllers = 2;
constexpr std::int16_t kFirstVersionWithEndpointType = 1;

std::string_view type_name(std::int8_t type) {
    return type == kBrokers ? "BROKER" : "CONTROLLER";
}

Result<void> check(const Request& request, std::int8_t wanted) {
    if (wanted != kBrokers && wanted != kControllers) {
        return fail(ErrorCode::unsupported_endpoint_type,
                    fmt::format("Unsupported endpoint type {}", wanted));
    }
    const std::int8_t here = request.session.is_controller_listener() ? kControllers : kBrokers;
    if (wanted == here) return ok();
    return fail(request.version() >= kFirstVersionWithEndpointType
                    ? ErrorCode::mismatched_endpoint_type
                    : ErrorCode::invalid_request,
                fmt::format("The request was sent to an endpoint of type {}, but we wanted an "
                            "endpoint of type {}",
                            type_name(here), type_name(wanted)));
}

void set_endpoint(DescribedBroker& out, const metadata::BrokerEndpoint& endpoint) {
    out.host = endpoint.host;
    out.port = endpoint.port;
}

void add_brokers(Request& request, const metadata::Image& image, bool with_fenced,
                 DescribeClusterResponse& response) {
    const auto& all = image.cluster->brokers;
    auto brokers = request.arena.make_array<DescribedBroker>(all.size());
    std::size_t count = 0;
    for (const auto& [id, broker] : all) {
        const auto* endpoint = endpoint_of(broker, request.session.listener().name);
        if (endpoint == nullptr || (broker.fenced && !with_fenced)) continue;
        auto& out = brokers[count++];
        out.broker_id = id.value;
        set_endpoint(out, *endpoint);
        if (broker.rack) out.rack = std::string_view(*broker.rack);
        out.is_fenced = broker.fenced;
    }
    response.brokers = brokers.first(count);
    // Any live broker will do: it forwards what is the controller's to decide (KIP-590).
    std::vector<BrokerId> live;
    for (const auto& [id, broker] : all) {
        if (!broker.fenced) live.push_back(id);
    }
    if (!live.empty())
        response.controller_id = live[request.broker().env.random().next() % live.size()].value;
}

env::Task<void> add_controllers(Request& request, const metadata::Image& image,
                                DescribeClusterResponse& response) {
    const auto& all = image.cluster->controllers;
    auto controllers = request.arena.make_array<DescribedBroker>(all.size());
    std::size_t count = 0;
    for (const auto& [id, controller] : all) {
        const auto endpoint =
            std::ranges::find(controller.endpoints, request.session.listener().name,
                              &metadata::BrokerEndpoint::listener);
        if (endpoint == controller.endpoints.end()) continue;
        auto& out = controllers[count++];
        out.broker_id = id.value;
        set_endpoint(out, *endpoint);
    }
    response.brokers = controllers.first(count);
    ControllerPort* const active = request.broker().controllers;
    response.controller_id =
        active == nullptr ? kNoBroker.value : (co_await active->active_controller()).value;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<DescribeClusterRequest>(request));
    const auto image = request.broker().image.load();
    DescribeClusterResponse response;
    response.cluster_id = request.broker().cluster_id;
    if (const auto checked = check(request, body.endpoint_type); !checked) {
        response.error_code = static_cast<std::int16_t>(checked.error().code);
        response.error_message = request.arena.copy(error_text(checked.error().why));
        co_return answer(request, response);
    }
    response.endpoint_type = body.endpoint_type;
    const bool may_ask_rights = request.session.may(
        security::Operation::describe, security::ResourceType::cluster, security::kClusterResource);
    if (body.include_cluster_authorized_operations)
        response.cluster_authorized_operations = may_ask_rights ? cluster_operations(request) : 0;
    if (body.endpoint_type == kControllers) {
        co_await add_controllers(request, *image, response);
    } else {
        add_brokers(request, *image, body.include_fenced_brokers, response);
    }
    co_return answer(request, response);
}

}  // namespace

Api api_60() {
    return make_api(protocol::ApiKey::describe_cluster, &serve);
}

}  // namespace milena::server
