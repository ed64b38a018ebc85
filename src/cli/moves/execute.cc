// SPDX-License-Identifier: Apache-2.0
// Orders to the controller for moves between brokers, to brokers for those between directories.
#include "moves/execute.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "command.h"
#include "console.h"
#include "moves/current.h"
#include "moves/move_text.h"
#include "moves/reassignments.h"
#include "moves/throttles.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr env::Duration kPause = std::chrono::milliseconds(100);

/// "t-0: why" of each.
std::string reasons(const std::map<TopicPartition, Error>& refused) {
    std::vector<std::string> lines;
    for (const auto& [partition, error] : refused)
        lines.push_back(fmt::format("{}: {}", partition.text(), error.why));
    return fmt::format("{}", fmt::join(lines, "\n"));
}

env::Task<Result<void>> check_brokers(Session& session, const PartitionReplicas& proposed) {
    CO_TRY_VOID(co_await session.client().refresh_nodes());
    for (const auto& [partition, replicas] : proposed) {
        for (const std::int32_t broker : replicas) {
            if (!session.client().nodes().contains(BrokerId(broker)))
                co_return refuse_command(fmt::format("Unknown broker id {}", broker));
        }
    }
    co_return ok();
}

env::Task<Result<void>> print_current(Session& session, const PartitionReplicas& current) {
    CO_TRY(const auto directories, co_await directories_of(session, current));
    print(
        fmt::format("Current partition replica assignment\n\n{}\n\nSave this to use as the "
                    "--reassignment-json-file option during rollback\n",
                    plan_json(current, directories)));
    co_return ok();
}

env::Task<Result<void>> throttle(Session& session, const ReassignmentPlan& plan,
                                 const MoveMap& moves, const ExecuteWish& wish) {
    if (wish.bytes_per_s < 0 && wish.directory_bytes_per_s < 0) co_return ok();
    print(
        "Warning: You must run --verify periodically, until the reassignment completes, to "
        "ensure the throttle is removed.\n");
    if (wish.bytes_per_s >= 0)
        CO_TRY_VOID(co_await throttle_moves(session, moves, wish.bytes_per_s));
    if (wish.directory_bytes_per_s < 0) co_return ok();
    std::set<std::int32_t> brokers;
    for (const auto& [replica, path] : plan.directories) brokers.insert(replica.broker);
    co_return co_await throttle_directories(session, brokers, wish.directory_bytes_per_s);
}

using DirectoryCodes = std::map<PartitionReplica, ErrorCode>;

/// What a broker refused. One that does not have the replica yet will be asked again.
std::optional<std::pair<PartitionReplica, ErrorCode>> first_refused(const DirectoryCodes& codes) {
    for (const auto& [replica, code] : codes) {
        if (code != ErrorCode::none && code != ErrorCode::replica_not_available)
            return std::pair(replica, code);
    }
    return std::nullopt;
}

/// Prints the replicas that began to move, and takes them out.
void take_begun(const DirectoryCodes& codes, ReplicaDirectories& left) {
    for (const auto& [replica, code] : codes) {
        const auto order = left.find(replica);
        if (code != ErrorCode::none || order == left.end()) continue;
        print(fmt::format(
            "Successfully started moving log directory to {} for replica {} with broker {} \n",
            order->second, replica.partition.text(), replica.broker));
        left.erase(order);
    }
}

/// Orders replicas into their directories until all have begun to move.
env::Task<Result<int>> begin_moves(Session& session, ReplicaDirectories left,
                                   env::Duration patience) {
    const env::Instant give_up = session.env().clock().now() + patience;
    for (;;) {
        CO_TRY(const auto codes, co_await alter_directories(session, left));
        if (const auto refused = first_refused(codes)) {
            const auto& [replica, code] = *refused;
            print(failure_text(fmt::format("Failed to alter dir for {}", replica.text()),
                               answered_error(static_cast<std::int16_t>(code), "")));
            co_return kExitFailed;
        }
        take_begun(codes, left);
        if (left.empty()) co_return kExitOk;
        if (session.env().clock().now() >= give_up) break;
        co_await session.env().sleep(session.executor(), kPause);
    }
    std::vector<std::string> names;
    for (const auto& [replica, path] : left) names.push_back(replica.text());
    print(fmt::format("Timed out before log directory move{} could be started for: {}\n",
                      plural(names.size()), fmt::join(names, ",")));
    co_return kExitFailed;
}

