// SPDX-License-Identifier: Apache-2.0
// The rules of ListOffsets, and the numbers with a meaning of their own.
#include "offset_lookup.h"

#include "leader_epoch.h"

namespace milena::replication {
namespace {

using Found = Result<std::optional<storage::TimestampOffset>>;

OffsetAnswer refused(ErrorCode code) {
    OffsetAnswer answer;
    answer.code = code;
    return answer;
}

OffsetAnswer at(Offset offset, LeaderEpoch epoch) {
    OffsetAnswer answer;
    answer.offset = offset;
    answer.leader_epoch = epoch;
    return answer;
}

/// The asker is a consumer and this leader does not know yet what was committed before it.
bool is_not_available(const OffsetQuestion& question, const ReplicaView& view) {
    return view.leads && question.replica == kNoBroker && view.high_watermark < view.epoch_start;
}

OffsetAnswer found_at(const Found& found, bool not_available) {
    if (!found) return refused(found.error().code);
    if (!*found) return refused(not_available ? ErrorCode::offset_not_available : ErrorCode::none);
    OffsetAnswer answer = at((*found)->offset, (*found)->leader_epoch);
    answer.timestamp = (*found)->timestamp;
    return answer;
}

}  // namespace

OffsetAnswer lookup_offset(const OffsetQuestion& question, const ReplicaView& view,
                           storage::Log& log) {
    if (const ErrorCode code = check_leader_epoch(view.leader.epoch, question.current_leader_epoch);
        code != ErrorCode::none) {
        return refused(code);
    }
    if (!view.leads && question.replica != kDebugConsumer)
        return refused(ErrorCode::not_leader_or_follower);

    const Offset end = visible_end(view, question.replica, question.read_committed);
    const bool not_available = is_not_available(question, view);
    if (question.timestamp_or_spec >= 0) {
        return found_at(log.find_timestamp(Timestamp(question.timestamp_or_spec), end),
                        not_available);
    }
    switch (static_cast<OffsetSpec>(question.timestamp_or_spec)) {
        case OffsetSpec::latest:
            return not_available ? refused(ErrorCode::offset_not_available)
                                 : at(end, view.leader.epoch);
        case OffsetSpec::earliest:
        case OffsetSpec::earliest_local:
            return at(view.log_start, view.log_start < view.log_end ? log.epoch_at(view.log_start)
                                                                    : view.leader.epoch);
        case OffsetSpec::max_timestamp: return found_at(log.find_max_timestamp(end), not_available);
        case OffsetSpec::latest_tiered:
        case OffsetSpec::earliest_pending_upload: return {};  // nothing is tiered
    }
    return refused(ErrorCode::unsupported_version);
}

}  // namespace milena::replication
