// SPDX-License-Identifier: Apache-2.0
// A follower's log as its leader's answers make it, and the in-sync set that a leader asks for.
// What an answer means the core decides; here it is done to the log.
#include <fmt/ranges.h>

#include "replica.h"

namespace milena::replication {

std::optional<FetchPlan> Replica::next_fetch() const {
    const FollowerCore* const core = follower();
    if (core == nullptr || stopped_ || is_writing_ || closed_ends_ || offline())
        return std::nullopt;
    const LogEnds ends = log_ends();
    // What it asks for says what it has, and it has only what is synced.
    if (settings_.acks_need_sync && ends.durable_end < ends.end) return std::nullopt;
    return core->next_fetch();
}

bool Replica::is_behind() const {
    const FollowerCore* const core = follower();
    return core != nullptr && !is_in_sync_ && core->is_behind();
}

Result<std::optional<FollowStep>> Replica::begin_follow(Fetched& fetched, ProducePlace place,
                                                        AfterGuard& after) {
    FollowerCore* const core = follower();
    if (core == nullptr || stopped_ || is_writing_ || closed_ends_) return FollowStep::taken;
    if (offline()) return fail(ErrorCode::kafka_storage_error, "the log is offline");
    if (core->next_fetch() != fetched.plan) return FollowStep::taken;
    const FetchedPart& part = fetched.part;
    const BytesView bytes = fetched.batches.bytes;
    const bool is_cut = part.diverging || part.log_start > core->log_end_offset();
    const bool is_quick =
        !is_cut && (bytes.empty() || partition_log_->is_one_write(
                                         bytes.size(), fetched.batches.end - fetched.plan.from,
                                         fetched.max_timestamp));
    if (!is_quick && place == ProducePlace::core) return FollowStep::needs_disk;

    FetchOutcome outcome{part.high_watermark, part.log_start, part.diverging, {}};
    if (part.diverging)
        outcome.own_end_of_diverging = partition_log_->end_of_epoch(part.diverging->epoch);
    const FollowerStep step = core->fetched(fetched.plan, outcome);
    after.news |= step.high_watermark_moved;
    if (is_cut) return cut(step, after);
    fetched.raise_start = step.raise_start;
    if (bytes.empty()) {
        TRY_VOID(follow_start(fetched, after));
        return FollowStep::taken;
    }
    auto begun = partition_log_->begin_append(bytes);
    if (!begun) {
        if (is_lost(begun.error())) take_offline(after);
        return std::unexpected(std::move(begun).error());
    }
    fetched.write = *std::move(begun);
    is_writing_ = true;
    return std::nullopt;
}

Result<FollowStep> Replica::end_follow(Fetched& fetched, const Result<void>& written,
                                       env::Instant now, AfterGuard& after) {
    INVARIANT(is_writing_, "the end of a write that was not begun");
    is_writing_ = false;
    // Nobody asks a log that was abandoned meanwhile.
    const Result<void> done =
        closed_ends_ ? written : partition_log_->end_append(fetched.write, written);
    if (!done && !closed_ends_ && is_lost(done.error())) take_offline(after);
    FollowerCore* const core = follower();
    if (done && core != nullptr && !closed_ends_) {
        core->appended(partition_log_->log_end_offset(), partition_log_->last_epoch());
        after.news = true;
        if (!settings_.acks_need_sync) note_unsynced(after);
    }
    take_next_state(now, after);
    TRY_VOID(done);
    if (!closed_ends_ && follower() != nullptr) TRY_VOID(follow_start(fetched, after));
    return settings_.acks_need_sync ? FollowStep::needs_sync : FollowStep::taken;
}

/// The leader's log begins later than it did.
Result<void> Replica::follow_start(const Fetched& fetched, AfterGuard& after) {
    if (!fetched.raise_start) return ok();
    const Offset before = partition_log_->log_start_offset();
    const Offset start = std::min(*fetched.raise_start, partition_log_->log_end_offset());
    if (start > before) TRY_VOID(partition_log_->raise_start(start));
    start_raised(before, after);
    return ok();
}

Result<FollowStep> Replica::cut(const FollowerStep& step, AfterGuard& after) {
    FollowerCore* const core = follower();
    Result<void> done;
    if (step.restart_at) {
        LOG_WARN(logger_, "the leader's log begins later than this one ends: starting anew there",
                 kv("log_end_offset", core->log_end_offset()), kv("offset", *step.restart_at));
        done = partition_log_->restart_at(*step.restart_at);
    } else if (step.truncate_to) {
        if (*step.truncate_to < core->high_watermark()) {
            LOG_WARN(logger_, "cutting off what was known as committed: an unclean election",
                     kv("high_watermark", core->high_watermark()), kv("offset", *step.truncate_to));
        } else {
            LOG_INFO(logger_, "cutting off what the leader does not have",
                     kv("log_end_offset", core->log_end_offset()), kv("offset", *step.truncate_to));
        }
        done = partition_log_->truncate_to(*step.truncate_to);
    } else {
        return FollowStep::taken;
    }
    if (!done && is_lost(done.error())) take_offline(after);
    TRY_VOID(done);
    core->truncated(partition_log_->log_start_offset(), partition_log_->log_end_offset(),
                    partition_log_->last_epoch());
    after.news = true;
    return FollowStep::needs_record;
}

Result<FollowStep> Replica::out_of_range(const FetchPlan& plan, Offset leader_start,
                                         Offset leader_end, AfterGuard& after) {
    FollowerCore* const core = follower();
    if (core == nullptr || stopped_ || is_writing_ || closed_ends_) return FollowStep::taken;
    if (offline()) return fail(ErrorCode::kafka_storage_error, "the log is offline");
    return cut(core->out_of_range(plan, leader_start, leader_end), after);
}

std::optional<IsrProposal> Replica::propose_isr(env::Instant now) {
    is_isr_queued_ = false;
    LeaderCore* const core = leader();
    if (core == nullptr || stopped_ || offline()) return std::nullopt;
    return core->propose_isr(now);
}

void Replica::isr_accepted(std::vector<BrokerId> in_sync_replicas, PartitionEpoch epoch,
                           env::Instant now, AfterGuard& after) {
    LeaderCore* const core = leader();
    if (core == nullptr || (partition_epoch_ && epoch <= *partition_epoch_)) return;
    partition_epoch_ = epoch;
    LOG_INFO(logger_, "in-sync replicas changed",
             kv("in_sync_replicas", fmt::format("{}", in_sync_replicas)));
    carry_out(core->isr_accepted(std::move(in_sync_replicas), epoch, now), after);
}

void Replica::isr_refused(IsrRefusal why, env::Instant now, AfterGuard& after) {
    if (LeaderCore* const core = leader()) carry_out(core->isr_refused(why, now), after);
}

}  // namespace milena::replication
