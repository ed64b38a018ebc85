// SPDX-License-Identifier: Apache-2.0
// I12 by the clock: who had a partition for sure, and who committed after that. The generations and
// epochs that members say are judged in groups.cc.
#include <algorithm>
#include <map>
#include <utility>

#include <fmt/format.h>

#include "sim/checkers/checker.h"

namespace milena::sim {
namespace {

using Hold = GroupHistory::Hold;

/// The holds of each partition, in the order in which they began.
std::map<std::int32_t, std::vector<const Hold*>> by_partition(const GroupHistory& group) {
    std::map<std::int32_t, std::vector<const Hold*>> found;
    for (const Hold& one : group.holds) found[one.partition].push_back(&one);
    for (auto& [partition, holds] : found)
        std::ranges::sort(holds, {}, [](const Hold* one) { return std::pair(one->since, one); });
    return found;
}

double seconds(env::Instant moment) {
    return std::chrono::duration<double>(moment.time_since_epoch()).count();
}

std::string text(const Hold& one) {
    return fmt::format("{}'s from {:.3f} to {:.3f} s", one.member, seconds(one.since),
                       seconds(one.until));
}

std::string text(const CommitStep& one) {
    return fmt::format("{} of epoch {} by {} at {:.3f} s", one.offset, one.generation, one.member,
                       seconds(one.asked));
}

/// When the member was given the partition last, before `moment`; the beginning if it never was.
env::Instant last_taken(const std::vector<const Hold*>& holds, const std::string& member,
                        env::Instant moment) {
    env::Instant last{};
    for (const Hold* const one : holds) {
        if (one->member == member && one->taken <= moment) last = std::max(last, one->taken);
    }
    return last;
}

}  // namespace

void a_partition_has_one_owner(const History& history, Findings& findings) {
    for (const auto& [name, group] : history.groups) {
        for (const auto& [index, holds] : by_partition(group)) {
            const Hold* last = nullptr;
            for (const Hold* const one : holds) {
                if (!one->is_sure()) continue;
                if (last != nullptr && last->member != one->member && one->since < last->until)
                    findings.add(
                        fmt::format("{}, {}: {}, and {}", name, index, text(*last), text(*one)));
                if (last == nullptr || one->until > last->until) last = one;
            }
        }
    }
}

void who_has_lost_a_partition_commits_no_more(const History& history, Findings& findings) {
    for (const auto& [name, group] : history.groups) {
        const auto holds = by_partition(group);
        for (const auto& [index, partition] : group.partitions) {
            const auto of_partition = holds.find(index);
            for (const CommitStep& commit : partition.commits) {
                if (commit.done == env::kNever) continue;
                const std::string where = fmt::format("{}, {}: ", name, index);
                if (commit.is_stale) findings.add(where + text(commit) + " was given up before");
                if (of_partition == holds.end()) continue;
                const env::Instant taken =
                    last_taken(of_partition->second, commit.member, commit.asked);
                for (const Hold* const one : of_partition->second) {
                    const bool is_since = one->since > taken && one->since <= commit.asked;
                    if (one->is_sure() && is_since && one->member != commit.member)
                        findings.add(where + text(commit) + " is " + text(*one));
                }
            }
        }
    }
}

}  // namespace milena::sim
