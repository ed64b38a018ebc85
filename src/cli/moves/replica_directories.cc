// SPDX-License-Identifier: Apache-2.0
// DescribeLogDirs and AlterReplicaLogDirs, asked of the brokers that have the replicas.
#include "moves/replica_directories.h"

#include "milena/protocol/messages/alter_replica_log_dirs.h"
#include "milena/protocol/messages/describe_log_dirs.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

using protocol::AlterReplicaLogDirsRequest;
using protocol::AlterReplicaLogDirsResponse;
using protocol::DescribeLogDirsRequest;
using protocol::DescribeLogDirsResponse;

using Partitions = std::map<std::string, std::vector<std::int32_t>>;

/// Of one broker, with what it views.
struct DescribeRequest {
    DescribeLogDirsRequest request;
    std::vector<DescribeLogDirsRequest::DescribableLogDirTopic> topics;

    explicit DescribeRequest(const Partitions& wanted) {
        for (const auto& [topic, partitions] : wanted) {
            topics.emplace_back().topic = topic;
            topics.back().partitions = partitions;
        }
        request.topics = topics;
    }
};

struct AlterRequest {
    AlterReplicaLogDirsRequest request;
    std::vector<AlterReplicaLogDirsRequest::AlterReplicaLogDir> directories;
    std::vector<std::vector<AlterReplicaLogDirsRequest::AlterReplicaLogDirTopic>> topics;

    explicit AlterRequest(const std::map<std::string, Partitions>& wanted) {
        for (const auto& [path, partitions_of] : wanted) {
            directories.emplace_back().path = path;
            auto& of_directory = topics.emplace_back();
            for (const auto& [topic, partitions] : partitions_of) {
                of_directory.emplace_back().name = topic;
                of_directory.back().partitions = partitions;
            }
        }
        for (std::size_t i = 0; i < topics.size(); ++i) directories[i].topics = topics[i];
        request.dirs = directories;
    }
};

Result<void> take(const DescribeLogDirsResponse& answer, std::int32_t broker,
                  std::map<PartitionReplica, ReplicaPlace>& places) {
    if (answer.error_code != 0) return std::unexpected(answered_error(answer.error_code, ""));
    for (const auto& directory : answer.results) {
        // What lies in one that is offline can't be told.
        if (directory.error_code != 0) continue;
        for (const auto& topic : directory.topics) {
            for (const auto& partition : topic.partitions) {
                const auto place =
                    places.find({broker, {std::string(topic.name), partition.partition_index}});
                if (place == places.end()) continue;
                (partition.is_future_key ? place->second.future : place->second.current) =
                    directory.log_dir;
            }
        }
    }
    return ok();
}

}  // namespace

env::Task<Result<std::map<PartitionReplica, ReplicaPlace>>> places_of(
    Session& session, const std::set<PartitionReplica>& replicas) {
    std::map<PartitionReplica, ReplicaPlace> places;
    std::map<std::int32_t, Partitions> brokers;
    for (const PartitionReplica& replica : replicas) {
        places[replica];
        brokers[replica.broker][replica.partition.topic].push_back(replica.partition.partition);
    }
    for (const auto& [broker, partitions] : brokers) {
        const DescribeRequest asked(partitions);
        CO_TRY(const auto answer, co_await session.ask<DescribeLogDirsResponse>(
                                      wire::Target::broker(BrokerId(broker)), asked.request));
        CO_TRY_VOID(take(*answer, broker, places));
    }
    co_return places;
}

env::Task<Result<std::map<PartitionReplica, ErrorCode>>> alter_directories(
    Session& session, const ReplicaDirectories& directories) {
    std::map<std::int32_t, std::map<std::string, Partitions>> brokers;
    for (const auto& [replica, path] : directories) {
        brokers[replica.broker][path][replica.partition.topic].push_back(
            replica.partition.partition);
    }
    std::map<PartitionReplica, ErrorCode> codes;
    for (const auto& [broker, wanted] : brokers) {
        const AlterRequest asked(wanted);
        CO_TRY(const auto answer, co_await session.ask<AlterReplicaLogDirsResponse>(
                                      wire::Target::broker(BrokerId(broker)), asked.request));
        for (const auto& topic : answer->results) {
            for (const auto& partition : topic.partitions) {
                codes[{broker, {std::string(topic.topic_name), partition.partition_index}}] =
                    static_cast<ErrorCode>(partition.error_code);
            }
        }
    }
    co_return codes;
}

}  // namespace milena::cli
