// SPDX-License-Identifier: Apache-2.0
// AlterReplicaLogDirs: replicas of this broker are to lie in other entries of log.dirs (KIP-113).
// The answer says that a move has begun, not that it is over: DescribeLogDirs tells that.
#include "milena/protocol/messages/alter_replica_log_dirs.h"

#include <map>

#include "../api.h"
#include "../topics.h"

namespace milena::server {
namespace {

using protocol::AlterReplicaLogDirsRequest;
using protocol::AlterReplicaLogDirsResponse;

struct Wish {
    std::string_view directory;
    ErrorCode code = ErrorCode::none;
};
/// By topic and partition; of one that is named in two directories the last counts, as in Kafka.
using Wishes = std::map<std::string_view, std::map<std::int32_t, Wish>>;

Wishes wishes(const AlterReplicaLogDirsRequest& body) {
    Wishes out;
    for (const auto& directory : body.dirs) {
        for (const auto& topic : directory.topics) {
            for (const std::int32_t index : topic.partitions)
                out[topic.name].insert_or_assign(index, Wish{directory.path});
        }
    }
    return out;
}

/// A replica that is not here may be none at all.
ErrorCode place(replication::Moves& moves, const TopicLookup& topic,
                const replication::TopicPartition& name, std::string_view directory) {
    const Uuid id = topic ? (*topic)->id : Uuid{};
    const ErrorCode code = moves.place(id, name, directory);
    if (code != ErrorCode::replica_not_available) return code;
    const bool is_known = topic && (*topic)->partitions.find(name.partition) != nullptr;
    return is_known ? code : ErrorCode::unknown_topic_or_partition;
}

void place_all(const Request& request, Wishes& wishes) {
    const auto image = request.broker().image.load();
    replication::Moves& moves = request.broker().replicas.moves();
    for (auto& [name, partitions] : wishes) {
        const TopicLookup topic = find_topic(*image, name);
        for (auto& [index, wish] : partitions) {
            wish.code =
                place(moves, topic, {std::string(name), PartitionIndex(index)}, wish.directory);
        }
    }
}

AlterReplicaLogDirsResponse response_to(protocol::Arena& arena, const Wishes& wishes) {
    using Topic = AlterReplicaLogDirsResponse::AlterReplicaLogDirTopicResult;
    using Partition = AlterReplicaLogDirsResponse::AlterReplicaLogDirPartitionResult;
    auto topics = arena.make_array<Topic>(wishes.size());
    std::size_t next_topic = 0;
    for (const auto& [name, partitions] : wishes) {
        auto results = arena.make_array<Partition>(partitions.size());
        std::size_t next = 0;
        for (const auto& [index, wish] : partitions) {
            results[next].partition_index = index;
            results[next++].error_code = static_cast<std::int16_t>(wish.code);
        }
        topics[next_topic].topic_name = name;
        topics[next_topic++].partitions = results;
    }
    AlterReplicaLogDirsResponse response;
    response.results = topics;
    return response;
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<AlterReplicaLogDirsRequest>(request));
    Wishes wanted = wishes(body);
    if (const auto may = check_cluster_right(request, security::Operation::alter); !may) {
        for (auto& [name, partitions] : wanted) {
            for (auto& [index, wish] : partitions) wish.code = may.error().code;
        }
    } else {
        // Directories and files are made.
        co_await request.broker().env.offload(env::Pool::disk, [&] { place_all(request, wanted); });
    }
    co_return answer(request, response_to(request.arena, wanted));
}

}  // namespace

Api api_34() {
    return make_api(protocol::ApiKey::alter_replica_log_dirs, &serve);
}

}  // namespace milena::server
