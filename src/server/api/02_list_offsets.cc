// SPDX-License-Identifier: Apache-2.0
// ListOffsets: the offset of a time, or one of the special offsets, of each partition.
#include "milena/protocol/messages/list_offsets.h"

#include <algorithm>
#include <map>
#include <vector>

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using protocol::ListOffsetsRequest;
using protocol::ListOffsetsResponse;
using replication::OffsetAnswer;
using replication::OffsetSpec;

constexpr std::int16_t kFirstVersionWithLeaderEpoch = 4;

/// The lowest version that knows a special offset; no version knows other negative numbers.
std::int16_t first_version_of(std::int64_t timestamp_or_spec) {
    if (timestamp_or_spec >= 0) return 0;
    switch (static_cast<OffsetSpec>(timestamp_or_spec)) {
        case OffsetSpec::latest:
        case OffsetSpec::earliest: return 0;
        case OffsetSpec::max_timestamp: return 7;
        case OffsetSpec::earliest_local: return 8;
        case OffsetSpec::latest_tiered: return 9;
        case OffsetSpec::earliest_pending_upload: return 11;
    }
    return INT16_MAX;
}

/// Partitions that the request names more than once, also under two entries of their topic: each
/// is answered once, with INVALID_REQUEST.
class Repeated {
public:
    explicit Repeated(const ListOffsetsRequest& body) {
        std::vector<Name> all;
        for (const auto& topic : body.topics) {
            for (const auto& part : topic.partitions)
                all.emplace_back(topic.name, part.partition_index);
        }
        std::ranges::sort(all);
        for (auto at = all.begin();
             (at = std::ranges::adjacent_find(at, all.end())) != all.end();) {
            told_.emplace(*at, false);
            at = std::ranges::find_if(at, all.end(), [&](const Name& n) { return n != *at; });
        }
    }

    bool has(std::string_view topic, std::int32_t partition) const {
        return !told_.empty() && told_.contains({topic, partition});
    }
    /// True if its answer was given before; from now on it was.
    bool tell(std::string_view topic, std::int32_t partition) {
        return std::exchange(told_.at({topic, partition}), true);
    }

private:
    using Name = std::pair<std::string_view, std::int32_t>;
    std::map<Name, bool> told_;
};

constexpr std::int8_t kReadCommitted = 1;

bool is_valid(const ListOffsetsRequest& body) {
    return body.isolation_level == 0 || body.isolation_level == kReadCommitted;
}

/// Versions below 5 do not know OFFSET_NOT_AVAILABLE (KIP-207).
ErrorCode code_for(std::int16_t version, ErrorCode code) {
    constexpr std::int16_t kFirstVersionWithOffsetNotAvailable = 5;
    if (code == ErrorCode::offset_not_available && version < kFirstVersionWithOffsetNotAvailable) {
        return ErrorCode::leader_not_available;
    }
    return code;
}

OffsetAnswer find(const Request& request, const ListOffsetsRequest& body, const TopicLookup& topic,
                  const ListOffsetsRequest::ListOffsetsPartition& asked) {
    OffsetAnswer out;
    if (request.version() < first_version_of(asked.timestamp)) {
        out.code = ErrorCode::unsupported_version;
        return out;
    }
    const auto replica = find_replica(request, topic, asked.partition_index);
    if (!replica) {
        out.code = replica.error().code;
        return out;
    }
    if (!is_valid(body)) {
        out.code = ErrorCode::invalid_request;
        return out;
    }
    return (*replica)->find_offset({.timestamp_or_spec = asked.timestamp,
                                    .current_leader_epoch = LeaderEpoch(asked.current_leader_epoch),
                                    .replica = BrokerId(body.replica_id),
                                    .read_committed = body.isolation_level == kReadCommitted});
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<ListOffsetsRequest>(request));
    const auto image = request.broker().image.load();
    ListOffsetsResponse response;
    Repeated repeated(body);
    auto topics =
        request.arena.make_array<ListOffsetsResponse::ListOffsetsTopicResponse>(body.topics.size());
    std::size_t topic_count = 0;
    for (const auto& asked : body.topics) {
        const auto topic = find_topic(request, *image, asked.name, security::Operation::describe);
        auto parts = request.arena.make_array<ListOffsetsResponse::ListOffsetsPartitionResponse>(
            asked.partitions.size());
        std::size_t count = 0;
        for (const auto& part : asked.partitions) {
            OffsetAnswer found;
            if (!repeated.has(asked.name, part.partition_index)) {
                found = find(request, body, topic, part);
            } else if (repeated.tell(asked.name, part.partition_index)) {
                continue;
            } else {
                found.code = ErrorCode::invalid_request;
            }
            auto& out = parts[count++];
            out.partition_index = part.partition_index;
            out.error_code = static_cast<std::int16_t>(code_for(request.version(), found.code));
            out.timestamp = found.timestamp.value;
            out.offset = found.offset.value;
            if (request.version() >= kFirstVersionWithLeaderEpoch)
                out.leader_epoch = found.leader_epoch.value;
        }
        if (count == 0 && !asked.partitions.empty())
            continue;  // all were told with an earlier entry
        auto& told = topics[topic_count++];
        told.name = asked.name;
        told.partitions = parts.first(count);
    }
    response.topics = topics.first(topic_count);
    co_return answer(request, response);
}

}  // namespace

Api api_02() {
    return make_api(protocol::ApiKey::list_offsets, &serve);
}

}  // namespace milena::server
