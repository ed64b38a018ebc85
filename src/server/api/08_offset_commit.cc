// SPDX-License-Identifier: Apache-2.0
// OffsetCommit: stores a group's positions in topics that there are. Versions 2 to 10; from 10 on
// topics are named by ids.
#include "milena/protocol/messages/offset_commit.h"

#include "../api.h"
#include "../groups/asking.h"
#include "../groups/group_topics.h"

namespace milena::server {
namespace {

using coordinator::CommitReply;
using coordinator::CommitRequest;
using protocol::OffsetCommitRequest;
using protocol::OffsetCommitResponse;

constexpr std::int16_t kLastVersionWithRetention = 4;
constexpr std::int16_t kFirstVersionWithGroupIdNotFound = 9;
constexpr std::int16_t kFirstVersionWithEpochs = 9;

class Committing {
public:
    Committing(Request& request, const OffsetCommitRequest& body)
        : request_(request), body_(body) {}

    env::Task<void> run() {
        if (!may_group(request_, security::Operation::read, body_.group_id)) {
            for (const auto& topic : body_.topics)
                refuse(topic, ErrorCode::group_authorization_failed);
            co_return;
        }
        for (const auto& topic : body_.topics) look_up(topic);
        if (wanted_.topics.empty()) co_return;
        const CommitRequest asked = wanted_;
        add_answers(asked, co_await ask_coordinator_for<CommitReply>(request_, body_.group_id,
                                                                     std::move(wanted_)));
    }

    OffsetCommitResponse response() const {
        auto topics = request_.arena.make_array<OffsetCommitResponse::OffsetCommitResponseTopic>(
            codes_.topics().size());
        for (std::size_t i = 0; i < topics.size(); ++i) {
            const auto& told = codes_.topics()[i];
            auto parts =
                request_.arena.make_array<OffsetCommitResponse::OffsetCommitResponsePartition>(
                    told.partitions.size());
            for (std::size_t j = 0; j < parts.size(); ++j) {
                parts[j].partition_index = told.partitions[j].partition;
                parts[j].error_code = static_cast<std::int16_t>(told.partitions[j].code);
            }
            topics[i].name = told.name;
            topics[i].topic_id = told.id;
            topics[i].partitions = parts;
        }
        OffsetCommitResponse out;
        out.topics = topics;
        return out;
    }

private:
    using Topic = OffsetCommitRequest::OffsetCommitRequestTopic;

    void refuse(const Topic& topic, ErrorCode code) {
        for (const auto& part : topic.partitions)
            codes_.add(topic.name, topic.topic_id, {part.partition_index, code});
    }

    void look_up(const Topic& topic) {
        const auto found =
            offsets_use_topic_ids(request_.version())
                ? find_topic(request_, *image_, topic.topic_id, security::Operation::read)
                : find_topic(request_, *image_, topic.name, security::Operation::read);
        if (!found) return refuse(topic, found.error().code);
        CommitRequest::Topic wanted{.name = (*found)->name, .id = (*found)->id, .partitions = {}};
        for (const auto& part : topic.partitions) {
            if (!(*found)->partitions.contains(PartitionIndex(part.partition_index))) {
                codes_.add(topic.name, topic.topic_id,
                           {part.partition_index, ErrorCode::unknown_topic_or_partition});
                continue;
            }
            wanted.partitions.push_back({.partition = PartitionIndex(part.partition_index),
                                         .offset = Offset(part.committed_offset),
                                         .leader_epoch = LeaderEpoch(part.committed_leader_epoch),
                                         .metadata = owned(part.committed_metadata)});
        }
        if (wanted.partitions.empty()) return;
        add_head();
        wanted_.topics.push_back(std::move(wanted));
        asked_topics_.push_back(&topic);
    }

    void add_head() {
        if (!wanted_.topics.empty()) return;
        wanted_.group = body_.group_id;
        wanted_.generation_or_epoch = body_.generation_id_or_member_epoch;
        wanted_.may_say_epoch = request_.version() >= kFirstVersionWithEpochs;
        wanted_.member_id = body_.member_id;
        wanted_.instance_id = owned(body_.group_instance_id);
        if (request_.version() <= kLastVersionWithRetention)
            wanted_.retention_ms = body_.retention_time_ms;
    }

    /// Clients before version 9 do not expect a group not to be there.
    ErrorCode known_to_client(ErrorCode code) const {
        const bool is_unknown = code == ErrorCode::group_id_not_found &&
                                request_.version() < kFirstVersionWithGroupIdNotFound;
        return is_unknown ? ErrorCode::illegal_generation : code;
    }

    void add_answers(const CommitRequest& asked, const Result<CommitReply>& reply) {
        const ErrorCode all = reply ? reply->code : reply.error().code;
        for (std::size_t i = 0; i < asked.topics.size(); ++i) {
            const Topic& topic = *asked_topics_[i];
            const auto& parts = asked.topics[i].partitions;
            for (std::size_t j = 0; j < parts.size(); ++j) {
                const ErrorCode code = all == ErrorCode::none ? reply->topics[i][j] : all;
                codes_.add(topic.name, topic.topic_id,
                           {parts[j].partition.value, known_to_client(code)});
            }
        }
    }

    Request& request_;
    const OffsetCommitRequest& body_;
    std::shared_ptr<const metadata::Image> image_ = request_.broker().image.load();
    CommitRequest wanted_;
    std::vector<const Topic*> asked_topics_;  ///< of those in wanted_
    CodesByTopic codes_;
};

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<OffsetCommitRequest>(request));
    Committing committing(request, body);
    co_await committing.run();
    const auto response = committing.response();
    co_return answer(request, response);
}

}  // namespace

Api api_08() {
    return make_api(protocol::ApiKey::offset_commit, &serve);
}

}  // namespace milena::server
