// SPDX-License-Identifier: Apache-2.0
// DeleteTopics: by name or by id; asks the controller, and answers when the topics are gone here.
#include "milena/protocol/messages/delete_topics.h"

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using controller::DeletedTopic;
using controller::TopicToDelete;
using protocol::DeleteTopicsRequest;
using protocol::DeleteTopicsResponse;
using security::Operation;
using DeletableTopic = DeleteTopicsResponse::DeletableTopicResult;

constexpr std::int16_t kFirstVersionWithIds = 6;
constexpr std::int16_t kFirstVersionWithDeletionDisabled = 3;

/// Names come in another field before there were ids.
std::vector<DeleteTopicsRequest::DeleteTopicState> asked_topics(const Request& request,
                                                                const DeleteTopicsRequest& body) {
    std::vector<DeleteTopicsRequest::DeleteTopicState> asked;
    if (request.version() >= kFirstVersionWithIds) {
        asked.assign(body.topics.begin(), body.topics.end());
    } else {
        for (const std::string_view name : body.topic_names) asked.push_back({.name = name});
    }
    return asked;
}

class Answers {
public:
    explicit Answers(Request& request) : request_(request) {}

    void add(protocol::NullableString name, Uuid id, ErrorCode code, std::string_view why) {
        if (code == ErrorCode::topic_deletion_disabled &&
            request_.version() < kFirstVersionWithDeletionDisabled) {
            code = ErrorCode::invalid_request;
        }
        DeletableTopic out;
        out.name = name;
        if (name) out.name = request_.arena.copy(*name);
        out.topic_id = id;
        out.error_code = static_cast<std::int16_t>(code);
        if (!why.empty()) out.error_message = request_.arena.copy(error_text(why));
        all_.push_back(out);
    }

    void add(const DeletedTopic& topic) {
        const bool was_asked_by_id = topic.name.empty() && !topic.id.is_zero();
        add(was_asked_by_id ? protocol::NullableString() : topic.name, topic.id, topic.code,
            topic.why);
    }

    Result<void> answer_all() {
        DeleteTopicsResponse response;
        response.responses = all_;
        return answer(request_, response);
    }

private:
    Request& request_;
    std::vector<DeletableTopic> all_;
};

bool may(const Request& request, Operation operation, std::string_view topic) {
    return request.session.may(operation, security::ResourceType::topic, topic);
}

void deny(Answers& answers, protocol::NullableString name, Uuid id) {
    answers.add(name, id, ErrorCode::topic_authorization_failed, "Topic authorization failed.");
}

/// What goes to the controller; the rest is answered here.
std::vector<TopicToDelete> allowed_part(
    const Request& request, std::span<const DeleteTopicsRequest::DeleteTopicState> asked,
    Answers& answers) {
    const auto image = request.broker().image.load();
    std::vector<TopicToDelete> allowed;
    for (const auto& topic : asked) {
        const bool has_id = !topic.topic_id.is_zero();
        if (topic.name.has_value() == has_id) {
            answers.add(topic.name, topic.topic_id, ErrorCode::invalid_request,
                        has_id ? "You may not specify both topic name and topic id."
                               : "Neither topic name nor id were specified.");
            continue;
        }
        const auto known = has_id ? image->topics->find(topic.topic_id) : nullptr;
        const std::string_view name = known ? known->name : topic.name.value_or("");
        if ((has_id && !known) || may(request, Operation::remove, name)) {
            allowed.push_back({std::string(topic.name.value_or("")), topic.topic_id});
        } else if (has_id && !may(request, Operation::describe, name)) {
            deny(answers, std::nullopt, topic.topic_id);
        } else {
            deny(answers, name, topic.topic_id);
        }
    }
    return allowed;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<DeleteTopicsRequest>(request));
    const auto asked = asked_topics(request, body);
    Answers answers(request);
    auto wanted = allowed_part(request, asked, answers);
    if (wanted.empty()) co_return answers.answer_all();
    const env::Instant deadline = request.deadline(body.timeout_ms);
    const auto deleted = co_await ask_controller(request, [&](controller::Gateway& controller) {
        return controller.delete_topics(std::move(wanted), deadline);
    });
    if (!deleted) {
        Answers failed(request);
        for (const auto& topic : asked)
            failed.add(topic.name, topic.topic_id, deleted.error().code, {});
        co_return failed.answer_all();
    }
    co_await show_change(request, deadline);
    for (const DeletedTopic& topic : *deleted) answers.add(topic);
    co_return answers.answer_all();
}

}  // namespace

Api api_20() {
    return make_api(protocol::ApiKey::delete_topics, &serve);
}

}  // namespace milena::server
