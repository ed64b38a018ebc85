// SPDX-License-Identifier: Apache-2.0
// OffsetFetch, OffsetCommit, OffsetDelete and DeleteGroups, in versions that name topics.
#include "groups/group_offsets.h"

#include <algorithm>

#include <fmt/format.h>

#include "groups/coordinators.h"
#include "milena/protocol/messages/delete_groups.h"
#include "milena/protocol/messages/offset_commit.h"
#include "milena/protocol/messages/offset_delete.h"
#include "milena/protocol/messages/offset_fetch.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

using protocol::DeleteGroupsRequest;
using protocol::DeleteGroupsResponse;
using protocol::OffsetCommitRequest;
using protocol::OffsetCommitResponse;
using protocol::OffsetDeleteRequest;
using protocol::OffsetDeleteResponse;
using protocol::OffsetFetchRequest;
using protocol::OffsetFetchResponse;

/// The last versions that name topics.
constexpr std::int16_t kFetchVersionMax = 9;
constexpr std::int16_t kCommitVersionMax = 9;
/// The first version that takes more than one group.
constexpr std::int16_t kManyGroupsVersion = 8;

using Again = std::vector<std::string>;

template <class Topics>
Result<Committed> committed_in(const Topics& topics) {
    Committed committed;
    for (const auto& topic : topics) {
        for (const auto& partition : topic.partitions) {
            const TopicPartition one{std::string(topic.name), partition.partition_index};
            if (partition.error_code != 0) {
                const Error error = answered_error(partition.error_code, "");
                return fail(error.code, fmt::format("{}: {}", one.text(), error.why));
            }
            if (partition.committed_offset < 0) continue;
            committed[one] = {partition.committed_offset, partition.committed_leader_epoch};
        }
    }
    return committed;
}

using CommittedByGroup = std::map<std::string, Committed>;

env::Task<Result<Again>> fetch_many(Session& session, BrokerId coordinator, Again groups,
                                    CommittedByGroup& committed) {
    std::vector<OffsetFetchRequest::OffsetFetchRequestGroup> wanted;
    for (const std::string& group : groups) {
        wanted.emplace_back().group_id = group;
        wanted.back().topics = std::nullopt;
    }
    OffsetFetchRequest request;
    request.groups = wanted;
    CO_TRY(const auto answer, co_await session.client().call<OffsetFetchResponse>(
                                  wire::Target::broker(coordinator), request, kFetchVersionMax));
    Again again;
    for (const auto& group : answer->groups) {
        if (is_coordinator_moving(static_cast<ErrorCode>(group.error_code))) {
            again.emplace_back(group.group_id);
            continue;
        }
        if (group.error_code != 0) co_return std::unexpected(answered_error(group.error_code, ""));
        CO_TRY(committed[std::string(group.group_id)], committed_in(group.topics));
    }
    co_return again;
}

env::Task<Result<Again>> fetch_one(Session& session, BrokerId coordinator, std::string group,
                                   CommittedByGroup& committed) {
    OffsetFetchRequest request;
    request.group_id = group;
    request.topics = std::nullopt;
    CO_TRY(const auto answer,
           co_await session.client().call<OffsetFetchResponse>(wire::Target::broker(coordinator),
                                                               request, kManyGroupsVersion - 1));
    if (is_coordinator_moving(static_cast<ErrorCode>(answer->error_code)))
        co_return Again{std::move(group)};
    if (answer->error_code != 0) co_return std::unexpected(answered_error(answer->error_code, ""));
    CO_TRY(committed[group], committed_in(answer->topics));
    co_return Again{};
}

env::Task<Result<Again>> fetch_committed(Session& session, BrokerId coordinator, Again groups,
                                         CommittedByGroup& committed) {
    CO_TRY(const auto version,
           co_await session.client().version_of(wire::Target::broker(coordinator),
                                                protocol::ApiKey::offset_fetch));
    if (version.value_or(0) >= kManyGroupsVersion)
        co_return co_await fetch_many(session, coordinator, std::move(groups), committed);
    Again again;
    for (const std::string& group : groups) {
        CO_TRY(const auto some, co_await fetch_one(session, coordinator, group, committed));
        again.insert(again.end(), some.begin(), some.end());
    }
    co_return again;
}

/// A request of partitions by topic, with what it views.
template <class Request, class Topic, class Part>
struct ByTopic {
    Request request;
    std::vector<Topic> topics;
    std::vector<std::vector<Part>> partitions;

