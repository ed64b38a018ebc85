// SPDX-License-Identifier: Apache-2.0
// Members by rack.
#include <algorithm>

#include "mixed.h"

namespace milena::coordinator {

Nearness::Nearness(const AssignorInput& input) : input_(input) {
    for (std::size_t i = 0; i < input.members.size(); ++i) {
        if (const auto& rack = input.members[i].rack_id) members_[*rack].push_back(i);
    }
    is_of_use_ = !members_.empty() && std::ranges::any_of(input.topics, [](const auto& topic) {
        return std::ranges::any_of(topic.second.racks,
                                   [](const auto& racks) { return !racks.empty(); });
    });
}

const std::vector<std::string>* Nearness::racks(const GroupPartition& partition) const {
    const auto topic = input_.topics.find(partition.topic);
    if (topic == input_.topics.end()) return nullptr;
    const auto index = static_cast<std::size_t>(partition.index.value);
    return index < topic->second.racks.size() ? &topic->second.racks[index] : nullptr;
}

bool Nearness::is_near(std::size_t member, const GroupPartition& partition) const {
    const auto& rack = input_.members[member].rack_id;
    const auto* const all = racks(partition);
    return rack && all != nullptr && std::ranges::binary_search(*all, *rack);
}

std::optional<std::size_t> Nearness::first_near(
    const GroupPartition& partition, const std::function<bool(std::size_t)>& fits) const {
    const auto* const all = racks(partition);
    if (all == nullptr) return std::nullopt;
    for (const std::string& rack : *all) {
        const auto here = members_.find(rack);
        if (here == members_.end()) continue;
        const auto found = std::ranges::find_if(here->second, fits);
        if (found != here->second.end()) return *found;
    }
    return std::nullopt;
}

}  // namespace milena::coordinator
