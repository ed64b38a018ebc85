// SPDX-License-Identifier: Apache-2.0
// What the APIs about configuration share: the layers of this broker, the loggers it has, and the
// way of a change. What only this broker can judge (its own dynamic values, its loggers) is judged
// here; the rest goes to the controller.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "milena/config/layers.h"

#include "../forwarding/forwarding.h"

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

/// A request as far as this node judges it: one answer a resource, in their order. Those at
/// `places` are the controller's to change, and have no answer yet.
struct JudgedAlterations {
    std::vector<controller::AlteredResource> answers;
    std::vector<std::size_t> places;
    controller::AlterConfigsRequest rest;  ///< the resources at `places`
};
JudgedAlterations judge_alterations(const Request& request, AlterationsAsked asked);

/// Has this node's controller make the changes that are left.
env::Task<void> alter_here(Request& request, JudgedAlterations& judged);

/// No request about configurations says how long it may take.
inline constexpr std::int32_t kAlterationTimeMs = 30'000;

/// The request is for this node as a controller, and not as a broker.
inline bool is_at_controller(const Request& request) {
    return request.is_inside() || request.session.is_controller_listener();
}

/// What the controller has answered of a resource: it may put them in another order.
template <class Answers, class Resource>
controller::AlteredResource answer_of(const Answers& answers, const Resource& resource) {
    for (const auto& one : answers) {
        if (one.resource_type == resource.resource_type &&
            one.resource_name == resource.resource_name) {
            return {static_cast<ErrorCode>(one.error_code),
                    std::string(one.error_message.value_or(""))};
        }
    }
    return {ErrorCode::unknown_server_error, "the controller has not answered for it"};
}

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

/// Has the active controller make them, wherever it is: the resources of `body` that are left go
/// there in a request of the same kind.
template <class Body, class Response>
env::Task<void> alter_by_controller(const Request& request, const Body& body,
                                    JudgedAlterations& judged) {
    std::vector<typename Body::AlterConfigsResource> resources;
    for (const std::size_t place : judged.places) resources.push_back(body.resources[place]);
    Body rest;
    rest.resources = resources;
    rest.validate_only = body.validate_only;
    const auto reply = co_await ask_active_controller<Response>(
        request, rest, request.version(), request.deadline(kAlterationTimeMs));
    for (std::size_t i = 0; i < judged.places.size(); ++i) {
        auto& answer = judged.answers[judged.places[i]];
        answer = reply ? answer_of(reply->body.responses, resources[i])
                       : controller::AlteredResource{reply.error().code, reply.error().why};
    }
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
    auto judged = judge_alterations(request, std::move(alterations));
    if (judged.places.empty()) {
        // Nothing is left.
    } else if (is_at_controller(request)) {
        co_await alter_here(request, judged);
    } else {
        co_await alter_by_controller<Body, Response>(request, body, judged);
    }

    const auto& altered = judged.answers;
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
