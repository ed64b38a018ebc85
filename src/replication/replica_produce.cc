// SPDX-License-Identifier: Apache-2.0
// A produce at its leader, in the steps around the write: what is decided before it, and what comes
// of it.
#include "replica.h"

namespace milena::replication {
namespace {

/// LogAppendTime ascends although the clock is set back by no more than this. A larger step is
/// followed: else a clock that was wrong by a day would leave its mark on a day of records.
constexpr std::int64_t kClockStepMaxMs = 1000;

/// Kafka's answer to a batch of which it has looked at the records names the log's start; one to a
/// batch of a wrong size or checksum does not.
bool tells_log_start(ErrorCode refused) {
    return refused != ErrorCode::message_too_large && refused != ErrorCode::record_list_too_large &&
           refused != ErrorCode::corrupt_message;
}

}  // namespace

void stamp_append_time(PreparedBatch& batch, Timestamp time) {
    if (batch.log_append_time.value < 0) return;
    record::stamp_timestamps(batch.bytes, record::TimestampType::log_append, time);
    batch.log_append_time = time;
}

bool Replica::refuse_produce(Production& batch) const {
    const LeaderCore* const core = leader();
    if (const ErrorCode code = closed_code(); code != ErrorCode::none) {
        batch.answer = refusal(code, "the replica is closed");
    } else if (core == nullptr) {
        batch.answer =
            refusal(ErrorCode::not_leader_or_follower, "this broker does not lead the partition");
    } else if (const auto admitted = core->admit(batch.acks); !admitted) {
        batch.answer = refusal(admitted.error().code, admitted.error().why);
    } else if (batch.prepared->refusal) {
        batch.answer = refuse_batch(*batch.prepared->refusal);
    } else {
        return false;
    }
    return true;
}

std::optional<ProduceStep> Replica::begin_produce(Production& batch, ProducePlace place,
                                                  Timestamp wall, Staged& staged,
                                                  AfterGuard& after) {
    if (is_writing_) return ProduceStep::needs_disk;
    if (refuse_produce(batch)) return ProduceStep::answered;
    PreparedBatch& prepared = *batch.prepared;
    const record::BatchView sent(prepared.bytes);
    if (sent.producer_id().value >= 0) {
        const auto before = partition_log_->check_producer(sent);
        if (!before) {
            batch.answer = refuse_batch({before.error().code, before.error().why, {}});
            return ProduceStep::answered;
        }
        // Its first answer may have been lost; told before all have it, it could still be.
        if (const auto& first = *before)
            return settle({first->base_offset(), first->last_offset.next(), first->timestamp},
                          batch);
    }
    keep_append_time_ascending(prepared, wall);
    if (place == ProducePlace::core &&
        !partition_log_->is_one_write(prepared.bytes.size(), prepared.records,
                                      sent.max_timestamp())) {
        return ProduceStep::needs_disk;
    }
    if (prepared.log_append_time.value >= 0) last_append_time_ = prepared.log_append_time;
    const Append place_in_log = leader()->stage(prepared.records);
    record::stamp(prepared.bytes, place_in_log.base_offset, place_in_log.leader_epoch);
    auto begun = partition_log_->begin_append(prepared.bytes);
    if (!begun) {
        batch.answer = append_failed(begun.error(), after);
        return ProduceStep::answered;
    }
    staged.batch = {place_in_log.base_offset, place_in_log.base_offset + prepared.records,
                    prepared.log_append_time};
    staged.write = *std::move(begun);
    is_writing_ = true;
    return std::nullopt;
}

void Replica::keep_append_time_ascending(PreparedBatch& batch, Timestamp wall) {
    if (batch.log_append_time >= last_append_time_) return;
    const bool was_set_back = last_append_time_.value - wall.value > kClockStepMaxMs;
    stamp_append_time(batch, was_set_back ? wall : std::max(wall, last_append_time_));
}

ProduceStep Replica::end_produce(Production& batch, Staged& staged, const Result<void>& written,
                                 env::Instant now, AfterGuard& after) {
    INVARIANT(is_writing_, "the end of a write that was not begun");
    is_writing_ = false;
    const ErrorCode closed = closed_code();
    // Nobody asks a log that was abandoned meanwhile.
    const Result<void> done =
        closed_ends_ ? written : partition_log_->end_append(staged.write, written);
    ProduceStep step = ProduceStep::answered;
    if (closed != ErrorCode::none) {
        batch.answer = refusal(closed, "the replica was closed while the batch was written");
    } else if (!done) {
        batch.answer = append_failed(done.error(), after);
    } else {
        batch.is_appended = true;
        after.news = true;
        carry_out(leader()->appended(staged.batch.end, now), after);
        note_unsynced(after);
        step = settle(staged.batch, batch);
    }
    take_next_state(now, after);
    return step;
}

/// Nobody is there to be told of an error: what its caller makes of a failed become() is done here,
/// and the directory fails with the next look at its logs.
void Replica::take_next_state(env::Instant now, AfterGuard& after) {
    const auto state = std::exchange(next_state_, std::nullopt);
    if (!state || stopped_ || storage_failed_) return;
    const auto became = become(*state, now, after);
    if (became) return;
    LOG_ERROR(logger_, "role not taken", kv("why", became.error().why));
    if (offline()) take_offline(after);
}

ProduceStep Replica::settle(const Appended& batch, Production& production) {
    const ParkedProduce parked{batch.end, production.deadline, waiting_.next_ticket()};
    if ((production.acks == Acks::all && leader()->park(parked)) ||
        (production.acks == Acks::leader && leader()->park_until_synced(parked))) {
        waiting_.add({std::move(production.done), batch.base_offset, batch.log_append_time});
        production.deadline = std::min(production.deadline, leader()->next_deadline());
        return ProduceStep::parked;
    }
    production.answer.base_offset = batch.base_offset;
    production.answer.log_append_time = batch.log_append_time;
    production.answer.log_start_offset = partition_log_->log_start_offset();
    return ProduceStep::answered;
}

ProduceAnswer Replica::refuse_batch(record::Refusal refused) const {
    ProduceAnswer answer = refusal(refused.code, std::move(refused.why));
    if (tells_log_start(answer.code)) answer.log_start_offset = partition_log_->log_start_offset();
    answer.record_errors = std::move(refused.records);
    return answer;
}

ProduceAnswer Replica::append_failed(const Error& error, AfterGuard& after) {
    leader()->append_failed();
    if (is_lost(error)) take_offline(after);
    return refusal(error.code, error.why);
}

}  // namespace milena::replication
