// SPDX-License-Identifier: Apache-2.0
// Range: members in order, each topic cut into as many stretches as it has subscribers, the first
// ones longer by one. Static members come first, in the order of their instances: those stay when a
// process starts again.
#include <algorithm>
#include <tuple>

#include "assignor.h"

namespace milena::coordinator {
namespace {

/// Members' places in the input, in their order.
std::vector<std::size_t> in_order(const std::vector<AssignorMember>& members) {
    std::vector<std::size_t> order(members.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t at) {
        const AssignorMember& member = members[at];
        return std::tuple(!member.instance_id.has_value(),
                          member.instance_id ? std::string_view(*member.instance_id)
                                             : std::string_view(member.id),
                          at);
    });
    return order;
}

}  // namespace

Assignment assign_range(const AssignorInput& input) {
    std::map<Uuid, std::vector<std::size_t>> subscribers;
    for (const std::size_t member : in_order(input.members)) {
        for (const Uuid topic : *input.members[member].topics) subscribers[topic].push_back(member);
    }
    Assignment assignment(input.members.size());
    for (const auto& [topic, members] : subscribers) {
        const auto known = input.topics.find(topic);
        if (known == input.topics.end()) continue;
        const auto partitions = static_cast<std::size_t>(known->second.partitions);
        const std::size_t share = partitions / members.size();
        const std::size_t longer = partitions % members.size();
        std::size_t next = 0;
        for (std::size_t i = 0; i < members.size(); ++i) {
            const std::size_t end = next + share + (i < longer ? 1 : 0);
            for (; next < end; ++next) {
                assignment[members[i]].push_back(
                    {topic, PartitionIndex(static_cast<std::int32_t>(next))});
            }
        }
    }
    return assignment;
}

}  // namespace milena::coordinator