std::vector<TopicPartition> keys(const Targets& targets) {
    std::vector<TopicPartition> partitions;
    for (const auto& [partition, replicas] : targets) partitions.push_back(partition);
    return partitions;
}

/// Those of the plan that are being moved.
Targets moving(const Reassignments& reassignments, const ReassignmentPlan& plan) {
    Targets targets;
    for (const auto& [partition, replicas] : plan.partitions) {
        const Reassignment* const found = find(reassignments, partition);
        if (found != nullptr && (!found->adding.empty() || !found->removing.empty()))
            targets[partition] = std::nullopt;
    }
    return targets;
}

/// False if some could not be cancelled, which it has said.
env::Task<Result<bool>> cancel_reassignments(Session& session, const ReassignmentPlan& plan) {
    CO_TRY(const auto reassignments, co_await list_reassignments(session));
    const Targets targets = moving(reassignments, plan);
    if (targets.empty()) {
        print("None of the specified partition reassignments are active.\n");
        co_return true;
    }
    CO_TRY(const auto refused, co_await alter_reassignments(session, targets, true));
    if (!refused.empty()) {
        print(fmt::format("Error cancelling partition reassignment{} for:\n{}\n",
                          plural(refused.size()), reasons(refused)));
        co_return false;
    }
    print(fmt::format("Successfully cancelled partition reassignment{} for: {}\n",
                      plural(targets.size()), names_of(keys(targets))));
    co_return true;
}

/// Replicas of the plan that are on their way to another directory, back to where they are.
env::Task<Result<ReplicaDirectories>> ways_back(Session& session, const ReassignmentPlan& plan) {
    std::set<PartitionReplica> replicas;
    for (const auto& [replica, path] : plan.directories) replicas.insert(replica);
    CO_TRY(const auto places, co_await places_of(session, replicas));
    ReplicaDirectories back;
    for (const auto& [replica, place] : places) {
        if (!place.current.empty() && !place.future.empty()) back[replica] = place.current;
    }
    co_return back;
}

}  // namespace

env::Task<Result<int>> execute_plan(Session& session, const ReassignmentPlan& plan,
                                    const ExecuteWish& wish) {
    CO_TRY_VOID(check_plan(plan));
    CO_TRY(const auto under_way, co_await list_reassignments(session));
    if (!wish.is_additional && !under_way.empty()) {
        print(
            "Cannot execute because there is an existing partition assignment.  Use "
            "--additional to override this and create a new partition assignment in addition to "
            "the existing one. The --additional flag can also be used to change the throttle by "
            "resubmitting the current reassignment.\n");
        co_return kExitFailed;
    }
    const PartitionReplicas proposed = plan.replicas();
    CO_TRY_VOID(co_await check_brokers(session, proposed));
    CO_TRY(const auto current, co_await replicas_of(session, proposed));
    CO_TRY_VOID(co_await print_current(session, current));
    CO_TRY_VOID(co_await throttle(session, plan, moves_to(under_way, proposed, current), wish));
    const Targets targets(proposed.begin(), proposed.end());
    CO_TRY(const auto refused,
           co_await alter_reassignments(session, targets, wish.may_change_factor));
    if (!refused.empty()) {
        print(fmt::format("Error reassigning partition(s):\n{}\n", reasons(refused)));
        co_return kExitFailed;
    }
    print(fmt::format("Successfully started partition reassignment{} for {}\n",
                      plural(targets.size()), names_of(keys(targets))));
    if (plan.directories.empty()) co_return kExitOk;
    co_return co_await begin_moves(session, plan.directories, wish.patience);
}

env::Task<Result<int>> cancel_plan(Session& session, const ReassignmentPlan& plan,
                                   const CancelWish& wish) {
    CO_TRY(const bool all_cancelled, co_await cancel_reassignments(session, plan));
    if (!all_cancelled) co_return kExitFailed;
    CO_TRY(const auto back, co_await ways_back(session, plan));
    int exit_code = kExitOk;
    if (back.empty()) {
        // Without a line's end, as the tool has it.
        print("None of the specified partition moves are active.");
    } else {
        CO_TRY(exit_code, co_await begin_moves(session, back, wish.patience));
    }
    if (exit_code != kExitOk || wish.preserve_throttles) co_return exit_code;
    CO_TRY_VOID(co_await clear_throttles(session, plan));
    co_return kExitOk;
}

}  // namespace milena::cli
