// SPDX-License-Identifier: Apache-2.0
// DeleteRecords: raises the log start of partitions, and answers when every living replica has it.
// Versions 0 to 2. Followers tell their log start with their fetches, so the wait looks now and
// then.
#include "milena/protocol/messages/delete_records.h"

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using protocol::DeleteRecordsRequest;
using protocol::DeleteRecordsResponse;
using replication::DeleteAnswer;

constexpr env::Duration kLookAgain = std::chrono::milliseconds(10);

/// One partition of the request as it comes together.
struct Deletion {
    std::shared_ptr<replication::Partition> partition;
    DeleteAnswer answer;

    bool waits() const {
        return answer.code == ErrorCode::none && answer.low_watermark < answer.requested;
    }
};

class Deleting {
public:
    Deleting(Request& request, const DeleteRecordsRequest& body) : request_(request), body_(body) {}

    void begin() {
        const auto image = request_.broker().image.load();
        for (const auto& topic : body_.topics) {
            const auto found =
                find_topic(request_, *image, topic.name, security::Operation::remove);
            for (const auto& part : topic.partitions)
                deletions_.push_back(one(found, topic.name, part));
        }
    }

    env::Task<void> wait(env::Instant deadline) {
        const env::Clock& clock = request_.broker().env.clock();
        while (std::ranges::any_of(deletions_, &Deletion::waits) && clock.now() < deadline &&
               !request_.connection.is_closed()) {
            co_await request_.broker().env.sleep(request_.connection.owner(), kLookAgain);
            for (Deletion& deletion : deletions_) {
                if (deletion.waits()) look_again(deletion);
            }
        }
        for (Deletion& deletion : deletions_) {
            if (deletion.waits()) deletion.answer.code = ErrorCode::request_timed_out;
        }
    }

    DeleteRecordsResponse response() const {
        DeleteRecordsResponse out;
        auto topics = request_.arena.make_array<DeleteRecordsResponse::DeleteRecordsTopicResult>(
            body_.topics.size());
        auto done = deletions_.begin();
        for (std::size_t i = 0; i < topics.size(); ++i) {
            const auto& asked = body_.topics[i].partitions;
            auto parts =
                request_.arena.make_array<DeleteRecordsResponse::DeleteRecordsPartitionResult>(
                    asked.size());
            for (std::size_t j = 0; j < parts.size(); ++j, ++done) {
                parts[j].partition_index = asked[j].partition_index;
                parts[j].low_watermark = done->answer.low_watermark.value;
                parts[j].error_code = static_cast<std::int16_t>(done->answer.code);
            }
            topics[i].name = body_.topics[i].name;
            topics[i].partitions = parts;
        }
        out.topics = topics;
        return out;
    }

private:
    bool counts(BrokerId follower) const {
        return request_.broker().image.load()->cluster->is_active(follower);
    }

    Deletion one(const TopicLookup& topic, std::string_view name,
                 const DeleteRecordsRequest::DeleteRecordsPartition& asked) {
        Deletion deletion;
        if (topic && is_internal_topic(name)) {
            deletion.answer.code = ErrorCode::invalid_topic_exception;
            return deletion;
        }
        const auto replica = find_replica(request_, topic, asked.partition_index);
        if (!replica) {
            deletion.answer.code = replica.error().code;
            return deletion;
        }
        deletion.partition = *replica;
        deletion.answer = deletion.partition->delete_records(
            Offset(asked.offset), [this](BrokerId follower) { return counts(follower); });
        return deletion;
    }

    void look_again(Deletion& deletion) const {
        const Offset requested = deletion.answer.requested;
        deletion.answer = deletion.partition->low_watermark(
            [this](BrokerId follower) { return counts(follower); });
        deletion.answer.requested = requested;
    }

    Request& request_;
    const DeleteRecordsRequest& body_;
    std::vector<Deletion> deletions_;
};

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<DeleteRecordsRequest>(request));
    Deleting deleting(request, body);
    deleting.begin();
    co_await deleting.wait(request.deadline(body.timeout_ms));
    const auto response = deleting.response();
    co_return answer(request, response);
}

}  // namespace

Api api_21() {
    return make_api(protocol::ApiKey::delete_records, &serve);
}

}  // namespace milena::server
