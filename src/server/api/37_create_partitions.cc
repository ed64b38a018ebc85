// SPDX-License-Identifier: Apache-2.0
// CreatePartitions: asks the controller, and answers when the partitions can be used here.
#include "milena/protocol/messages/create_partitions.h"

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using controller::GrownTopic;
using controller::NewPartitions;
using protocol::CreatePartitionsRequest;
using protocol::CreatePartitionsResponse;

NewPartitions new_partitions(const CreatePartitionsRequest::CreatePartitionsTopic& asked) {
    NewPartitions out{.topic = std::string(asked.name), .count = asked.count};
    if (!asked.assignments.has_value()) return out;
    auto& assignments = out.assignments.emplace();
    for (const auto& assignment : asked.assignments) {
        auto& replicas = assignments.emplace_back();
        for (const std::int32_t id : assignment.broker_ids) replicas.emplace_back(id);
    }
    return out;
}

/// The request for the controller; what the client may not do is answered here, into `answers`.
controller::CreatePartitionsRequest allowed_part(const Request& request,
                                                 const CreatePartitionsRequest& body,
                                                 std::vector<GrownTopic>& answers) {
    controller::CreatePartitionsRequest out{.topics = {}, .validate_only = body.validate_only};
    for (const auto& asked : body.topics) {
        if (request.session.may(security::Operation::alter, security::ResourceType::topic,
                                asked.name)) {
            out.topics.push_back(new_partitions(asked));
        } else {
            answers.push_back({std::string(asked.name), ErrorCode::topic_authorization_failed,
                               "Topic authorization failed."});
        }
    }
    return out;
}

env::Task<std::vector<GrownTopic>> create(Request& request, const CreatePartitionsRequest& body) {
    std::vector<GrownTopic> answers;
    auto wanted = allowed_part(request, body, answers);
    if (wanted.topics.empty()) co_return answers;
    const env::Instant deadline = request.deadline(body.timeout_ms);
    auto grown = co_await ask_controller(request, [&](controller::Gateway& controller) {
        return controller.create_partitions(std::move(wanted), deadline);
    });
    if (!grown) {
        answers.clear();
        for (const auto& asked : body.topics)
            answers.push_back({std::string(asked.name), grown.error().code});
        co_return answers;
    }
    std::ranges::move(*grown, std::back_inserter(answers));
    co_await show_change(request, deadline);
    co_return answers;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<CreatePartitionsRequest>(request));
    const auto grown = co_await create(request, body);
    auto results = request.arena.make_array<CreatePartitionsResponse::CreatePartitionsTopicResult>(
        grown.size());
    for (std::size_t i = 0; i < results.size(); ++i) {
        results[i].name = grown[i].name;
        results[i].error_code = static_cast<std::int16_t>(grown[i].code);
        if (!grown[i].why.empty()) results[i].error_message = error_text(grown[i].why);
    }
    CreatePartitionsResponse response;
    response.results = results;
    co_return answer(request, response);
}

}  // namespace

Api api_37() {
    return make_api(protocol::ApiKey::create_partitions, &serve);
}

}  // namespace milena::server
