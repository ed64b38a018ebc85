// SPDX-License-Identifier: Apache-2.0
// One paragraph for each thing worth knowing; what is as it should be gets half a line.
#include "groups/explain_text.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "explain/facts_text.h"
#include "groups/group_tables.h"

namespace milena::cli {
namespace {

/// No list in a text names more.
constexpr std::size_t kNamedMax = 5;

std::string counted(std::size_t number, std::string_view what) {
    return fmt::format("{} {}{}", number, what, number == 1 ? "" : "s");
}

std::string listed(const std::vector<std::string>& names) {
    const std::size_t shown = std::min(names.size(), kNamedMax);
    std::string text = fmt::format(
        "{}", fmt::join(names.begin(), names.begin() + static_cast<std::ptrdiff_t>(shown), ", "));
    if (shown < names.size()) text += fmt::format(" and {} more", names.size() - shown);
    return text;
}

std::string called(const MemberState& member) {
    return fmt::format("{} at {}", member.instance_id.empty() ? member.id : member.instance_id,
                       member.host);
}

/// As the coordinator tells it, if it names whom the group waits for, or that it is nobody.
std::optional<std::string> told_waiting(const GroupDescription& group) {
    if (!group.facts || !group.is_rebalancing()) return std::nullopt;
    if (!group.facts->awaited.empty()) return awaited_text(*group.facts);
    if (group.state != "PreparingRebalance") return std::nullopt;
    return "All that are in it have joined; it waits a moment for others to come "
           "(group.initial.rebalance.delay.ms).\n";
}

std::string state_text(const GroupDescription& group) {
    if (auto told = told_waiting(group)) return *std::move(told);
    std::vector<std::string> members;
    for (const MemberState& member : group.members) members.push_back(called(member));
    if (group.state == "Empty") {
        return "Nobody is in it. Start its consumers, and they go on at the committed offsets; to "
               "begin elsewhere, use milena consumer-groups --reset-offsets first.\n";
    }
    if (group.state == "PreparingRebalance") {
        return fmt::format(
            "It is about to deal its partitions anew and waits for members to join again: {}. A "
            "member that is busy with what it has read holds all others up, until its "
            "max.poll.interval.ms is over; then it is removed. If that comes often, let it read "
            "less at once (max.poll.records).\n",
            listed(members));
    }
    if (group.state == "CompletingRebalance") {
        return fmt::format(
            "All have joined ({}) and wait for one of them, the leader, to deal the partitions. "
            "That takes moments; if it lasts, the leader hangs, and is removed when its session "
            "ends.\n",
            listed(members));
    }
    if (group.is_rebalancing()) {
        std::vector<std::string> behind;
        for (const MemberState& member : group.members) {
            if (member.target && *member.target != member.assigned)
                behind.push_back(called(member));
        }
        return fmt::format("Partitions are on their way from member to member. {}\n",
                           behind.empty() ? "Nobody holds it up."
                                          : "Not yet where they shall be: " + listed(behind) +
                                                "; each gives up what it has to when it has "
                                                "finished what it has read.");
    }
    std::size_t partitions = 0;
    for (const MemberState& member : group.members) partitions += count(member.assigned);
    return fmt::format("{} share{} {}, as {} deals them.\n",
                       counted(group.members.size(), "member"),
                       group.members.size() == 1 ? "s" : "", counted(partitions, "partition"),
                       group.assignor.empty() ? "its leader" : group.assignor);
}

std::string idle_text(const GroupDescription& group) {
    std::vector<std::string> idle;
    for (const MemberState& member : group.members) {
        if (member.assigned.empty()) idle.push_back(called(member));
    }
    if (group.state != "Stable" || idle.empty()) return "";
    return fmt::format(
        "{} {} nothing to read, since there are more members than partitions: {}. Give the topics "
        "more partitions, or keep {} as a reserve.\n",
        counted(idle.size(), "member"), idle.size() == 1 ? "has" : "have", listed(idle),
        idle.size() == 1 ? "it" : "them");
}

std::string lag_text(const std::vector<OffsetRow>& rows) {
    std::int64_t sum = 0;
    const OffsetRow* worst = nullptr;
    const auto lag_of = [](const OffsetRow& row) {
        return row.committed && row.log_end_offset
                   ? std::max<std::int64_t>(*row.log_end_offset - row.committed->offset, 0)
                   : 0;
    };
    for (const OffsetRow& row : rows) {
        sum += lag_of(row);
        if (worst == nullptr || lag_of(row) > lag_of(*worst)) worst = &row;
    }
    if (worst == nullptr) return "It has no offsets and no partitions.\n";
    if (sum == 0) return "It has read all there is, as far as it has committed.\n";
    return fmt::format("It is {} records behind, most of them in {}: {}, {}.\n", sum,
                       worst->partition.text(), lag_of(*worst),
                       worst->member == nullptr ? "which nobody in it reads"
                                                : "which " + called(*worst->member) + " reads");
}

std::string nobody_reads_text(const GroupDescription& group, const std::vector<OffsetRow>& rows) {
    std::vector<std::string> names;
    for (const OffsetRow& row : rows) {
        if (row.member == nullptr && row.log_end_offset) names.push_back(row.partition.text());
    }
    if (group.state != "Stable" || names.empty()) return "";
    return fmt::format(
        "Of {} it has offsets and no member that reads them: {}. If no member subscribes to the "
        "topic any more, delete them with milena consumer-groups --delete-offsets.\n",
        counted(names.size(), "partition"), listed(names));
}

std::string out_of_range_text(const Committed& committed, const PartitionEnds& ends) {
    std::vector<std::string> names;
    for (const auto& [partition, offset] : committed) {
        const auto first = ends.earliest.find(partition);
        const auto last = ends.latest.find(partition);
        if ((first != ends.earliest.end() && offset.offset < first->second) ||
            (last != ends.latest.end() && offset.offset > last->second))
            names.push_back(fmt::format("{} at {}", partition.text(), offset.offset));
    }
    if (names.empty()) return "";
    return fmt::format(
        "Offsets that are no more in the log, or never were in this one: {}. Records were deleted "
        "before they were read, or the topic was made anew. Consumers begin there where their "
        "auto.offset.reset says; to choose, use milena consumer-groups --reset-offsets.\n",
        listed(names));
}

std::string absent_text(const std::vector<OffsetRow>& rows) {
    std::vector<std::string> names;
    for (const OffsetRow& row : rows) {
        if (!row.log_end_offset) names.push_back(row.partition.text());
    }
    if (names.empty()) return "";
    return fmt::format(
        "Without a leader, or not there: {}. See milena topics --describe "
        "--unavailable-partitions.\n",
        listed(names));
}

}  // namespace

std::string explain_group(const GroupDescription& group, const Committed& committed,
                          const PartitionEnds& ends) {
    const auto rows = offset_rows(group, committed, ends.latest);
    const GroupFacts facts = group.facts.value_or(GroupFacts());
    return fmt::format("Group {} is {}{}. Its coordinator is broker {} ({}:{}).\n", group.name,
                       group.state, age_text(facts), group.coordinator, group.endpoint.host,
                       group.endpoint.port) +
           state_text(group) + rebalance_text(facts) + idle_text(group) + lag_text(rows) +
           nobody_reads_text(group, rows) + out_of_range_text(committed, ends) + absent_text(rows) +
           expiring_text(facts);
}

std::string explain_missing_group(const std::string& name,
                                  const std::vector<std::string>& existing) {
    std::vector<std::string> sorted = existing;
    std::ranges::sort(sorted);
    return fmt::format(
        "There is no group {}: nobody is in it and no offsets are committed. It begins when its "
        "first consumer joins. {}\n",
        name,
        sorted.empty() ? "There are no groups at all." : "There are: " + listed(sorted) + ".");
}

}  // namespace milena::cli
