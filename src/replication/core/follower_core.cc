// SPDX-License-Identifier: Apache-2.0
// The follower's decisions: truncation, append, high watermark.
#include "core/follower_core.h"

#include <algorithm>

namespace milena::replication {

std::string FollowerStep::text() const {
    std::string text;
    const auto add = [&](std::string part) {
        text += (text.empty() ? "" : ", ") + std::move(part);
    };
    if (append) add("append");
    if (truncate_to) add(fmt::format("truncate to {}", *truncate_to));
    if (restart_at) add(fmt::format("restart at {}", *restart_at));
    if (raise_start) add(fmt::format("raise start to {}", *raise_start));
    if (high_watermark_moved) add("hw moved");
    return text.empty() ? "nothing" : text;
}

FollowerCore::FollowerCore(const PartitionState& state, const LogEnds& log, LeaderEpoch last_epoch,
                           Offset high_watermark)
    : leader_(state.leader),
      leader_epoch_(state.leader_epoch),
      log_(log),
      last_epoch_(last_epoch),
      high_watermark_(std::clamp(high_watermark, log.start, log.end)) {
    INVARIANT(log.start <= log.end, "a log that ends before it begins");
}

void FollowerCore::update(const PartitionState& state) {
    INVARIANT(state.leader_epoch >= leader_epoch_, "back to an older leader epoch");
    if (state.leader_epoch > leader_epoch_) leader_high_watermark_ = Offset(-1);
    leader_ = state.leader;
    leader_epoch_ = state.leader_epoch;
}

std::optional<FetchPlan> FollowerCore::next_fetch() const {
    if (leader_ == kNoBroker) return std::nullopt;
    return FetchPlan{leader_, log_.end, leader_epoch_, last_epoch_, log_.start};
}

FollowerStep FollowerCore::fetched(const FetchPlan& plan, const FetchOutcome& outcome) {
    FollowerStep step;
    if (!is_current(plan)) return step;
    if (outcome.diverging) {
        step.truncate_to = common_end(outcome);
        return step;
    }
    if (outcome.log_start > log_.end) {
        step.restart_at = outcome.log_start;
        return step;
    }
    // No divergence: the log agrees with the leader's up to its end, and what the leader calls
    // committed is so here too.
    leader_high_watermark_ = std::max(leader_high_watermark_, outcome.high_watermark);
    step.append = true;
    if (outcome.log_start > log_.start) step.raise_start = outcome.log_start;
    step.high_watermark_moved = advance();
    return step;
}

/// Where both histories still may agree: the end of the newest epoch that both know, which ended
/// where the shorter of the two says. If this log never had the leader's epoch, the end of the
/// older one it had comes first, and the next fetch tells on.
Offset FollowerCore::common_end(const FetchOutcome& outcome) const {
    const storage::EpochEnd& theirs = *outcome.diverging;
    Offset end = log_.end;
    if (outcome.own_end_of_diverging) {
        end = std::min(end, outcome.own_end_of_diverging->end_offset);
        if (outcome.own_end_of_diverging->epoch == theirs.epoch)
            end = std::min(end, theirs.end_offset);
    } else {
        end = std::min(end, theirs.end_offset);
    }
    return std::max(end, log_.start);
}

FollowerStep FollowerCore::out_of_range(const FetchPlan& plan, Offset leader_start,
                                        Offset leader_end) const {
    FollowerStep step;
    if (!is_current(plan)) return step;
    if (log_.end < leader_start || leader_end < log_.start) {
        step.restart_at = leader_start;
    } else if (leader_end < log_.end) {
        step.truncate_to = leader_end;
    }
    return step;
}

bool FollowerCore::appended(Offset end, LeaderEpoch last_epoch) {
    INVARIANT(log_.end <= end, "an append made the log shorter");
    log_.end = end;
    last_epoch_ = last_epoch;
    return advance();
}

void FollowerCore::truncated(Offset start, Offset end, LeaderEpoch last_epoch) {
    INVARIANT(start <= end, "a log that ends before it begins");
    log_.start = start;
    log_.end = end;
    last_epoch_ = last_epoch;
    log_.durable_end = std::min(log_.durable_end, end);
    high_watermark_ = std::clamp(high_watermark_, start, end);
}

void FollowerCore::log_start_raised(Offset start) {
    INVARIANT(start <= log_.end, "log start beyond the log's end");
    log_.start = std::max(log_.start, start);
    high_watermark_ = std::max(high_watermark_, log_.start);
}

/// Never back: what was committed stays so, even if a new leader does not know it yet.
bool FollowerCore::advance() {
    const Offset reached = std::min(leader_high_watermark_, log_.end);
    if (reached <= high_watermark_) return false;
    high_watermark_ = reached;
    return true;
}

}  // namespace milena::replication
