// SPDX-License-Identifier: Apache-2.0
// Where a replica's log begins, and how it ends when nobody wants it any more.
#include "replica.h"

namespace milena::replication {
namespace {

/// Segments that leave the log under one guard.
constexpr std::size_t kSegmentsAtOnce = 32;

}  // namespace

Result<std::vector<std::string>> Replica::remove_old_segments(AfterGuard& after) {
    // While something is written, or the log is cleaned, the next check is soon enough.
    if (stopped_ || closed_ends_ || offline() || is_writing_) return std::vector<std::string>{};
    if (cleaning_ && may_clean(cleaning_->ticket)) return std::vector<std::string>{};
    const Offset before = partition_log_->log_start_offset();
    auto removed = partition_log_->remove_old_segments(view().high_watermark, kSegmentsAtOnce);
    start_raised(before, after);
    if (partition_log_->offline()) {
        take_offline(after);
    } else {
        note_unsynced(after);  // the next to go may wait for it
    }
    return removed;
}

void Replica::start_raised(Offset before, AfterGuard& after) {
    const Offset start = partition_log_->log_start_offset();
    if (start == before) return;
    if (LeaderCore* const core = leader()) {
        core->log_start_raised(start);
    } else if (auto* const follower = std::get_if<FollowerCore>(&role_)) {
        follower->log_start_raised(start);
    } else {
        roleless_high_watermark_ = std::max(roleless_high_watermark_, start);
    }
    after.news = true;
}

DeleteAnswer Replica::delete_records(Offset offset, const FollowerCounts& counts,
                                     AfterGuard& after) {
    DeleteAnswer answer;
    answer.code = closed_code();
    if (answer.code == ErrorCode::none && leader() == nullptr)
        answer.code = ErrorCode::not_leader_or_follower;
    if (answer.code == ErrorCode::none && settings_.keeps_latest_only)
        answer.code = ErrorCode::policy_violation;
    const Offset high_watermark = view().high_watermark;
    const Offset start = offset == Offset(-1) ? high_watermark : offset;
    if (answer.code == ErrorCode::none && (start < Offset(0) || start > high_watermark))
        answer.code = ErrorCode::offset_out_of_range;
    if (answer.code != ErrorCode::none) return answer;
    const Offset before = partition_log_->log_start_offset();
    if (const auto raised = partition_log_->raise_start(start); !raised) {
        answer.code = raised.error().code;
        return answer;
    }
    start_raised(before, after);
    answer = low_watermark(counts);
    answer.requested = start;
    return answer;
}

DeleteAnswer Replica::low_watermark(const FollowerCounts& counts) const {
    DeleteAnswer answer;
    answer.code = closed_code();
    const LeaderCore* const core = leader();
    if (answer.code == ErrorCode::none && core == nullptr)
        answer.code = ErrorCode::not_leader_or_follower;
    if (answer.code == ErrorCode::none) answer.low_watermark = core->low_watermark(counts);
    return answer;
}

std::optional<Offset> Replica::start_to_checkpoint() const {
    if (closed_ends_) return closed_start_to_checkpoint_;
    const Offset start = partition_log_->log_start_offset();
    return start > partition_log_->first_segment_offset() ? std::optional(start) : std::nullopt;
}

void Replica::abandon() {
    INVARIANT(stopped_, "abandoned before it was stopped");
    if (!closed_ends_) closed_ends_ = log_ends();
}

}  // namespace milena::replication
