// SPDX-License-Identifier: Apache-2.0
// ListOffsets, split by leader, and again for those whose leader has moved.
#include "cluster/offsets.h"

#include <fmt/format.h>

#include "milena/protocol/messages/list_offsets.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

using protocol::ListOffsetsRequest;
using protocol::ListOffsetsResponse;

constexpr env::Duration kPatience = std::chrono::seconds(60);
constexpr env::Duration kPause = std::chrono::milliseconds(100);
/// First versions that know the special times: each is UNSUPPORTED_VERSION before.
constexpr std::int16_t kMaxTimestampVersion = 7;
constexpr std::int16_t kEarliestLocalVersion = 8;
constexpr std::int16_t kLatestTieredVersion = 9;
constexpr std::int16_t kEarliestPendingVersion = 11;

std::int16_t version_for(std::int64_t timestamp) {
    switch (timestamp) {
        case kMaxTimestamp: return kMaxTimestampVersion;
        case kEarliestLocal: return kEarliestLocalVersion;
        case kLatestTiered: return kLatestTieredVersion;
        case kEarliestPendingUpload: return kEarliestPendingVersion;
        default: return 0;
    }
}

std::vector<std::string> topics_of(const std::vector<TopicPartition>& partitions) {
    std::vector<std::string> topics;
    for (const TopicPartition& one : partitions) {
        if (topics.empty() || topics.back() != one.topic) topics.push_back(one.topic);
    }
    return topics;
}

/// A request for partitions that are sorted by topic, with what it views.
struct LeaderRequest {
    ListOffsetsRequest request;
    std::vector<ListOffsetsRequest::ListOffsetsTopic> topics;
    std::vector<std::vector<ListOffsetsRequest::ListOffsetsPartition>> partitions;

    LeaderRequest(const std::vector<TopicPartition>& wanted, std::int64_t timestamp) {
        for (const TopicPartition& one : wanted) {
            if (topics.empty() || topics.back().name != one.topic) {
                topics.emplace_back().name = one.topic;
                partitions.emplace_back();
            }
            auto& partition = partitions.back().emplace_back();
            partition.partition_index = one.partition;
            partition.timestamp = timestamp;
        }
        for (std::size_t i = 0; i < topics.size(); ++i) topics[i].partitions = partitions[i];
        request.replica_id = -1;
        request.topics = topics;
    }
};

/// Takes the answers of one leader; gives back the partitions that have to be asked again.
std::vector<TopicPartition> take(const ListOffsetsResponse& answer, OffsetAnswers& offsets) {
    std::vector<TopicPartition> again;
    for (const auto& topic : answer.topics) {
        for (const auto& partition : topic.partitions) {
            TopicPartition one{std::string(topic.name), partition.partition_index};
            const auto code = static_cast<ErrorCode>(partition.error_code);
            if (code == ErrorCode::none) {
                offsets.insert_or_assign(std::move(one), partition.offset);
            } else if (is_retriable(code)) {
                again.push_back(std::move(one));
            } else {
                offsets.insert_or_assign(std::move(one),
                                         std::unexpected(answered_error(partition.error_code, "")));
            }
        }
    }
    return again;
}

env::Task<Result<wire::Answer<ListOffsetsResponse>>> ask_leader(Session& session, BrokerId leader,
                                                                const ListOffsetsRequest& request,
                                                                std::int64_t timestamp) {
    const auto target = wire::Target::broker(leader);
    CO_TRY(const auto version,
           co_await session.client().version_of(target, protocol::ApiKey::list_offsets));
    if (version.value_or(0) < version_for(timestamp)) {
        co_return fail(ErrorCode::unsupported_version,
                       "The broker does not know this kind of offset");
    }
    co_return co_await session.client().call<ListOffsetsResponse>(target, request);
}

}  // namespace

bool is_out_of_reach(ErrorCode code) {
    return code == ErrorCode::network_exception || code == ErrorCode::broker_not_available ||
           code == ErrorCode::request_timed_out;
}

std::string TopicPartition::text() const {
    return fmt::format("{}-{}", topic, partition);
}

env::Task<Result<std::map<BrokerId, std::vector<TopicPartition>>>> by_leader(
    Session& session, const std::vector<TopicPartition>& partitions) {
    const auto topics = topics_of(partitions);
    const env::Instant give_up = session.env().clock().now() + kPatience;
    for (;;) {
        CO_TRY(const auto metadata, co_await session.client().refresh(&topics));
        for (const auto& topic : metadata->topics) {
            const auto code = static_cast<ErrorCode>(topic.error_code);
            if (code != ErrorCode::none && code != ErrorCode::leader_not_available)
                co_return std::unexpected(answered_error(topic.error_code, ""));
        }
        std::map<BrokerId, std::vector<TopicPartition>> groups;
        std::optional<TopicPartition> without;
        for (const TopicPartition& one : partitions) {
            const auto leader =
                session.client().leader_of(one.topic, PartitionIndex(one.partition));
            if (leader) {
                groups[*leader].push_back(one);
            } else {
                without = one;
            }
        }
        if (!without) co_return groups;
        if (session.env().clock().now() >= give_up) {
            co_return fail(ErrorCode::leader_not_available,
                           fmt::format("{} has no leader", without->text()));
        }
        co_await session.env().sleep(session.executor(), kPause);
    }
}

env::Task<Result<OffsetAnswers>> list_offsets(Session& session,
                                              std::vector<TopicPartition> partitions,
                                              std::int64_t timestamp) {
    OffsetAnswers offsets;
    const env::Instant give_up = session.env().clock().now() + kPatience;
    while (!partitions.empty()) {
        CO_TRY(const auto groups, co_await by_leader(session, partitions));
        partitions.clear();
        for (const auto& [leader, wanted] : groups) {
            const LeaderRequest asked(wanted, timestamp);
            const auto answer = co_await ask_leader(session, leader, asked.request, timestamp);
            if (!answer && !is_out_of_reach(answer.error().code))
                co_return std::unexpected(answer.error());
            auto again = answer ? take(**answer, offsets) : wanted;
            for (auto& one : again) partitions.push_back(std::move(one));
        }
        if (partitions.empty()) break;
        if (session.env().clock().now() >= give_up)
            co_return fail(ErrorCode::request_timed_out, "the leaders did not settle in time");
        co_await session.env().sleep(session.executor(), kPause);
    }
    co_return offsets;
}

}  // namespace milena::cli
