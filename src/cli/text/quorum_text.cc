// SPDX-License-Identifier: Apache-2.0
// Texts of DescribeQuorum.
#include "text/quorum_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "text/exceptions.h"
#include "text/table.h"

namespace milena::cli {
namespace {

using protocol::DescribeQuorumResponse;
using Partition = DescribeQuorumResponse::PartitionData;
using Replica = DescribeQuorumResponse::ReplicaState;

/// The one partition of the metadata log.
Result<const Partition*> partition_of(const DescribeQuorumResponse& answer) {
    if (answer.error_code != 0) {
        return std::unexpected(
            answered_error(answer.error_code, answer.error_message.value_or("")));
    }
    for (const auto& topic : answer.topics) {
        for (const auto& partition : topic.partitions) {
            if (partition.error_code != 0) {
                return std::unexpected(
                    answered_error(partition.error_code, partition.error_message.value_or("")));
            }
            return &partition;
        }
    }
    return fail(ErrorCode::corrupt_message, "an answer without the metadata log");
}

const Replica* leader_of(const Partition& partition) {
    const auto leader =
        std::ranges::find(partition.current_voters, partition.leader_id, &Replica::replica_id);
    return leader == partition.current_voters.end() ? nullptr : &*leader;
}

std::string endpoints_text(const DescribeQuorumResponse& answer, std::int32_t id) {
    std::string text;
    for (const auto& node : answer.nodes) {
        if (node.node_id != id) continue;
        for (const auto& listener : node.listeners) {
            const bool is_v6 = listener.host.find(':') != std::string_view::npos;
            text += fmt::format("{}\"{}://{}{}{}:{}\"", text.empty() ? "" : ", ", listener.name,
                                is_v6 ? "[" : "", listener.host, is_v6 ? "]" : "", listener.port);
        }
    }
    return text;
}

std::string members_text(const DescribeQuorumResponse& answer,
                         const protocol::Array<Replica>& replicas) {
    std::string text;
    for (const Replica& replica : replicas) {
        text += fmt::format("{}{{\"id\": {}, \"directoryId\": ", text.empty() ? "" : ", ",
                            replica.replica_id);
        text += replica.replica_directory_id.is_zero()
                    ? "null"
                    : fmt::format("\"{}\"", replica.replica_directory_id);
        const std::string endpoints = endpoints_text(answer, replica.replica_id);
        if (!endpoints.empty()) text += fmt::format(", \"endpoints\": [{}]", endpoints);
        text += '}';
    }
    return "[" + text + "]";
}

std::string time_text(std::int64_t time_ms, std::optional<std::int64_t> now_ms) {
    if (!now_ms) return std::to_string(time_ms);
    return time_ms == -1 ? "unknown" : fmt::format("{} ms ago", *now_ms - time_ms);
}

}  // namespace

Result<std::string> quorum_status(const DescribeQuorumResponse& answer,
                                  std::string_view cluster_id) {
    TRY(const Partition* const partition, partition_of(answer));
    const Replica* const leader = leader_of(*partition);
    std::int64_t lag = 0;
    std::int64_t lag_ms = 0;
    if (leader != nullptr) {
        const auto& last =
            *std::ranges::min_element(partition->current_voters, {}, &Replica::log_end_offset);
        lag = leader->log_end_offset - last.log_end_offset;
        if (&last != leader) {
            const bool is_known =
                leader->last_caught_up_timestamp != -1 && last.last_caught_up_timestamp != -1;
            lag_ms =
                is_known ? leader->last_caught_up_timestamp - last.last_caught_up_timestamp : -1;
        }
    }
    return fmt::format(
        "ClusterId:              {}\n"
        "LeaderId:               {}\n"
        "LeaderEpoch:            {}\n"
        "HighWatermark:          {}\n"
        "MaxFollowerLag:         {}\n"
        "MaxFollowerLagTimeMs:   {}\n"
        "CurrentVoters:          {}\n"
        "CurrentObservers:       {}\n",
        cluster_id, partition->leader_id, partition->leader_epoch, partition->high_watermark, lag,
        lag_ms, members_text(answer, partition->current_voters),
        members_text(answer, partition->observers));
}

Result<std::string> quorum_replication(const DescribeQuorumResponse& answer,
                                       std::optional<std::int64_t> now_ms) {
    TRY(const Partition* const partition, partition_of(answer));
    const Replica* const leader = leader_of(*partition);
    if (leader == nullptr) return fail(ErrorCode::leader_not_available, "the leader is no voter");
    std::vector<std::vector<std::string>> rows{{"NodeId", "DirectoryId", "LogEndOffset", "Lag",
                                                "LastFetchTimestamp", "LastCaughtUpTimestamp",
                                                "Status"}};
    const auto add = [&](const Replica& replica, std::string_view status) {
        rows.push_back({std::to_string(replica.replica_id), replica.replica_directory_id.text(),
                        std::to_string(replica.log_end_offset),
                        std::to_string(leader->log_end_offset - replica.log_end_offset),
                        time_text(replica.last_fetch_timestamp, now_ms),
                        time_text(replica.last_caught_up_timestamp, now_ms), std::string(status)});
    };
    add(*leader, "Leader");
    for (const Replica& voter : partition->current_voters) {
        if (&voter != leader) add(voter, "Follower");
    }
    for (const Replica& observer : partition->observers) add(observer, "Observer");
    return tab_table(rows);
}

}  // namespace milena::cli
