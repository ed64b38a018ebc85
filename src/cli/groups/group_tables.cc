// SPDX-License-Identifier: Apache-2.0
// Columns are as wide as their widest cell and not narrower than Kafka's; the last one of most
// tables is not filled up.
#include "groups/group_tables.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "text/exceptions.h"
#include "text/hash_order.h"
#include "text/table.h"

namespace milena::cli {
namespace {

using Row = std::vector<std::string>;
using Rows = std::vector<Row>;
using Widths = std::vector<std::size_t>;

constexpr std::string_view kUnknown = "-";

/// Widens the columns to their widest cells.
void widen(const Rows& rows, std::initializer_list<std::size_t> columns, Widths& widths) {
    for (const std::size_t column : columns) {
        for (const Row& row : rows) widths[column] = std::max(widths[column], row[column].size());
    }
}

std::string numbered(const std::optional<std::int64_t>& number) {
    return number ? fmt::format("{}", *number) : std::string(kUnknown);
}

std::string lag_of(const OffsetRow& row) {
    if (!row.committed || !row.log_end_offset) return std::string(kUnknown);
    return fmt::format("{}", *row.log_end_offset - row.committed->offset);
}

std::string leader_epoch_of(const OffsetRow& row) {
    if (!row.committed || row.committed->leader_epoch < 0) return std::string(kUnknown);
    return fmt::format("{}", row.committed->leader_epoch);
}

/// "events:0,1;zed:2", "-" for nothing.
std::string assigned_text(const Assigned& assigned) {
    std::vector<std::string> topics;
    for (const auto& [topic, numbers] : assigned) {
        if (!numbers.empty())
            topics.push_back(fmt::format("{}:{}", topic, fmt::join(numbers, ",")));
    }
    return topics.empty() ? std::string(kUnknown) : fmt::format("{}", fmt::join(topics, ";"));
}

/// Members with the most partitions first.
std::vector<const MemberState*> by_partitions(const GroupDescription& group) {
    std::vector<const MemberState*> members;
    for (const MemberState& member : group.members) members.push_back(&member);
    std::ranges::sort(members, [](const MemberState* one, const MemberState* other) {
        const std::size_t of_one = count(one->assigned);
        const std::size_t of_other = count(other->assigned);
        return of_one != of_other ? of_one > of_other : one < other;  // or as they came
    });
    return members;
}

}  // namespace

std::vector<OffsetRow> offset_rows(const GroupDescription& group, const Committed& committed,
                                   const std::map<TopicPartition, std::int64_t>& log_end_offsets) {
    std::vector<OffsetRow> rows;
    std::set<TopicPartition> assigned;
    const auto add = [&](TopicPartition partition, const MemberState* member) {
        OffsetRow row{.partition = std::move(partition), .member = member};
        if (const auto found = committed.find(row.partition); found != committed.end())
            row.committed = found->second;
        if (const auto found = log_end_offsets.find(row.partition); found != log_end_offsets.end())
            row.log_end_offset = found->second;
        rows.push_back(std::move(row));
    };
    for (const MemberState* const member : by_partitions(group)) {
        for (const auto& [topic, numbers] : member->assigned) {
            for (const std::int32_t number : numbers) {
                add({topic, number}, member);
                assigned.insert({topic, number});
            }
        }
    }
    for (const auto& [partition, offset] : committed) {
        if (!assigned.contains(partition)) add(partition, nullptr);
    }
    return rows;
}

std::vector<TopicPartition> partitions_in(const GroupDescription& group,
                                          const Committed& committed) {
    std::set<TopicPartition> partitions;
    for (const OffsetRow& row : offset_rows(group, committed, {})) partitions.insert(row.partition);
    return {partitions.begin(), partitions.end()};
}

std::string offsets_table(const std::string& group, const std::vector<OffsetRow>& rows,
                          bool verbose) {
    if (rows.empty()) return "";
    Rows cells{{"GROUP", "TOPIC", "PARTITION", "LEADER-EPOCH", "CURRENT-OFFSET", "LOG-END-OFFSET",
                "LAG", "CONSUMER-ID", "HOST", "CLIENT-ID"}};
    for (const OffsetRow& row : rows) {
        const auto of_member = [&row](const std::string MemberState::* field) {
            return row.member == nullptr ? std::string(kUnknown) : row.member->*field;
        };
        std::optional<std::int64_t> offset;
        if (row.committed) offset = row.committed->offset;
        cells.push_back({group, row.partition.topic, fmt::format("{}", row.partition.partition),
                         leader_epoch_of(row), numbered(offset), numbered(row.log_end_offset),
                         lag_of(row), of_member(&MemberState::id), of_member(&MemberState::host),
                         of_member(&MemberState::client_id)});
    }
    Widths widths{15, 15, 10, 15, 15, 15, 15, 15, 15, 0};
    constexpr std::size_t kLeaderEpoch = 3;
    widen(cells, {0, 1, 7, 8}, widths);
    if (!verbose) {
        for (Row& row : cells) row.erase(row.begin() + kLeaderEpoch);
        widths.erase(widths.begin() + kLeaderEpoch);
    }
    return "\n" + space_table(cells, widths);
}

std::string members_table(const GroupDescription& group, bool verbose) {
    const bool has_static = std::ranges::any_of(
        group.members, [](const MemberState& member) { return !member.instance_id.empty(); });
    Rows cells{{"GROUP", "CONSUMER-ID", "GROUP-INSTANCE-ID", "HOST", "CLIENT-ID", "#PARTITIONS",
                "CURRENT-EPOCH", "CURRENT-ASSIGNMENT", "TARGET-EPOCH", "TARGET-ASSIGNMENT"}};
    for (const MemberState& member : group.members) {
        cells.push_back({group.name, member.id, member.instance_id, member.host, member.client_id,
                         fmt::format("{}", count(member.assigned)), numbered(member.epoch),
                         assigned_text(member.assigned), numbered(group.assignment_epoch),
                         member.target ? assigned_text(*member.target) : std::string(kUnknown)});
    }
    Widths widths{15, 15, 17, 15, 15, 15, 15, 20, 15, 20};
    constexpr std::size_t kInstanceId = 2;
    constexpr std::size_t kCurrentEpoch = 6;
    widen(cells, {0, 1, 2, 3, 4, 7, 9}, widths);
    for (Row& row : cells) {
        if (!verbose) row.resize(kCurrentEpoch);
        if (!has_static) row.erase(row.begin() + kInstanceId);
    }
    // Without more columns there is one more space.
    if (!verbose) ++widths[kCurrentEpoch - 1];
    if (!has_static) widths.erase(widths.begin() + kInstanceId);
    return "\n" + space_table(cells, widths);
}

std::string state_table(const GroupDescription& group, bool verbose) {
    Rows cells{
        {"GROUP", "COORDINATOR (ID)", "ASSIGNMENT-STRATEGY", "STATE", "GROUP-EPOCH",
         "TARGET-ASSIGNMENT-EPOCH", "#MEMBERS"},
        {group.name,
         fmt::format("{}:{}  ({})", group.endpoint.host, group.endpoint.port, group.coordinator),
         group.assignor.empty() ? std::string(kUnknown) : group.assignor, group.state,
         numbered(group.epoch), numbered(group.assignment_epoch),
         fmt::format("{}", group.members.size())}};
    Widths widths{15, 25, 20, 20, 15, 25, 0};
    widen(cells, {0, 1}, widths);
    constexpr std::size_t kEpochs = 4;
    if (!verbose) {
        for (Row& row : cells) row.erase(row.begin() + kEpochs, row.begin() + kEpochs + 2);
        widths.erase(widths.begin() + kEpochs, widths.begin() + kEpochs + 2);
    }
    return "\n" + space_table(cells, widths);
}

std::string state_warning(const GroupDescription& group) {
    if (group.state == "Empty")
        return fmt::format("\nConsumer group '{}' has no active members.\n", group.name);
    if (group.is_rebalancing())
        return fmt::format("\nWarning: Consumer group '{}' is rebalancing.\n", group.name);
    return "";
}

std::vector<ListedGroup> in_hash_order(const std::vector<ListedGroup>& groups) {
    std::vector<std::string_view> names;
    for (const ListedGroup& group : groups) names.push_back(group.name);
    std::vector<ListedGroup> ordered;
    for (const std::size_t at : default_hash_order(names)) ordered.push_back(groups[at]);
    return ordered;
}

std::string list_table(const std::vector<ListedGroup>& groups, bool with_type, bool with_state) {
    std::string text;
    if (!with_type && !with_state) {
        for (const ListedGroup& group : groups) text += group.name + "\n";
        return text;
    }
    constexpr std::size_t kGap = 10;
    Rows cells{{"GROUP"}};
    Widths widths{15};
    for (const ListedGroup& group : groups) cells.push_back({group.name});
    widen(cells, {0}, widths);
    widths[0] += kGap;
    const auto add = [&](std::string_view header, const std::string ListedGroup::* field) {
        cells[0].emplace_back(header);
        for (std::size_t i = 0; i < groups.size(); ++i) cells[i + 1].push_back(groups[i].*field);
        widths.push_back(20);
    };
    if (with_type) add("TYPE", &ListedGroup::type);
    if (with_state) add("STATE", &ListedGroup::state);
    return space_table(cells, widths);
}

std::string all_groups_table(const std::vector<ListedGroup>& groups) {
    std::size_t width = 20;
    for (const ListedGroup& group : groups) width = std::max(width, group.name.size());
    std::string text =
        fmt::format("{1:<{0}} {2:<{0}} {3:<{0}}\n", width, "GROUP", "TYPE", "PROTOCOL");
    // The header has one space less at its end.
    for (const ListedGroup& group : groups) {
        text += fmt::format("{1:<{0}} {2:<{0}} {3:<{0}} \n", width, group.name, group.type,
                            group.protocol);
    }
    return text;
}

std::vector<std::pair<TopicPartition, std::int64_t>> in_hash_order(
    const std::map<TopicPartition, std::int64_t>& offsets) {
    std::vector<std::int32_t> hashes;
    std::vector<std::pair<TopicPartition, std::int64_t>> entries;
    for (const auto& [partition, offset] : offsets) {
        hashes.push_back(java_hash(partition.topic, partition.partition));
        entries.emplace_back(partition, offset);
    }
    std::vector<std::pair<TopicPartition, std::int64_t>> ordered;
    for (const std::size_t at : hash_order(hashes, kHashMapCapacity))
        ordered.push_back(std::move(entries[at]));
    return ordered;
}

std::string reset_table(const NewOffsets& offsets) {
    if (offsets.empty()) return "\n";
    std::vector<std::string_view> groups;
    for (const auto& [group, partitions] : offsets) groups.push_back(group);
    Rows cells{{"GROUP", "TOPIC", "PARTITION", "NEW-OFFSET"}};
    for (const std::size_t at : default_hash_order(groups)) {
        const std::string group(groups[at]);
        for (const auto& [partition, offset] : in_hash_order(offsets.at(group))) {
            cells.push_back({group, partition.topic, fmt::format("{}", partition.partition),
                             fmt::format("{}", offset)});
        }
    }
    Widths widths{15, 15, 10, 0};
    widen(cells, {0, 1}, widths);
    return "\n" + space_table(cells, widths);
}

std::string deletion_table(const std::vector<DeletionRow>& rows) {
    Rows cells{{"TOPIC", "PARTITION", "STATUS"}};
    for (const DeletionRow& row : rows) {
        cells.push_back(
            {row.topic, row.partition ? fmt::format("{}", *row.partition) : std::string(kUnknown),
             row.error ? fmt::format("Error: {}", exception_text(*row.error)) : "Successful"});
    }
    return "\n" + space_table(cells, {15, 10, 15});
}

}  // namespace milena::cli
