// SPDX-License-Identifier: Apache-2.0
// ListConfigResources: what has a configuration. Topics, brokers and their loggers are those that
// exist, groups and subscriptions to client metrics those that set something. Version 0 knows only
// the latter.
#include "milena/protocol/messages/list_config_resources.h"

#include <algorithm>

#include "../api.h"
#include "../configs/configs.h"

namespace milena::server {
namespace {

using metadata::ResourceType;
using protocol::ListConfigResourcesRequest;
using protocol::ListConfigResourcesResponse;

/// In the order of an answer.
constexpr ResourceType kTypes[] = {ResourceType::group, ResourceType::client_metrics,
                                   ResourceType::broker_logger, ResourceType::broker,
                                   ResourceType::topic};

struct Found {
    ResourceType type;
    std::string name;
};

void find_type(const metadata::Image& image, ResourceType type, std::vector<Found>& found) {
    if (type == ResourceType::topic) {
        for (const auto& [name, id] : image.topics->by_name) found.push_back({type, name});
    } else if (type == ResourceType::broker || type == ResourceType::broker_logger) {
        for (const auto& [id, broker] : image.cluster->brokers) {
            if (!broker.fenced) found.push_back({type, fmt::to_string(id.value)});
        }
    } else {
        for (const auto& [resource, configs] : image.configs->by_resource) {
            if (resource.type == type) found.push_back({type, resource.name});
        }
    }
}

/// What the request wants; UNSUPPORTED_VERSION for a type that is none.
Result<std::vector<ResourceType>> wanted(const Request& request,
                                         const ListConfigResourcesRequest& body) {
    if (request.version() == 0) return std::vector{ResourceType::client_metrics};
    if (body.resource_types.empty())
        return std::vector<ResourceType>(std::begin(kTypes), std::end(kTypes));
    std::vector<ResourceType> types;
    for (const std::int8_t number : body.resource_types) {
        if (std::ranges::find(kTypes, static_cast<ResourceType>(number)) == std::end(kTypes))
            return fail(ErrorCode::unsupported_version, {});
    }
    for (const ResourceType type : kTypes) {
        const auto& asked = body.resource_types;
        if (std::ranges::find(asked, static_cast<std::int8_t>(type)) != asked.end())
            types.push_back(type);
    }
    return types;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<ListConfigResourcesRequest>(request));
    ListConfigResourcesResponse response;
    std::vector<Found> found;
    const auto types = wanted(request, body);
    const auto refusal =
        config_refusal(request, security::Operation::describe_configs, ResourceType::broker, {});
    if (refusal) {
        response.error_code = static_cast<std::int16_t>(refusal->code);
    } else if (!types) {
        response.error_code = static_cast<std::int16_t>(types.error().code);
    } else {
        const auto image = request.broker().image.load();
        for (const ResourceType type : *types) find_type(*image, type, found);
    }
    auto resources =
        request.arena.make_array<ListConfigResourcesResponse::ConfigResource>(found.size());
    for (std::size_t i = 0; i < found.size(); ++i) {
        resources[i].resource_name = found[i].name;
        resources[i].resource_type = static_cast<std::int8_t>(found[i].type);
    }
    response.config_resources = resources;
    co_return answer(request, response);
}

}  // namespace

Api api_74() {
    return make_api(protocol::ApiKey::list_config_resources, &serve);
}

}  // namespace milena::server
