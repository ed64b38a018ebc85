// SPDX-License-Identifier: Apache-2.0
// Checks replicas that a client chose; the texts are what Kafka's clients show to their users.
#include "topics/manual_assignment.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "topics/new_partitions.h"

namespace milena::controller {

static std::unexpected<Error> invalid(std::string why) {
    return fail(ErrorCode::invalid_replica_assignment, std::move(why));
}

Result<void> check_replicas(const View& view, const Replicas& replicas,
                            std::optional<std::size_t> count) {
    if (replicas.empty())
        return invalid("The manual partition assignment includes an empty replica list.");
    std::set<BrokerId> seen;
    for (const BrokerId replica : replicas) {
        const auto* const broker = view.image.cluster->find_broker(replica);
        if (!broker) {
            return invalid(
                fmt::format("The manual partition assignment includes broker {}, but no such "
                            "broker is registered.",
                            replica));
        }
        if (!takes_new_replicas(*broker)) {
            return invalid(
                fmt::format("The manual partition assignment includes broker {}, but all its log "
                            "directories are cordoned.",
                            replica));
        }
        if (!seen.insert(replica).second) {
            return invalid(fmt::format(
                "The manual partition assignment includes the broker {} more than once.", replica));
        }
    }
    if (count && replicas.size() != *count) {
        return invalid(fmt::format(
            "The manual partition assignment includes a partition with {} replica(s), but this is "
            "not consistent with previous partitions, which have {} replica(s).",
            replicas.size(), *count));
    }
    return ok();
}

Result<void> check_assignment(const View& view, PartitionIndex partition, const Replicas& replicas,
                              std::optional<std::size_t> count) {
    TRY_VOID(check_replicas(view, replicas, count));
    const auto can_lead = [&](BrokerId broker) { return view.image.cluster->is_active(broker); };
    if (std::ranges::any_of(replicas, can_lead)) return ok();
    return invalid(fmt::format(
        "All brokers specified in the manual partition assignment for partition {} are fenced or "
        "in controlled shutdown.",
        partition));
}

Result<std::vector<Replicas>> check_assignments(const View& view,
                                                const std::vector<ManualAssignment>& assignments) {
    std::map<PartitionIndex, Replicas> by_index;
    std::optional<std::size_t> count;
    for (const ManualAssignment& assignment : assignments) {
        const PartitionIndex index = assignment.partition;
        if (by_index.contains(index)) {
            return invalid(
                fmt::format("Found multiple manual partition assignments for partition {}", index));
        }
        TRY_VOID(check_assignment(view, index, assignment.brokers, count));
        count = assignment.brokers.size();
        by_index.emplace(index, assignment.brokers);
    }
    std::vector<Replicas> result;
    for (auto& [index, replicas] : by_index) {
        if (index.value != static_cast<std::int32_t>(result.size())) {
            return invalid("partitions should be a consecutive 0-based integer sequence");
        }
        result.push_back(std::move(replicas));
    }
    return result;
}

}  // namespace milena::controller
