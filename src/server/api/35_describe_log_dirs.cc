// SPDX-License-Identifier: Apache-2.0
// DescribeLogDirs: the entries of log.dirs with the size of each partition in them (KIP-113,
// KIP-827). Versions 1 to 5.
#include "milena/protocol/messages/describe_log_dirs.h"

#include <algorithm>
#include <optional>
#include <set>

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using protocol::DescribeLogDirsRequest;
using protocol::DescribeLogDirsResponse;
using replication::DirectoryState;

/// The partitions that were asked for; nothing for all of them.
using Wanted = std::optional<std::set<replication::TopicPartition>>;

Wanted wanted(const DescribeLogDirsRequest& body) {
    if (!body.topics.has_value()) return std::nullopt;
    Wanted out(std::in_place);
    for (const auto& topic : body.topics) {
        for (const std::int32_t index : topic.partitions)
            out->insert({std::string(topic.topic), PartitionIndex(index)});
    }
    return out;
}

DescribeLogDirsResponse::DescribeLogDirsTopic topic_of(protocol::Arena& arena,
                                                       std::span<const DirectoryState::Log> logs) {
    auto parts = arena.make_array<DescribeLogDirsResponse::DescribeLogDirsPartition>(logs.size());
    for (std::size_t i = 0; i < logs.size(); ++i) {
        parts[i].partition_index = logs[i].name.partition.value;
        parts[i].partition_size = static_cast<std::int64_t>(logs[i].bytes);
        parts[i].offset_lag = logs[i].lag;
        parts[i].is_future_key = logs[i].is_copy;
    }
    DescribeLogDirsResponse::DescribeLogDirsTopic out;
    out.name = logs.front().name.topic;
    out.partitions = parts;
    return out;
}

/// `state` keeps the names that the result refers to, and only the logs that are wanted.
DescribeLogDirsResponse::DescribeLogDirsResult result_of(Request& request, DirectoryState& state,
                                                         const Wanted& wanted) {
    DescribeLogDirsResponse::DescribeLogDirsResult out;
    out.log_dir = state.path;
    if (!state.is_usable) {
        out.error_code = static_cast<std::int16_t>(ErrorCode::kafka_storage_error);
        return out;
    }
    if (wanted)
        std::erase_if(state.logs, [&](const auto& log) { return !wanted->contains(log.name); });
    auto topics =
        request.arena.make_array<DescribeLogDirsResponse::DescribeLogDirsTopic>(state.logs.size());
    std::size_t count = 0;
    for (std::span<const DirectoryState::Log> rest(state.logs); !rest.empty();) {
        const auto other = std::ranges::find_if(rest, [&](const DirectoryState::Log& log) {
            return log.name.topic != rest.front().name.topic;
        });
        const auto same = static_cast<std::size_t>(other - rest.begin());
        topics[count++] = topic_of(request.arena, rest.first(same));
        rest = rest.subspan(same);
    }
    out.topics = topics.first(count);
    return out;
}

/// What is not known stays as it is.
void tell_room(env::FileSystem& files, std::span<const DirectoryState> states,
               std::span<DescribeLogDirsResponse::DescribeLogDirsResult> results) {
    for (std::size_t i = 0; i < states.size(); ++i) {
        if (!states[i].is_usable) continue;
        if (const auto free = files.free_bytes(states[i].path))
            results[i].usable_bytes = static_cast<std::int64_t>(*free);
        if (const auto total = files.total_bytes(states[i].path))
            results[i].total_bytes = static_cast<std::int64_t>(*total);
    }
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<DescribeLogDirsRequest>(request));
    DescribeLogDirsResponse response;
    std::vector<DirectoryState> states;
    if (request.session.may(security::Operation::describe, security::ResourceType::cluster,
                            security::kClusterResource)) {
        const Wanted only = wanted(body);
        states = request.broker().replicas.directories();
        auto results =
            request.arena.make_array<DescribeLogDirsResponse::DescribeLogDirsResult>(states.size());
        for (std::size_t i = 0; i < states.size(); ++i)
            results[i] = result_of(request, states[i], only);
        // A disk that hangs holds up whoever asks about it, not the core.
        env::Env& env = request.broker().env;
        co_await env.offload(env::Pool::disk, [&] { tell_room(env.files(), states, results); });
        response.results = results;
    } else {
        response.error_code = static_cast<std::int16_t>(ErrorCode::cluster_authorization_failed);
    }
    co_return answer(request, response);
}

}  // namespace

Api api_35() {
    return make_api(protocol::ApiKey::describe_log_dirs, &serve);
}

}  // namespace milena::server
