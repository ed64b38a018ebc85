// SPDX-License-Identifier: Apache-2.0
// IncrementalAlterConfigs: single keys of a resource, set, removed, appended to, subtracted from.
#include "milena/protocol/messages/incremental_alter_configs.h"

#include "../api.h"
#include "../configs/configs.h"

namespace milena::server {
namespace {

using protocol::IncrementalAlterConfigsRequest;
using protocol::IncrementalAlterConfigsResponse;

AskedAlteration asked(const IncrementalAlterConfigsRequest::AlterConfigsResource& resource) {
    AskedAlteration out;
    out.resource = {static_cast<metadata::ResourceType>(resource.resource_type),
                    std::string(resource.resource_name)};
    for (const auto& config : resource.configs) {
        AskedChange change;
        change.key = std::string(config.name);
        change.operation = config.config_operation;
        if (config.value) change.value = std::string(*config.value);
        out.changes.push_back(std::move(change));
    }
    return out;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<IncrementalAlterConfigsRequest>(request));
    AlterationsAsked alterations;
    alterations.replaces_all = false;
    alterations.validate_only = body.validate_only;
    for (const auto& resource : body.resources) alterations.resources.push_back(asked(resource));
    const auto altered = co_await alter_configs(request, std::move(alterations));

    IncrementalAlterConfigsResponse response;
    auto answers =
        request.arena.make_array<IncrementalAlterConfigsResponse::AlterConfigsResourceResponse>(
            altered.size());
    for (std::size_t i = 0; i < altered.size(); ++i) {
        answers[i].resource_type = body.resources[i].resource_type;
        answers[i].resource_name = body.resources[i].resource_name;
        answers[i].error_code = static_cast<std::int16_t>(altered[i].code);
        answers[i].error_message = std::nullopt;
        if (!altered[i].why.empty()) answers[i].error_message = error_text(altered[i].why);
    }
    response.responses = answers;
    co_return answer(request, response);
}

}  // namespace

Api api_44() {
    return make_api(protocol::ApiKey::incremental_alter_configs, &serve);
}

}  // namespace milena::server
