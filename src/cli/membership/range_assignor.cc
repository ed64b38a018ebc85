// SPDX-License-Identifier: Apache-2.0
// Static members go by their instance's name, and before others: so a restart moves nothing.
#include "membership/range_assignor.h"

#include <algorithm>
#include <tuple>

namespace milena::cli {
namespace {

auto rank(const JoinedMember* member) {
    const bool is_static = !member->instance_id.empty();
    return std::tuple(!is_static, is_static ? member->instance_id : member->id);
}

std::vector<const JoinedMember*> subscribers(const std::vector<JoinedMember>& members,
                                             const std::string& topic) {
    std::vector<const JoinedMember*> found;
    for (const JoinedMember& member : members) {
        if (std::ranges::find(member.topics, topic) != member.topics.end())
            found.push_back(&member);
    }
    std::ranges::sort(found, {}, rank);
    return found;
}

}  // namespace

std::map<std::string, Assigned> assign_ranges(
    const std::vector<JoinedMember>& members,
    const std::map<std::string, std::int32_t>& partition_counts) {
    std::map<std::string, Assigned> assigned;
    for (const JoinedMember& member : members) assigned[member.id] = {};
    for (const auto& [topic, partitions] : partition_counts) {
        const auto takers = subscribers(members, topic);
        if (takers.empty()) continue;
        const auto many = static_cast<std::int32_t>(takers.size());
        std::int32_t next = 0;
        for (std::int32_t i = 0; i < many; ++i) {
            const std::int32_t end = next + partitions / many + (i < partitions % many ? 1 : 0);
            for (; next < end; ++next)
                assigned[takers[static_cast<std::size_t>(i)]->id][topic].insert(next);
        }
    }
    return assigned;
}

}  // namespace milena::cli