    Part& add(const TopicPartition& one) {
        if (topics.empty() || topics.back().name != one.topic) {
            topics.emplace_back().name = one.topic;
            partitions.emplace_back();
        }
        Part& part = partitions.back().emplace_back();
        part.partition_index = one.partition;
        return part;
    }
    void finish() {
        for (std::size_t i = 0; i < topics.size(); ++i) topics[i].partitions = partitions[i];
        request.topics = topics;
    }
};

using Commit = ByTopic<OffsetCommitRequest, OffsetCommitRequest::OffsetCommitRequestTopic,
                       OffsetCommitRequest::OffsetCommitRequestPartition>;
using Deletion = ByTopic<OffsetDeleteRequest, OffsetDeleteRequest::OffsetDeleteRequestTopic,
                         OffsetDeleteRequest::OffsetDeleteRequestPartition>;

env::Task<Result<Again>> send_deletion(Session& session, BrokerId coordinator, Again groups,
                                       const std::vector<TopicPartition>& wanted,
                                       OffsetDeletion& deletion) {
    Deletion asked;
    asked.request.group_id = groups.front();
    for (const TopicPartition& one : wanted) asked.add(one);
    asked.finish();
    CO_TRY(const auto answer, co_await session.client().call<OffsetDeleteResponse>(
                                  wire::Target::broker(coordinator), asked.request));
    if (is_coordinator_moving(static_cast<ErrorCode>(answer->error_code))) co_return groups;
    if (answer->error_code != 0) deletion.error = answered_error(answer->error_code, "");
    for (const TopicPartition& one : wanted) deletion.partitions[one] = deletion.error;
    for (const auto& topic : answer->topics) {
        for (const auto& partition : topic.partitions) {
            if (partition.error_code == 0) continue;
            const TopicPartition one{std::string(topic.name), partition.partition_index};
            deletion.partitions[one] = answered_error(partition.error_code, "");
        }
    }
    co_return Again{};
}

env::Task<Result<Again>> send_group_deletion(Session& session, BrokerId coordinator, Again groups,
                                             std::map<std::string, std::optional<Error>>& results) {
    const std::vector<std::string_view> names(groups.begin(), groups.end());
    DeleteGroupsRequest request;
    request.groups_names = names;
    CO_TRY(const auto answer, co_await session.client().call<DeleteGroupsResponse>(
                                  wire::Target::broker(coordinator), request));
    Again again;
    for (const auto& result : answer->results) {
        if (is_coordinator_moving(static_cast<ErrorCode>(result.error_code))) {
            again.emplace_back(result.group_id);
            continue;
        }
        auto& error = results[std::string(result.group_id)];
        if (result.error_code != 0)
            error = answered_error(result.error_code, result.error_message.value_or(""));
    }
    co_return again;
}

}  // namespace

env::Task<Result<std::map<std::string, Committed>>> committed_offsets(
    Session& session, std::vector<std::string> groups, env::Instant give_up) {
    CommittedByGroup committed;
    for (const std::string& group : groups) committed[group] = {};
    if (groups.empty()) co_return committed;
    CO_TRY_VOID(
        co_await ask_coordinators(session, std::move(groups), give_up,
                                  [&](BrokerId coordinator, const std::vector<std::string>& some) {
                                      return fetch_committed(session, coordinator, some, committed);
                                  }));
    co_return committed;
}

env::Task<Result<std::map<TopicPartition, ErrorCode>>> send_commit(
    Session& session, BrokerId coordinator, const std::string& group, const Committer& committer,
    const std::map<TopicPartition, std::int64_t>& offsets) {
    Commit asked;
    asked.request.group_id = group;
    asked.request.member_id = committer.member_id;
    asked.request.generation_id_or_member_epoch = committer.generation;
    if (!committer.instance_id.empty()) asked.request.group_instance_id = committer.instance_id;
    for (const auto& [partition, offset] : offsets) {
        auto& part = asked.add(partition);
        part.committed_offset = offset;
        part.committed_metadata = "";
    }
    asked.finish();
    CO_TRY(const auto answer,
           co_await session.client().call<OffsetCommitResponse>(wire::Target::broker(coordinator),
                                                                asked.request, kCommitVersionMax));
    std::map<TopicPartition, ErrorCode> refused;
    for (const auto& topic : answer->topics) {
        for (const auto& partition : topic.partitions) {
            if (partition.error_code == 0) continue;
            refused[{std::string(topic.name), partition.partition_index}] =
                static_cast<ErrorCode>(partition.error_code);
        }
    }
    co_return refused;
}

