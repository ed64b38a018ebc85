// SPDX-License-Identifier: Apache-2.0
// OffsetFetch: what groups have committed. Versions 1 to 10: of one group, from 8 on of several;
// from 10 on topics are named by ids.
#include "milena/protocol/messages/offset_fetch.h"

#include "../api.h"
#include "../groups/asking.h"
#include "../groups/group_topics.h"

namespace milena::server {
namespace {

using coordinator::CommittedOffset;
using coordinator::FetchOffsetsReply;
using coordinator::FetchOffsetsRequest;
using protocol::OffsetFetchRequest;
using protocol::OffsetFetchResponse;
using security::Operation;

constexpr std::int16_t kFirstVersionWithGroups = 8;
constexpr std::int16_t kFirstVersionWithGroupCode = 2;

/// What one group is asked for, and what is answered, with the answers of topics that it is not
/// asked about.
class OneGroup {
public:
    OneGroup(Request& request, FetchOffsetsRequest wanted)
        : request_(request), wanted_(std::move(wanted)) {}

    env::Task<void> run(AnswerBudget& budget) {
        if (budget.is_spent()) {
            fail_all(ErrorCode::policy_violation);
            co_return;
        }
        if (!may_group(request_, Operation::describe, wanted_.group)) {
            fail_all(ErrorCode::group_authorization_failed);
            co_return;
        }
        const bool asks_for_all = !wanted_.topics.has_value();
        if (!asks_for_all) look_up();
        auto reply =
            co_await ask_coordinator_for<FetchOffsetsReply>(request_, wanted_.group, wanted_);
        const ErrorCode code = reply ? reply->code : reply.error().code;
        if (code != ErrorCode::none) {
            fail_all(code);
            co_return;
        }
        reply_ = *std::move(reply);
        if (asks_for_all) keep_visible();
        std::ranges::move(refused_, std::back_inserter(reply_.topics));
        budget.spend(bytes_of(reply_));
    }

    const std::string& group() const { return wanted_.group; }
    const FetchOffsetsReply& reply() const { return reply_; }

private:
    bool uses_ids() const { return offsets_use_topic_ids(request_.version()); }

    static FetchOffsetsReply::Topic refused(const FetchOffsetsRequest::Topic& topic,
                                            ErrorCode code) {
        FetchOffsetsReply::Topic out{.name = topic.name, .id = topic.id, .partitions = {}};
        for (const PartitionIndex partition : topic.partitions) {
            auto& part = out.partitions.emplace_back();
            part.partition = partition;
            part.code = code;
        }
        return out;
    }

    /// Version 1 has no code for the whole.
    void fail_all(ErrorCode code) {
        reply_.code = code;
        if (request_.version() >= kFirstVersionWithGroupCode || !wanted_.topics) return;
        for (const auto& topic : *wanted_.topics) reply_.topics.push_back(refused(topic, code));
    }

    /// Takes out what the client may not see.
    void look_up() {
        std::vector<FetchOffsetsRequest::Topic> allowed;
        for (auto& topic : *wanted_.topics) {
            ErrorCode code = ErrorCode::none;
            if (uses_ids()) {
                const auto found = find_topic(request_, *image_, topic.id, Operation::describe);
                if (found) topic.name = (*found)->name;
                code = found ? ErrorCode::none : found.error().code;
            } else if (!may_see(topic.name)) {
                code = ErrorCode::topic_authorization_failed;
            }
            if (code == ErrorCode::none) {
                allowed.push_back(std::move(topic));
            } else {
                refused_.push_back(refused(topic, code));
            }
        }
        wanted_.topics = std::move(allowed);
    }

    /// Of all that the group has, what the client may know of; by ids, what there still is.
    void keep_visible() {
        std::erase_if(reply_.topics, [&](FetchOffsetsReply::Topic& topic) {
            if (!may_see(topic.name)) return true;
            if (!uses_ids()) return false;
            const auto found = image_->topics->find(topic.name);
            if (found != nullptr) topic.id = found->id;
            return found == nullptr;
        });
    }

    bool may_see(std::string_view topic) const {
        return request_.session.may(Operation::describe, security::ResourceType::topic, topic);
    }

