// SPDX-License-Identifier: Apache-2.0
// OffsetDelete: forgets a group's positions in topics that none of its members reads.
#include "milena/protocol/messages/offset_delete.h"

#include "../api.h"
#include "../groups/asking.h"
#include "../groups/group_topics.h"

namespace milena::server {
namespace {

using coordinator::DeleteOffsetsReply;
using protocol::OffsetDeleteRequest;
using protocol::OffsetDeleteResponse;

class Deleting {
public:
    Deleting(Request& request, const OffsetDeleteRequest& body) : request_(request), body_(body) {}

    env::Task<void> run() {
        if (!may_group(request_, security::Operation::remove, body_.group_id)) {
            code_ = ErrorCode::group_authorization_failed;
            co_return;
        }
        wanted_.group = body_.group_id;
        for (const auto& topic : body_.topics) look_up(topic);
        const auto asked = wanted_;
        const auto reply = co_await ask_coordinator_for<DeleteOffsetsReply>(
            request_, body_.group_id, std::move(wanted_));
        code_ = reply ? reply->code : reply.error().code;
        if (code_ != ErrorCode::none) co_return;
        for (std::size_t i = 0; i < asked.topics.size(); ++i) {
            for (std::size_t j = 0; j < asked.topics[i].partitions.size(); ++j) {
                codes_.add(asked_names_[i], {},
                           {asked.topics[i].partitions[j].value, reply->topics[i][j]});
            }
        }
    }

    OffsetDeleteResponse response() const {
        OffsetDeleteResponse out;
        out.error_code = static_cast<std::int16_t>(code_);
        if (code_ != ErrorCode::none) return out;
        auto topics = request_.arena.make_array<OffsetDeleteResponse::OffsetDeleteResponseTopic>(
            codes_.topics().size());
        for (std::size_t i = 0; i < topics.size(); ++i) {
            const auto& told = codes_.topics()[i];
            auto parts =
                request_.arena.make_array<OffsetDeleteResponse::OffsetDeleteResponsePartition>(
                    told.partitions.size());
            for (std::size_t j = 0; j < parts.size(); ++j) {
                parts[j].partition_index = told.partitions[j].partition;
                parts[j].error_code = static_cast<std::int16_t>(told.partitions[j].code);
            }
            topics[i].name = told.name;
            topics[i].partitions = parts;
        }
        out.topics = topics;
        return out;
    }

private:
    void look_up(const OffsetDeleteRequest::OffsetDeleteRequestTopic& topic) {
        const auto found = find_topic(request_, *image_, topic.name, security::Operation::read);
        coordinator::DeleteOffsetsRequest::Topic wanted{.name = std::string(topic.name),
                                                        .partitions = {}};
        for (const auto& part : topic.partitions) {
            const PartitionIndex index(part.partition_index);
            if (found && (*found)->partitions.contains(index)) {
                wanted.partitions.push_back(index);
                continue;
            }
            codes_.add(topic.name, {},
                       {part.partition_index,
                        found ? ErrorCode::unknown_topic_or_partition : found.error().code});
        }
        if (wanted.partitions.empty()) return;
        wanted_.topics.push_back(std::move(wanted));
        asked_names_.push_back(topic.name);
    }

    Request& request_;
    const OffsetDeleteRequest& body_;
    std::shared_ptr<const metadata::Image> image_ = request_.broker().image.load();
    coordinator::DeleteOffsetsRequest wanted_;
    std::vector<std::string_view> asked_names_;
    CodesByTopic codes_;
    ErrorCode code_ = ErrorCode::none;
};

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<OffsetDeleteRequest>(request));
    Deleting deleting(request, body);
    co_await deleting.run();
    const auto response = deleting.response();
    co_return answer(request, response);
}

}  // namespace

Api api_47() {
    return make_api(protocol::ApiKey::offset_delete, &serve);
}

}  // namespace milena::server