env::Task<Result<void>> commit_offsets(Session& session, const std::string& group,
                                       const std::map<TopicPartition, std::int64_t>& offsets,
                                       env::Instant give_up) {
    auto left = offsets;
    const auto ask = [&](BrokerId coordinator, Again groups) -> env::Task<Result<Again>> {
        CO_TRY(const auto refused,
               co_await send_commit(session, coordinator, groups.front(), {}, left));
        std::map<TopicPartition, std::int64_t> again;
        for (const auto& [partition, code] : refused) {
            if (is_coordinator_moving(code)) {
                again[partition] = left.at(partition);
                continue;
            }
            // Somebody joined meanwhile: only members commit now.
            if (code == ErrorCode::unknown_member_id) {
                co_return fail(code, fmt::format("the offset of {} was not set: somebody has "
                                                 "joined group {} meanwhile; stop its members "
                                                 "and try again",
                                                 partition.text(), groups.front()));
            }
            const Error error = answered_error(static_cast<std::int16_t>(code), "");
            co_return fail(code, fmt::format("{}: {}", partition.text(), error.why));
        }
        left = std::move(again);
        co_return left.empty() ? Again{} : std::move(groups);
    };
    if (left.empty()) co_return ok();
    Again groups{group};
    co_return co_await ask_coordinators(session, std::move(groups), give_up, ask);
}

env::Task<Result<OffsetDeletion>> delete_offsets(Session& session, const std::string& group,
                                                 const std::vector<TopicPartition>& partitions,
                                                 env::Instant give_up) {
    OffsetDeletion deletion;
    Again groups{group};
    CO_TRY_VOID(co_await ask_coordinators(
        session, std::move(groups), give_up,
        [&](BrokerId coordinator, const std::vector<std::string>& some) {
            return send_deletion(session, coordinator, some, partitions, deletion);
        }));
    co_return deletion;
}

env::Task<Result<std::map<std::string, std::optional<Error>>>> delete_groups(
    Session& session, std::vector<std::string> groups, env::Instant give_up) {
    std::map<std::string, std::optional<Error>> results;
    if (groups.empty()) co_return results;
    CO_TRY_VOID(co_await ask_coordinators(
        session, std::move(groups), give_up,
        [&](BrokerId coordinator, const std::vector<std::string>& some) {
            return send_group_deletion(session, coordinator, some, results);
        }));
    co_return results;
}

env::Task<Result<std::map<TopicPartition, std::int64_t>>> offsets_of_present(
    Session& session, const std::vector<TopicPartition>& partitions, std::int64_t timestamp) {
    std::map<TopicPartition, std::int64_t> offsets;
    std::vector<std::string> topics;
    for (const TopicPartition& one : partitions) {
        if (topics.empty() || topics.back() != one.topic) topics.push_back(one.topic);
    }
    if (topics.empty()) co_return offsets;
    CO_TRY(const auto metadata, co_await session.client().refresh(&topics));
    std::vector<TopicPartition> present;
    for (const auto& topic : metadata->topics) {
        for (const auto& partition : topic.partitions) {
            TopicPartition one{std::string(topic.name.value_or("")), partition.partition_index};
            if (partition.leader_id >= 0 && std::ranges::binary_search(partitions, one))
                present.push_back(std::move(one));
        }
    }
    std::ranges::sort(present);
    CO_TRY(const auto answers, co_await list_offsets(session, std::move(present), timestamp));
    for (const auto& [partition, offset] : answers) {
        if (offset) offsets[partition] = *offset;
    }
    co_return offsets;
}

env::Task<Result<std::vector<TopicPartition>>> partitions_of_topic(Session& session,
                                                                   const std::string& topic) {
    const std::vector<std::string> topics{topic};
    std::vector<TopicPartition> partitions;
    CO_TRY(const auto metadata, co_await session.client().refresh(&topics));
    for (const auto& one : metadata->topics) {
        const auto code = static_cast<ErrorCode>(one.error_code);
        if (code != ErrorCode::none && code != ErrorCode::unknown_topic_or_partition &&
            code != ErrorCode::leader_not_available)
            co_return std::unexpected(answered_error(one.error_code, ""));
        for (const auto& partition : one.partitions)
            partitions.emplace_back(topic, partition.partition_index);
    }
    std::ranges::sort(partitions);
    co_return partitions;
}

}  // namespace milena::cli
