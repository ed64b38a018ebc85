// SPDX-License-Identifier: Apache-2.0
// The tables of consumer-groups, character by character as Kafka's tool prints them: scripts cut
// them into columns.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "groups/group_list.h"
#include "groups/group_offsets.h"
#include "groups/group_states.h"

namespace milena::cli {

/// What is known of the offsets of one partition in a group.
struct OffsetRow {
    TopicPartition partition;
    std::optional<CommittedOffset> committed{};
    std::optional<std::int64_t> log_end_offset{};
    const MemberState* member = nullptr;  ///< who has it, if somebody has
};

/// The rows of a group: first what members have, those with the most partitions first, then what
/// is committed and nobody has. The members are those of `group`.
std::vector<OffsetRow> offset_rows(const GroupDescription& group, const Committed& committed,
                                   const std::map<TopicPartition, std::int64_t>& log_end_offsets);
/// The partitions of which offset_rows() tells, sorted.
std::vector<TopicPartition> partitions_in(const GroupDescription& group,
                                          const Committed& committed);

std::string offsets_table(const std::string& group, const std::vector<OffsetRow>& rows,
                          bool verbose);
std::string members_table(const GroupDescription& group, bool verbose);
std::string state_table(const GroupDescription& group, bool verbose);

/// What is said on standard error of the group's state; empty if nothing is.
std::string state_warning(const GroupDescription& group);

/// In the order in which Kafka's tools list groups.
std::vector<ListedGroup> in_hash_order(const std::vector<ListedGroup>& groups);

/// Names alone, unless columns are asked for.
std::string list_table(const std::vector<ListedGroup>& groups, bool with_type, bool with_state);

/// The table of the tool groups.
std::string all_groups_table(const std::vector<ListedGroup>& groups);

/// New offsets by group, as reset-offsets tells them. A group that was refused has none.
using NewOffsets = std::map<std::string, std::map<TopicPartition, std::int64_t>>;
std::string reset_table(const NewOffsets& offsets);
/// In the order in which Kafka's tool has the partitions of a group.
std::vector<std::pair<TopicPartition, std::int64_t>> in_hash_order(
    const std::map<TopicPartition, std::int64_t>& offsets);

/// What became of offsets that were to be deleted: the error of a partition, or none.
struct DeletionRow {
    std::string topic;
    std::optional<std::int32_t> partition;  ///< none if the topic is not there
    std::optional<Error> error;
};
std::string deletion_table(const std::vector<DeletionRow>& rows);

}  // namespace milena::cli
