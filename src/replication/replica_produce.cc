// SPDX-License-Identifier: Apache-2.0
// A produce at its leader, in the steps around the write: what is decided before it, and what comes
// of it.
#include "replica.h"

namespace milena::replication {
namespace {

/// Two produces may be stamped in one order and appended in the other; within this LogAppendTime is
/// made to ascend all the same. A larger step back is the clock's, and is kept.
constexpr std::int64_t kStampRaceMs = 1000;

/// Kafka's answer to a batch of which it has looked at the records names the log's start; one to a
/// batch of a wrong size or checksum does not.
bool tells_log_start(ErrorCode refused) {
    return refused != ErrorCode::message_too_large && refused != ErrorCode::record_list_too_large &&
           refused != ErrorCode::corrupt_message;
}

}  // namespace

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
                                                  Staged& staged, AfterGuard& after) {
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
    if (place == ProducePlace::core &&
        !partition_log_->is_one_write(prepared.bytes.size(), prepared.records,
                                      sent.max_timestamp())) {
        return ProduceStep::needs_disk;
    }
    keep_append_time_ascending(prepared);
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

void Replica::keep_append_time_ascending(PreparedBatch& batch) {
    if (batch.log_append_time.value < 0) return;
    const std::int64_t behind_ms = last_append_time_.value - batch.log_append_time.value;
    if (behind_ms > 0 && behind_ms <= kStampRaceMs) {
        record::stamp_timestamps(batch.bytes, record::TimestampType::log_append, last_append_time_);
        batch.log_append_time = last_append_time_;
    }
    last_append_time_ = batch.log_append_time;
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
    if (const auto state = std::exchange(next_state_, std::nullopt)) {
        if (const auto became = become(*state, now, after); !became && !stopped_)
            LOG_ERROR(logger_, "role not taken", kv("why", became.error().why));
    }
    return step;
}

ProduceStep Replica::settle(const Appended& batch, Production& production) {
    const ParkedProduce parked{batch.end, production.deadline, waiting_.next_ticket()};
    if ((production.acks == Acks::all && leader()->park(parked)) ||
        (production.acks == Acks::leader && leader()->park_until_synced(parked))) {
        waiting_.add({std::move(production.done), batch.base_offset, batch.log_append_time});
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
    if (partition_log_->offline()) take_offline(after);
    return refusal(error.code, error.why);
}

}  // namespace milena::replication
