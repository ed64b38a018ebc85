// SPDX-License-Identifier: Apache-2.0
// CreateTopics: asks the controller, and answers when the topics can be used here.
#include "milena/protocol/messages/create_topics.h"

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using controller::CreatedTopic;
using controller::NewTopic;
using protocol::CreateTopicsRequest;
using protocol::CreateTopicsResponse;
using security::Operation;
using security::ResourceType;

NewTopic new_topic(const CreateTopicsRequest::CreatableTopic& asked) {
    NewTopic topic;
    topic.name = std::string(asked.name);
    topic.partition_count = asked.num_partitions;
    topic.replication_factor = asked.replication_factor;
    for (const auto& assignment : asked.assignments) {
        controller::ManualAssignment manual{PartitionIndex(assignment.partition_index), {}};
        for (const std::int32_t id : assignment.broker_ids) manual.brokers.emplace_back(id);
        topic.assignments.push_back(std::move(manual));
    }
    for (const auto& config : asked.configs) {
        std::optional<std::string> value;
        if (config.value) value = std::string(*config.value);
        topic.configs.emplace_back(std::string(config.name), std::move(value));
    }
    return topic;
}

CreatedTopic refused(std::string_view name, ErrorCode code, std::string why) {
    CreatedTopic topic;
    topic.name = std::string(name);
    topic.code = code;
    topic.why = std::move(why);
    return topic;
}

/// The request for the controller; what the client may not do is answered here, into `answers`.
controller::CreateTopicsRequest allowed_part(const Request& request,
                                             const CreateTopicsRequest& body,
                                             std::vector<CreatedTopic>& answers) {
    controller::CreateTopicsRequest out;
    out.validate_only = body.validate_only;
    for (const auto& asked : body.topics) {
        if (may_create_topic(request, asked.name)) {
            out.topics.push_back(new_topic(asked));
        } else {
            answers.push_back(refused(asked.name, ErrorCode::topic_authorization_failed,
                                      "Authorization failed."));
        }
    }
    return out;
}

protocol::NullableArray<CreateTopicsResponse::CreatableTopicConfigs> configs(
    protocol::Arena& arena, const CreatedTopic& topic) {
    auto out = arena.make_array<CreateTopicsResponse::CreatableTopicConfigs>(topic.configs.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        const auto& entry = topic.configs[i];
        out[i].name = entry.name;
        if (entry.value) out[i].value = std::string_view(*entry.value);
        out[i].read_only = entry.is_read_only;
        out[i].config_source = static_cast<std::int8_t>(entry.source);
        out[i].is_sensitive = entry.is_sensitive;
    }
    return out;
}

CreateTopicsResponse::CreatableTopicResult result(const Request& request,
                                                  const CreatedTopic& topic) {
    CreateTopicsResponse::CreatableTopicResult out;
    out.name = topic.name;
    out.topic_id = topic.id;
    out.error_code = static_cast<std::int16_t>(topic.code);
    out.error_message = std::nullopt;
    if (!topic.why.empty()) out.error_message = error_text(topic.why);
    if (topic.code != ErrorCode::none) return out;
    if (request.session.may(Operation::describe_configs, ResourceType::topic, topic.name)) {
        out.num_partitions = topic.partition_count;
        out.replication_factor = topic.replication_factor;
        out.configs = configs(request.arena, topic);
    } else {
        out.topic_config_error_code =
            static_cast<std::int16_t>(ErrorCode::topic_authorization_failed);
    }
    return out;
}

env::Task<std::vector<CreatedTopic>> create(Request& request, const CreateTopicsRequest& body) {
    std::vector<CreatedTopic> answers;
    auto wanted = allowed_part(request, body, answers);
    if (wanted.topics.empty()) co_return answers;
    const env::Instant deadline = request.deadline(body.timeout_ms);
    auto reply = co_await ask_controller(request, [&](controller::Gateway& controller) {
        return controller.create_topics(std::move(wanted), deadline);
    });
    if (!reply) {
        for (const auto& asked : body.topics) {
            if (may_create_topic(request, asked.name)) {
                answers.push_back(refused(asked.name, reply.error().code, reply.error().why));
            }
        }
        co_return answers;
    }
    std::ranges::move(reply->topics, std::back_inserter(answers));
    co_await show_change(request, deadline);
    co_return answers;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<CreateTopicsRequest>(request));
    const auto created = co_await create(request, body);
    CreateTopicsResponse response;
    auto topics =
        request.arena.make_array<CreateTopicsResponse::CreatableTopicResult>(created.size());
    std::ranges::transform(created, topics.begin(),
                           [&](const CreatedTopic& topic) { return result(request, topic); });
    response.topics = topics;
    co_return answer(request, response);
}

}  // namespace

Api api_19() {
    return make_api(protocol::ApiKey::create_topics, &serve);
}

}  // namespace milena::server
