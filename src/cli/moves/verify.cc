// SPDX-License-Identifier: Apache-2.0
// The plan beside what the cluster says.
#include "moves/verify.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "console.h"
#include "moves/move_text.h"
#include "moves/reassignments.h"
#include "moves/throttles.h"

namespace milena::cli {
namespace {

using Progress = std::map<TopicPartition, PartitionProgress>;

/// What a partition that is not moved has; nothing if it is not there.
BrokerIds replicas_of(const std::map<std::string, TopicState>& topics,
                      const TopicPartition& partition) {
    const auto topic = topics.find(partition.topic);
    if (topic == topics.end()) return {};
    const auto& partitions = topic->second.partitions;
    const auto found = std::ranges::find(partitions, partition.partition, &PartitionState::index);
    return found == partitions.end() ? BrokerIds{} : found->replicas;
}

env::Task<Result<Progress>> progress_of(Session& session, const ReassignmentPlan& plan,
                                        const Reassignments& reassignments) {
    std::set<std::string> still;
    for (const auto& [partition, target] : plan.partitions) {
        if (find(reassignments, partition) == nullptr) still.insert(partition.topic);
    }
    const std::vector<std::string> names(still.begin(), still.end());
    CO_TRY(const auto topics, co_await find_topics(session, names));
    Progress progress;
    for (const auto& [partition, target] : plan.partitions) {
        const Reassignment* const moving = find(reassignments, partition);
        progress[partition] = {
            moving != nullptr ? moving->replicas : replicas_of(topics, partition), target,
            moving == nullptr};
    }
    co_return progress;
}

/// True if a replica is on its way.
env::Task<Result<bool>> print_places(Session& session, const ReassignmentPlan& plan) {
    std::set<PartitionReplica> replicas;
    for (const auto& [replica, path] : plan.directories) replicas.insert(replica);
    CO_TRY(const auto places, co_await places_of(session, replicas));
    std::vector<std::string> lines;
    for (const auto& [replica, place] : places)
        lines.push_back(place_text(replica, plan.directories.at(replica), place));
    print(fmt::format("{}\n", fmt::join(lines, "\n")));
    co_return std::ranges::any_of(places, [](const auto& one) { return !is_done(one.second); });
}

}  // namespace

env::Task<Result<void>> verify_plan(Session& session, const ReassignmentPlan& plan,
                                    bool preserve_throttles) {
    CO_TRY(const auto reassignments, co_await list_reassignments(session));
    CO_TRY(const auto progress, co_await progress_of(session, plan, reassignments));
    print(progress_text(progress) + "\n");
    CO_TRY(const bool is_moving, co_await print_places(session, plan));
    // Others' moves may need the throttles as well.
    if (!reassignments.empty() || is_moving || preserve_throttles) co_return ok();
    co_return co_await clear_throttles(session, plan);
}

}  // namespace milena::cli
