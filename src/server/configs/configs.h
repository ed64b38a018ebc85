// SPDX-License-Identifier: Apache-2.0
// What the APIs about configuration share: the layers of this broker, the loggers it has, and the
// way of a change. What only this broker can judge (its own dynamic values, its loggers) is judged
// here; the rest goes to the controller.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "milena/config/layers.h"
#include "request.h"

namespace milena::server {

/// The one logger that a node has, and its level, which can't be changed.
inline constexpr std::string_view kRootLogger = "root";
inline constexpr std::string_view kRootLevel = "INFO";

/// The layers below topics and groups, as an image has them.
class BrokerLayers {
public:
    BrokerLayers(const Broker& broker, const metadata::Image& image);
    config::Layers view() const { return {file_, *cluster_wide_, *broker_}; }

private:
    const config::Settings& file_;
    std::shared_ptr<const metadata::Configs> cluster_wide_;
    std::shared_ptr<const metadata::Configs> broker_;
};

/// Nothing if the client may; else the error of that type of resource.
std::optional<Error> config_refusal(const Request& request, security::Operation operation,
                                    metadata::ResourceType type, std::string_view name);

/// The number in a resource's name; INVALID_REQUEST that says `what` must be one, or is another's.
Result<void> check_is_this_node(const Request& request, std::string_view what,
                                std::string_view expected, std::string_view name);

struct AskedChange {
    std::string key;
    std::int8_t operation = 0;
    std::optional<std::string> value;
};

struct AskedAlteration {
    metadata::ConfigResource resource;
    std::vector<AskedChange> changes;
};

struct AlterationsAsked {
    std::vector<AskedAlteration> resources;
    /// AlterConfigs: what is not named goes. Loggers are changed incrementally only.
    bool replaces_all = false;
    bool validate_only = false;
};

/// One answer a resource, in their order; where it is done, the served image shows it.
env::Task<std::vector<controller::AlteredResource>> alter_configs(Request& request,
                                                                  AlterationsAsked asked);

/// One resource of an AlterConfigs, or of an IncrementalAlterConfigs, which names operations too.
template <class Resource>
AskedAlteration asked_alteration(const Resource& resource) {
    AskedAlteration out;
    out.resource = {static_cast<metadata::ResourceType>(resource.resource_type),
                    std::string(resource.resource_name)};
    for (const auto& config : resource.configs) {
        AskedChange change;
        change.key = std::string(config.name);
        if constexpr (requires { config.config_operation; })
            change.operation = config.config_operation;
        if (config.value) change.value = std::string(*config.value);
        out.changes.push_back(std::move(change));
    }
    return out;
}

/// Serves either of the two from its body to its answer.
template <class Body, class Response>
env::Task<Result<void>> serve_alterations(Request& request, bool replaces_all) {
    CO_TRY(const auto body, decode_body<Body>(request));
    AlterationsAsked alterations;
    alterations.replaces_all = replaces_all;
    alterations.validate_only = body.validate_only;
    for (const auto& resource : body.resources)
        alterations.resources.push_back(asked_alteration(resource));
    const auto altered = co_await alter_configs(request, std::move(alterations));

    Response response;
    auto answers =
        request.arena.make_array<typename Response::AlterConfigsResourceResponse>(altered.size());
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

}  // namespace milena::server
