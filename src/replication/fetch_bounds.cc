// SPDX-License-Identifier: Apache-2.0
// The rules of a fetch, in the order in which Kafka applies them.
#include "fetch_bounds.h"

#include "leader_epoch.h"

namespace milena::replication {

std::optional<storage::EpochEnd> epoch_end(LeaderEpoch epoch, const ReplicaView& view,
                                           const storage::Log& log) {
    const LeaderEpoch newest = view.leads ? view.leader.epoch : log.last_epoch();
    if (epoch == kNoLeaderEpoch || epoch > newest) return std::nullopt;
    if (view.leads && epoch == newest) return storage::EpochEnd{epoch, view.log_end};
    if (const auto end = log.end_of_epoch(epoch)) return end;
    // The log knows no epoch as late as this: what it has, if anything, ended before it.
    const LeaderEpoch last = log.last_epoch();
    return storage::EpochEnd{last == kNoLeaderEpoch ? epoch : last, view.log_end};
}

FetchBounds fetch_bounds(const FetchQuestion& question, const ReplicaView& view,
                         const storage::Log& log) {
    FetchBounds bounds;
    bounds.code = check_leader_epoch(view.leader.epoch, question.current_leader_epoch);
    if (bounds.code != ErrorCode::none) return bounds;
    const bool may_follow = question.is_copy || !question.leader_only;
    if (!view.leads && (!may_follow || question.replica != kNoBroker)) {
        bounds.code = ErrorCode::not_leader_or_follower;
        return bounds;
    }
    const bool in_log = view.log_start <= question.from && question.from <= view.log_end;
    if (question.last_fetched_epoch != kNoLeaderEpoch && question.from >= view.log_start) {
        const auto end = epoch_end(question.last_fetched_epoch, view, log);
        if (end && (end->epoch < question.last_fetched_epoch || end->end_offset < question.from)) {
            bounds.diverging = end;
            return bounds;
        }
        if (!end && question.is_copy) {
            // This log was cut back to before that epoch.
            bounds.diverging = storage::EpochEnd{log.last_epoch(), view.log_end};
            return bounds;
        }
        if (!end) bounds.code = ErrorCode::offset_out_of_range;
    }
    if (!in_log) bounds.code = ErrorCode::offset_out_of_range;
    bounds.upper = question.is_copy ? view.log_end
                                    : visible_end(view, question.replica, question.read_committed);
    return bounds;
}

}  // namespace milena::replication