    Request& request_;
    std::shared_ptr<const metadata::Image> image_ = request_.broker().image.load();
    FetchOffsetsRequest wanted_;
    FetchOffsetsReply reply_;
    std::vector<FetchOffsetsReply::Topic> refused_;
};

template <class Topics>
void add_topics(const Topics& topics, FetchOffsetsRequest& out) {
    if (!topics.has_value()) return;
    auto& wanted = out.topics.emplace();
    for (const auto& topic : topics) {
        auto& one = wanted.emplace_back();
        one.name = topic.name;
        if constexpr (requires { topic.topic_id; }) one.id = topic.topic_id;
        for (const std::int32_t index : topic.partition_indexes) one.partitions.emplace_back(index);
    }
}

std::vector<FetchOffsetsRequest> wanted_of(const Request& request, const OffsetFetchRequest& body) {
    std::vector<FetchOffsetsRequest> all;
    if (request.version() < kFirstVersionWithGroups) {
        auto& one = all.emplace_back();
        one.group = body.group_id;
        one.require_stable = body.require_stable;
        add_topics(body.topics, one);
        return all;
    }
    for (const auto& group : body.groups) {
        auto& one = all.emplace_back();
        one.group = group.group_id;
        one.member_id = owned(group.member_id);
        one.member_epoch = group.member_epoch;
        one.require_stable = body.require_stable;
        add_topics(group.topics, one);
    }
    return all;
}

template <class Partition>
std::span<Partition> partitions_of(Request& request, const FetchOffsetsReply::Topic& topic) {
    auto parts = request.arena.make_array<Partition>(topic.partitions.size());
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const CommittedOffset& told = topic.partitions[i];
        parts[i].partition_index = told.partition.value;
        parts[i].committed_offset = told.offset.value;
        parts[i].committed_leader_epoch = told.leader_epoch.value;
        parts[i].metadata = told.metadata;
        parts[i].error_code = static_cast<std::int16_t>(told.code);
    }
    return parts;
}

/// Of versions before 8: its topics.
void fill(Request& request, const FetchOffsetsReply& reply, OffsetFetchResponse& out) {
    auto topics = request.arena.make_array<OffsetFetchResponse::OffsetFetchResponseTopic>(
        reply.topics.size());
    for (std::size_t i = 0; i < topics.size(); ++i) {
        topics[i].name = reply.topics[i].name;
        topics[i].partitions = partitions_of<OffsetFetchResponse::OffsetFetchResponsePartition>(
            request, reply.topics[i]);
    }
    out.topics = topics;
    out.error_code = static_cast<std::int16_t>(reply.code);
}

void fill(Request& request, const OneGroup& group,
          OffsetFetchResponse::OffsetFetchResponseGroup& out) {
    const FetchOffsetsReply& reply = group.reply();
    auto topics = request.arena.make_array<OffsetFetchResponse::OffsetFetchResponseTopics>(
        reply.topics.size());
    for (std::size_t i = 0; i < topics.size(); ++i) {
        topics[i].name = reply.topics[i].name;
        topics[i].topic_id = reply.topics[i].id;
        topics[i].partitions = partitions_of<OffsetFetchResponse::OffsetFetchResponsePartitions>(
            request, reply.topics[i]);
    }
    out.group_id = group.group();
    out.topics = topics;
    out.error_code = static_cast<std::int16_t>(reply.code);
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<OffsetFetchRequest>(request));
    std::vector<std::unique_ptr<OneGroup>> asked;
    AnswerBudget budget;
    for (auto& wanted : wanted_of(request, body)) {
        asked.push_back(std::make_unique<OneGroup>(request, std::move(wanted)));
        co_await asked.back()->run(budget);
    }
    OffsetFetchResponse response;
    if (request.version() < kFirstVersionWithGroups) {
        fill(request, asked.front()->reply(), response);
    } else {
        auto groups =
            request.arena.make_array<OffsetFetchResponse::OffsetFetchResponseGroup>(asked.size());
        for (std::size_t i = 0; i < groups.size(); ++i) fill(request, *asked[i], groups[i]);
        response.groups = groups;
    }
    co_return answer(request, response);
}

}  // namespace

Api api_09() {
    return make_api(protocol::ApiKey::offset_fetch, &serve);
}

}  // namespace milena::server
