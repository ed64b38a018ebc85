// SPDX-License-Identifier: Apache-2.0
// Committed offsets of groups: read, written and deleted at their coordinators; and the ends of the
// partitions that they are offsets of.
#pragma once

#include <optional>

#include "cluster/offsets.h"

namespace milena::cli {

struct CommittedOffset {
    std::int64_t offset = 0;
    std::int32_t leader_epoch = -1;  ///< −1: the committer did not say
    bool operator==(const CommittedOffset&) const = default;
};

/// Of partitions that have one.
using Committed = std::map<TopicPartition, CommittedOffset>;

/// All that each group has committed.
env::Task<Result<std::map<std::string, Committed>>> committed_offsets(
    Session& session, std::vector<std::string> groups, env::Instant give_up);

/// Who commits: a member of a generation, or by default somebody outside of a group that nobody is
/// in.
struct Committer {
    std::string member_id{};
    std::string instance_id{};  ///< empty unless it is a static member
    std::int32_t generation = -1;
};

/// Asks a coordinator once. The codes of the partitions that were refused.
env::Task<Result<std::map<TopicPartition, ErrorCode>>> send_commit(
    Session& session, BrokerId coordinator, const std::string& group, const Committer& committer,
    const std::map<TopicPartition, std::int64_t>& offsets);

/// Commits for a group without members. The error names the first partition that was refused.
env::Task<Result<void>> commit_offsets(Session& session, const std::string& group,
                                       const std::map<TopicPartition, std::int64_t>& offsets,
                                       env::Instant give_up);

/// What became of a deletion: an error of the whole group, and those of partitions.
struct OffsetDeletion {
    std::optional<Error> error{};
    std::map<TopicPartition, std::optional<Error>> partitions{};
};

env::Task<Result<OffsetDeletion>> delete_offsets(Session& session, const std::string& group,
                                                 const std::vector<TopicPartition>& partitions,
                                                 env::Instant give_up);

/// Deletes groups; why not, of those that could not be deleted.
env::Task<Result<std::map<std::string, std::optional<Error>>>> delete_groups(
    Session& session, std::vector<std::string> groups, env::Instant give_up);

/// The offsets at `timestamp` of those of the partitions that are there and have leaders.
env::Task<Result<std::map<TopicPartition, std::int64_t>>> offsets_of_present(
    Session& session, const std::vector<TopicPartition>& partitions, std::int64_t timestamp);

/// The partitions of a topic; none if it is not there.
env::Task<Result<std::vector<TopicPartition>>> partitions_of_topic(Session& session,
                                                                   const std::string& topic);

}  // namespace milena::cli
