// SPDX-License-Identifier: Apache-2.0
// Role changes, fetch and the rest under the guard: the core decides, the log is asked, and what
// concerns others goes into AfterGuard. Produces stand in replica_produce.cc.
#include "replica.h"

#include "disk/unsynced.h"
#include "fetch_bounds.h"
#include "leader_epoch.h"
#include "milena/env/disk_failure.h"
#include "offset_lookup.h"

namespace milena::replication {

Replica::Replica(BrokerId self, Logger logger, std::unique_ptr<storage::Log> log,
                 Offset high_watermark, const PartitionSettings& settings)
    : self_(self),
      logger_(std::move(logger)),
      partition_log_(std::move(log)),
      settings_(settings),
      roleless_high_watermark_(std::clamp(high_watermark, partition_log_->log_start_offset(),
                                          partition_log_->log_end_offset())) {}

LogEnds Replica::log_ends() const {
    if (closed_ends_) return *closed_ends_;
    return {partition_log_->log_start_offset(), partition_log_->log_end_offset(),
            partition_log_->durable_end_offset()};
}

LeaderRules Replica::rules() const {
    return {settings_.min_insync_replicas, settings_.replica_lag_max, settings_.acks_need_sync};
}

ReplicaView Replica::view() const {
    ReplicaView view;
    view.leader = current_leader_;
    const LogEnds ends = log_ends();
    view.log_start = ends.start;
    view.log_end = ends.end;
    view.high_watermark = roleless_high_watermark_;
    if (const LeaderCore* const core = leader()) {
        view.leads = true;
        view.epoch_start = core->epoch_start_offset();
        view.high_watermark = core->high_watermark();
    } else if (const auto* const follower = std::get_if<FollowerCore>(&role_)) {
        view.high_watermark = follower->high_watermark();
    }
    view.last_stable = view.high_watermark;
    if (!closed_ends_) {
        const auto unstable = partition_log_->first_unstable_offset(view.high_watermark);
        if (unstable) view.last_stable = std::min(view.last_stable, *unstable);
    }
    INVARIANT(view.last_stable <= view.high_watermark && view.high_watermark <= view.log_end,
              "last stable offset, high watermark and log end out of order");
    return view;
}

Figures Replica::figures() const {
    const ReplicaView now = view();
    Figures out{.leads = now.leads,
                .offline = offline(),
                .log_start = now.log_start,
                .log_end = now.log_end,
                .high_watermark = now.high_watermark,
                .last_stable = now.last_stable};
    if (!closed_ends_) {
        out.size_bytes = partition_log_->size_bytes();
        out.segments = partition_log_->segment_count();
    }
    if (const LeaderCore* const core = leader()) {
        out.replicas = core->replicas().size();
        out.in_sync_replicas = core->in_sync_replicas().committed().size();
        out.min_insync_replicas = core->effective_min_insync_replicas();
    } else if (const FollowerCore* const following = follower()) {
        out.follows = following->leader();
        out.lag = following->lag();
    }
    return out;
}

ErrorCode Replica::closed_code() const {
    if (offline()) return ErrorCode::kafka_storage_error;
    return stopped_ || std::holds_alternative<std::monostate>(role_)
               ? ErrorCode::not_leader_or_follower
               : ErrorCode::none;
}

ProduceAnswer Replica::refusal(ErrorCode code, std::string why) const {
    ProduceAnswer answer;
    answer.code = code;
    answer.why = std::move(why);
    if (code == ErrorCode::not_leader_or_follower) answer.current_leader = current_leader_;
    return answer;
}

Result<void> Replica::become(const PartitionState& state, env::Instant now, AfterGuard& after) {
    if (stopped_) return fail(ErrorCode::not_leader_or_follower, "the partition was stopped");
    if (offline()) return fail(ErrorCode::kafka_storage_error, "the log is offline");
    if (partition_epoch_ && state.partition_epoch <= *partition_epoch_) return ok();
    if (state.leader_epoch < current_leader_.epoch) return ok();
    if (is_writing_ && state.leader_epoch != current_leader_.epoch) {
        if (!next_state_ || next_state_->partition_epoch < state.partition_epoch)
            next_state_ = state;
        return ok();
    }
    TRY_VOID(state.leader == self_ ? lead(state, now, after) : follow(state, after));
    current_leader_ = {state.leader, state.leader_epoch};
    partition_epoch_ = state.partition_epoch;
    is_in_sync_ = contains(state.in_sync_replicas, self_);
    note_unsynced(after);  // what a recovery has found may not be synced
    after.news = true;
    return ok();
}

Result<void> Replica::lead(const PartitionState& state, env::Instant now, AfterGuard& after) {
    LeaderCore* core = leader();
    if (core == nullptr || core->leader_epoch() < state.leader_epoch) {
        TRY_VOID(begin_epoch(state.leader_epoch));
        MILENA_LOG(logger_, role_change_level(), "became leader",
                   kv("leader_epoch", state.leader_epoch), kv("log_end_offset", log_ends().end),
                   kv("high_watermark", view().high_watermark));
    }
    if (core != nullptr) {
        carry_out(core->update(state, now), after);
        return ok();
    }
    // What a crash has left may not be synced, and counts only then: clients were told of it
    // before, and must not be told of less.
    const LogEnds ends = log_ends();
    if (settings_.acks_need_sync && ends.durable_end < ends.end) TRY_VOID(partition_log_->flush());
    const Offset high_watermark = view().high_watermark;
    core = &role_.emplace<LeaderCore>(state, rules(), log_ends(), high_watermark, now);
    carry_out(core->advance(now), after);
    return ok();
}

/// A full disk does not keep a replica from leading: the epoch is noted again by its first batch,
/// at the same offset.
Result<void> Replica::begin_epoch(LeaderEpoch epoch) {
    const Result<void> noted = partition_log_->begin_epoch(epoch);
    if (noted || (env::is_out_of_space(noted.error()) && !partition_log_->offline())) return ok();
    return noted;
}

Result<void> Replica::follow(const PartitionState& state, AfterGuard& after) {
    if (auto* const follower = std::get_if<FollowerCore>(&role_)) {
        follower->update(state);
        return ok();
    }
    // An epoch that was begun here and has no batch is not part of the history that will be
    // fetched.
    const Offset end = log_ends().end;
    if (partition_log_->epoch_at(end) > partition_log_->last_epoch())
        TRY_VOID(partition_log_->truncate_to(end));
    const Offset high_watermark = view().high_watermark;
    current_leader_ = {state.leader, state.leader_epoch};
    resign(ErrorCode::not_leader_or_follower, after);
    MILENA_LOG(logger_, role_change_level(), "became follower", kv("leader", state.leader),
               kv("leader_epoch", state.leader_epoch));
    role_.emplace<FollowerCore>(state, log_ends(), partition_log_->last_epoch(), high_watermark);
    return ok();
}

void Replica::configure(const PartitionSettings& settings, env::Instant now, AfterGuard& after) {
    settings_ = settings;
    partition_log_->set_options(settings.log);
    if (!stopped_ && !offline()) note_unsynced(after);
    if (LeaderCore* const core = leader()) carry_out(core->configure(rules(), now), after);
}

void Replica::stop(AfterGuard& after) {
    resign(ErrorCode::not_leader_or_follower, after);
    stopped_ = true;
    after.news = true;
}

/// As in Apache Kafka a disk that refuses to write or to read takes its directory with it; one that
/// is full only refuses.
bool Replica::is_lost(const Error& error) const {
    return partition_log_->offline() || env::is_disk_failure(error);
}

void Replica::take_offline(AfterGuard& after) {
    resign(ErrorCode::kafka_storage_error, after);
    after.has_failed |= !std::exchange(storage_failed_, true);
    after.news = true;
}

env::Instant Replica::expire(env::Instant now, AfterGuard& after) {
    LeaderCore* const core = leader();
    if (core == nullptr) return env::kNever;
    if (core->next_deadline() <= now) carry_out(core->expire(now), after);
    return core->next_deadline();
}

FetchAnswer Replica::fetch(const FetchQuestion& question, bool is_withheld, env::Instant now,
                           AfterGuard& after) {
    FetchAnswer answer;
    FetchBounds bounds;
    answer.code = closed_code();
    if (answer.code == ErrorCode::none) {
        bounds = fetch_bounds(question, view(), *partition_log_);
        answer.code = bounds.code;
    }
    if (answer.code == ErrorCode::none && question.replica.value >= 0) {
        answer.code = acknowledge(question, bounds, now, after);
    }
    if (answer.code != ErrorCode::none) {
        const bool moved = answer.code == ErrorCode::not_leader_or_follower ||
                           answer.code == ErrorCode::fenced_leader_epoch;
        if (moved) answer.current_leader = current_leader_;
        return answer;
    }
    const ReplicaView seen = view();
    answer.high_watermark = seen.high_watermark;
    answer.last_stable_offset = seen.last_stable;
    answer.log_start_offset = seen.log_start;
    answer.diverging_epoch = bounds.diverging;
    if (bounds.diverging || question.from >= bounds.upper) return answer;
    answer.is_withheld = is_withheld && !leader()->in_sync_replicas().contains(question.replica);
    if (answer.is_withheld) return answer;
    if (question.bytes_max == 0 && !question.at_least_one_batch) return answer;
    const Result<void> read = read_records(question, bounds.upper, answer);
    if (read) return answer;
    LOG_ERROR(logger_, "read failed", kv("offset", question.from), kv("why", read.error().why));
    if (is_lost(read.error())) take_offline(after);
    FetchAnswer failed;
    failed.code = read.error().code;
    return failed;
}

Result<void> Replica::read_records(const FetchQuestion& question, Offset upper,
                                   FetchAnswer& answer) {
    TRY(answer.records, partition_log_->read(question.from, upper, question.bytes_max,
                                             question.at_least_one_batch));
    if (!question.read_committed || question.replica != kNoBroker) return ok();
    TRY(answer.aborted, partition_log_->aborted_transactions(question.from, answer.records));
    return ok();
}

/// A follower has what lies before the offset it fetches from, unless its history differs. One that
/// is not among the replicas may be ahead of this leader's metadata: it is told to ask again.
ErrorCode Replica::acknowledge(const FetchQuestion& question, const FetchBounds& bounds,
                               env::Instant now, AfterGuard& after) {
    LeaderCore* const core = leader();
    INVARIANT(core != nullptr, "a follower's fetch at a follower");
    if (core->follower(question.replica) == nullptr) {
        return question.current_leader_epoch == kNoLeaderEpoch ? ErrorCode::not_leader_or_follower
                                                               : ErrorCode::unknown_leader_epoch;
    }
    if (bounds.diverging) return ErrorCode::none;
    carry_out(core->follower_fetched({question.replica, question.from, question.log_start_offset,
                                      question.replica_epoch},
                                     now),
              after);
    return ErrorCode::none;
}

std::vector<ReadableFollower> Replica::readable_followers(Offset from, env::Instant now) const {
    const LeaderCore* const core = leader();
    if (core == nullptr || closed_code() != ErrorCode::none) return {};
    return core->readable_followers(from, now);
}

OffsetAnswer Replica::find_offset(const OffsetQuestion& question) {
    OffsetAnswer answer;
    answer.code = closed_code();
    return answer.code == ErrorCode::none ? lookup_offset(question, view(), *partition_log_)
                                          : answer;
}

EpochAnswer Replica::end_of_epoch(LeaderEpoch current_leader_epoch, LeaderEpoch epoch) const {
    EpochAnswer answer;
    answer.code = closed_code();
    if (answer.code == ErrorCode::none)
        answer.code = check_leader_epoch(current_leader_.epoch, current_leader_epoch);
    if (answer.code == ErrorCode::none && leader() == nullptr)
        answer.code = ErrorCode::not_leader_or_follower;
    if (answer.code != ErrorCode::none) return answer;
    answer.end = epoch_end(epoch, view(), *partition_log_).value_or(storage::EpochEnd{});
    return answer;
}

Result<std::vector<storage::ActiveProducer>> Replica::active_producers() const {
    if (const ErrorCode code = closed_code(); code != ErrorCode::none)
        return fail(code, "the replica is closed");
    return partition_log_->active_producers();
}

void Replica::expire_producers(Timestamp now) {
    if (!closed_ends_) partition_log_->expire_producers(now);
}

bool Replica::is_unsynced() const {
    return !closed_ends_ && replication::is_unsynced(*partition_log_);
}

/// An empty log has nothing that is to be synced.
Result<void> Replica::begin_close() {
    INVARIANT(stopped_, "closed before it was stopped");
    if (closed_ends_) return ok();
    TRY_VOID(check_not_writing());
    return log_ends().end == Offset(0) ? close() : partition_log_->begin_close();
}

Result<void> Replica::end_close() {
    if (closed_ends_) return ok();
    TRY_VOID(check_not_writing());
    LogEnds ends = log_ends();
    closed_start_to_checkpoint_ = start_to_checkpoint();
    const Result<void> closed = partition_log_->end_close();
    if (closed) ends.durable_end = ends.end;
    closed_ends_ = ends;
    return closed;
}

/// A node stops its connections, and with them all that they write, before its logs.
Result<void> Replica::check_not_writing() const {
    if (!is_writing_) return ok();
    return fail(ErrorCode::kafka_storage_error, "closed while a batch is written");
}

Result<void> Replica::close() {
    INVARIANT(stopped_, "closed before it was stopped");
    if (closed_ends_) return ok();
    TRY_VOID(check_not_writing());
    LogEnds ends = log_ends();
    closed_start_to_checkpoint_ = start_to_checkpoint();
    const Result<void> closed = partition_log_->close();
    if (closed) ends.durable_end = ends.end;
    closed_ends_ = ends;
    return closed;
}

void Replica::resign(ErrorCode code, AfterGuard& after) {
    if (LeaderCore* const core = leader()) carry_out(core->resign(code), after);
}

void Replica::carry_out(const LeaderOutput& output, AfterGuard& after) {
    after.news |= output.high_watermark_moved;
    if (output.isr_change_due && !is_isr_queued_) after.isr_change_due = is_isr_queued_ = true;
    for (const Completion& end : output.completed) {
        WaitingProduce waiting = waiting_.take(end.ticket);
        ProduceAnswer answer;
        if (end.code == ErrorCode::none) {
            answer.base_offset = waiting.base_offset;
            answer.log_append_time = waiting.log_append_time;
            answer.log_start_offset = log_ends().start;
        } else {
            answer = refusal(end.code, "it was appended, but not known to be committed");
        }
        after.answers.emplace_back(std::move(waiting.done), std::move(answer));
    }
}

}  // namespace milena::replication
