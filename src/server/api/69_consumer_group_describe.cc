// SPDX-License-Identifier: Apache-2.0
// ConsumerGroupDescribe: epochs, members and assignments of consumer groups (KIP-848). Versions 0
// and 1; from 1 on members say which protocol they speak.
#include "milena/protocol/messages/consumer_group_describe.h"

#include "../api.h"
#include "../groups/asking.h"
#include "../groups/consumer_protocol.h"
#include "../groups/facts.h"
#include "../image/describing.h"
#include "../topics.h"

namespace milena::server {
namespace {

using coordinator::DescribeConsumerGroupReply;
using protocol::ConsumerGroupDescribeRequest;
using protocol::ConsumerGroupDescribeResponse;
using DescribedGroup = ConsumerGroupDescribeResponse::DescribedGroup;

constexpr std::int8_t kClassicMember = 0;
constexpr std::int8_t kConsumerMember = 1;

class Describing {
public:
    Describing(Request& request, const DescribeConsumerGroupReply& reply, DescribedGroup& out)
        : request_(request), reply_(reply), out_(out) {}

    void run(bool with_operations) {
        if (!may_see_topics()) {
            out_.error_code = static_cast<std::int16_t>(ErrorCode::topic_authorization_failed);
            out_.error_message =
                "The described group uses topics that the client is not authorized to describe.";
            return;
        }
        out_.group_state = request_.arena.copy(reply_.state);
        out_.group_epoch = reply_.group_epoch;
        out_.assignment_epoch = reply_.assignment_epoch;
        out_.assignor_name = request_.arena.copy(reply_.assignor);
        auto members =
            request_.arena.make_array<ConsumerGroupDescribeResponse::Member>(reply_.members.size());
        for (std::size_t i = 0; i < members.size(); ++i) fill(reply_.members[i], members[i]);
        out_.members = members;
        if (reply_.facts) {
            out_.milena_facts =
                facts_blob(request_.arena, *reply_.facts,
                           [this](std::string_view topic) { return may_see(topic); });
        }
        if (with_operations) out_.authorized_operations = group_operations(request_, out_.group_id);
    }

private:
    using Told = DescribeConsumerGroupReply::Member;

    bool may_see(std::string_view topic) const {
        return request_.session.may(security::Operation::describe, security::ResourceType::topic,
                                    topic);
    }
    bool may_see_topics() const {
        return std::ranges::all_of(reply_.members, [&](const Told& member) {
            return std::ranges::all_of(member.topics,
                                       [&](const std::string& topic) { return may_see(topic); });
        });
    }

    protocol::NullableString copied(const std::optional<std::string>& text) {
        return text ? protocol::NullableString(request_.arena.copy(*text))
                    : protocol::NullableString();
    }

    void fill(const Told& told, ConsumerGroupDescribeResponse::Member& out) {
        out.member_id = request_.arena.copy(told.member_id);
        out.instance_id = copied(told.instance_id);
        out.rack_id = copied(told.rack_id);
        out.member_epoch = told.member_epoch;
        out.client_id = request_.arena.copy(told.client_id);
        out.client_host = request_.arena.copy(told.client_host);
        auto topics = request_.arena.make_array<std::string_view>(told.topics.size());
        for (std::size_t i = 0; i < topics.size(); ++i)
            topics[i] = request_.arena.copy(told.topics[i]);
        out.subscribed_topic_names = topics;
        out.subscribed_topic_regex = request_.arena.copy(told.regex);
        out.assignment.topic_partitions = with_names(told.assignment);
        out.target_assignment.topic_partitions = with_names(told.target);
        out.member_type = told.is_classic ? kClassicMember : kConsumerMember;
    }

    /// Topics that are gone are left out.
    std::span<ConsumerGroupDescribeResponse::TopicPartitions> with_names(
        const std::vector<coordinator::TopicPartitions>& partitions) {
        auto topics = request_.arena.make_array<ConsumerGroupDescribeResponse::TopicPartitions>(
            partitions.size());
        std::size_t count = 0;
        for (const auto& one : partitions) {
            const auto topic = image_->topics->find(one.topic);
            if (topic == nullptr) continue;
            auto& out = topics[count++];
            out.topic_id = one.topic;
            out.topic_name = request_.arena.copy(topic->name);
            out.partitions = indexes_of(request_, one);
        }
        return topics.first(count);
    }

    Request& request_;
    const DescribeConsumerGroupReply& reply_;
    DescribedGroup& out_;
    std::shared_ptr<const metadata::Image> image_ = request_.broker().image.load();
};

env::Task<void> ask(Request& request, const ConsumerGroupDescribeRequest& body,
                    AnswerBudget& budget, DescribedGroup& out) {
    if (budget.is_spent()) {
        out.error_code = static_cast<std::int16_t>(ErrorCode::policy_violation);
        co_return;
    }
    const auto reply = co_await ask_coordinator_for<DescribeConsumerGroupReply>(
        request, out.group_id,
        coordinator::DescribeConsumerGroupRequest{std::string(out.group_id),
                                                  body.include_milena_facts});
    const ErrorCode code = reply ? reply->code : reply.error().code;
    if (code == ErrorCode::none) {
        budget.spend(bytes_of(*reply));
        Describing(request, *reply, out).run(body.include_authorized_operations);
        co_return;
    }
    out.error_code = static_cast<std::int16_t>(code);
    if (reply && !reply->why.empty())
        out.error_message = request.arena.copy(error_text(reply->why));
}

/// Why the group is not even asked for.
ErrorCode refusal(const Request& request, std::string_view group) {
    if (!serves_consumer_protocol(request)) return ErrorCode::unsupported_version;
    if (!may_group(request, security::Operation::describe, group))
        return ErrorCode::group_authorization_failed;
    return group.empty() ? ErrorCode::invalid_group_id : ErrorCode::none;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<ConsumerGroupDescribeRequest>(request));
    const auto names = each_once(body.group_ids);
    auto groups = request.arena.make_array<DescribedGroup>(names.size());
    AnswerBudget budget;
    std::size_t refused = 0;
    for (const std::string_view group : names) {
        const ErrorCode code = refusal(request, group);
        if (code == ErrorCode::none) continue;
        groups[refused].group_id = group;
        groups[refused++].error_code = static_cast<std::int16_t>(code);
    }
    auto next = groups.begin() + static_cast<std::ptrdiff_t>(refused);
    for (const std::string_view group : names) {
        if (refusal(request, group) != ErrorCode::none) continue;
        next->group_id = group;
        co_await ask(request, body, budget, *next++);
    }
    ConsumerGroupDescribeResponse response;
    response.groups = groups;
    co_return answer(request, response);
}

}  // namespace

Api api_69() {
    return make_api(protocol::ApiKey::consumer_group_describe, &serve);
}

}  // namespace milena::server
