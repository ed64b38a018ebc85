// SPDX-License-Identifier: Apache-2.0
// What a node coordinates, for who watches it: the partitions that it leads, and the groups of
// those that it has taken over.
#include "hosted_groups.h"

namespace milena::drivers {
namespace {

/// Groups that are looked at under one guard.
constexpr std::size_t kGroupsAtOnce = 256;

}  // namespace

std::vector<storage::StateSpace> GroupCoordinator::coordinated() const {
    std::vector<storage::StateSpace> spaces;
    const auto table = table_.load();
    for (const auto& [index, hosted] : table->led) {
        if (hosted->phase() != HostedGroups::Phase::gone) spaces.push_back(hosted->space());
    }
    return spaces;
}

void GroupCoordinator::each_group(
    const std::function<void(const coordinator::GroupSummary&)>& visit) const {
    const auto table = table_.load();
    for (const auto& [index, hosted] : table->led) {
        std::optional<std::string> behind;
        for (;;) {
            const auto groups = hosted->summaries(behind, kGroupsAtOnce);
            for (const coordinator::GroupSummary& group : groups) visit(group);
            if (groups.size() < kGroupsAtOnce) break;
            behind = groups.back().group;
        }
    }
}

std::vector<coordinator::GroupSummary> HostedGroups::summaries(
    std::optional<std::string_view> behind, std::size_t most) const {
    return state_.with([&](const State& state) {
        return state.phase == Phase::active ? state.groups->summaries(behind, most)
                                            : std::vector<coordinator::GroupSummary>();
    });
}

}  // namespace milena::drivers
