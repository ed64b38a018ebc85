// SPDX-License-Identifier: Apache-2.0
// Takes the guard for each call, and carries out what is left to do after it.
#include "local_partition.h"

namespace milena::replication {
namespace {

/// Most that a batch may expand to while it is compressed anew, which needs all of it in memory.
constexpr std::size_t kRecompressedBytesMax = 128UL * 1024 * 1024;

/// Wraps the batch anew if its topic stores another codec; gives what is in the way.
std::optional<Error> to_stored_codec(record::BatchView batch, const PartitionSettings& settings,
                                     record::Scratch* scratch, PreparedBatch& prepared) {
    if (!settings.codec || batch.codec() == *settings.codec) return std::nullopt;
    record::Scratch own;
    const record::Recompression wanted{
        *settings.codec, settings.compression_levels,
        std::min(settings.rules.limits.record_bytes_max, kRecompressedBytesMax)};
    auto bytes = record::recompress(batch, wanted, scratch == nullptr ? own : *scratch);
    if (!bytes) return std::move(bytes).error();
    if (bytes->size() > settings.rules.batch_bytes_max) {
        return Error{ErrorCode::message_too_large,
                     fmt::format("a batch of {} bytes when it is compressed anew, with {} allowed",
                                 bytes->size(), settings.rules.batch_bytes_max)};
    }
    prepared.recompressed = *std::move(bytes);
    prepared.bytes = prepared.recompressed;
    return std::nullopt;
}

/// What a thread that serves connections may spend on one batch.
struct Effort {
    std::size_t batch_bytes_max = SIZE_MAX;
    std::uint64_t expanded_bytes_max = UINT64_MAX;
    bool may_recompress = true;
};
constexpr Effort kInPlace{.batch_bytes_max = env::WriteLane::kInPlaceBytesMax,
                          .expanded_bytes_max = 256UL * 1024,
                          .may_recompress = false};

/// Finds out everything about a produced batch that can be known without the partition's state;
/// false, and nothing is known, if that takes more than `effort`.
bool prepare_batch(const Production& production, const PartitionSettings& settings, Timestamp now,
                   const Effort& effort, PreparedBatch& prepared) {
    record::Scratch* const scratch = production.scratch;
    auto batch = record::sole_batch(production.records);
    if (!batch) {
        prepared.refusal = std::move(batch).error();
        prepared.is_no_batch = true;
        return true;
    }
    const bool is_recompressed = settings.codec && batch->codec() != *settings.codec;
    if (batch->size() > effort.batch_bytes_max || (is_recompressed && !effort.may_recompress))
        return false;
    prepared.bytes = production.records.first(batch->size());
    auto accepted =
        record::validate_produced(*batch, settings.rules, now, scratch, effort.expanded_bytes_max);
    if (!accepted) {
        prepared.refusal = std::move(accepted).error();
        return true;
    }
    if (!accepted->is_inspected) return false;
    if (auto why = to_stored_codec(*batch, settings, scratch, prepared)) {
        prepared.refusal = record::Refusal{why->code, std::move(why->why), {}};
        return true;
    }
    if (prepared.bytes.size() > settings.log.segment_bytes) {
        prepared.refusal = {ErrorCode::record_list_too_large,
                            fmt::format("a batch of {} bytes does not fit a segment of {}",
                                        prepared.bytes.size(), settings.log.segment_bytes),
                            {}};
        return true;
    }
    prepared.records = batch->record_count();
    const record::TimestampType type = settings.rules.timestamp_type;
    if (type == record::TimestampType::log_append) prepared.log_append_time = now;
    record::stamp_timestamps(prepared.bytes, type, accepted->max_timestamp);
    return true;
}

Timestamp greatest_timestamp(BytesView batches) {
    Timestamp greatest{-1};
    while (!batches.empty()) {
        const record::BatchView batch = **record::first_batch(batches);
        greatest = std::max(greatest, batch.max_timestamp());
        batches = batches.subspan(batch.size());
    }
    return greatest;
}

}  // namespace

std::shared_ptr<Partition> Partition::make(env::Env& env, const Logger& logger,
                                           ReplicaParts parts) {
    return std::make_shared<LocalPartition>(env, logger, std::move(parts));
}

LocalPartition::LocalPartition(env::Env& env, const Logger& logger, ReplicaParts parts)
    : clock_(env.clock()),
      name_(std::move(parts.name)),
      topic_id_(parts.topic_id),
      settings_(std::make_shared<const PartitionSettings>(parts.settings)),
      replica_(parts.self, logger.with("partition", name_.text()), std::move(parts.log),
               parts.high_watermark, parts.settings) {}

template <class F>
auto LocalPartition::decide(F&& decide) {
    AfterGuard after;
    const auto collect = [&](Replica& replica) {
        if (after.news) replica.listeners().collect(after.round);
    };
    if constexpr (std::is_void_v<std::invoke_result_t<F&, Replica&, AfterGuard&>>) {
        replica_.with([&](Replica& replica) {
            decide(replica, after);
            collect(replica);
        });
        carry_out(after);
    } else {
        auto result = replica_.with([&](Replica& replica) {
            auto decided = decide(replica, after);
            collect(replica);
            return decided;
        });
        carry_out(after);
        return result;
    }
}

void LocalPartition::carry_out(AfterGuard& after) {
    if (after.wants_sync) {
        auto* const syncs = place_.with([](const Place& place) { return place.syncs; });
        if (syncs != nullptr) syncs->add(weak_from_this());
    }
    if (after.has_failed && failures_ != nullptr) failures_->add(weak_from_this());
    if (after.isr_change_due && isr_changes_ != nullptr) isr_changes_->add(weak_from_this());
    for (auto& [done, answer] : after.answers) done(std::move(answer));
    if (after.news) tell(after.round);
}

void LocalPartition::tell(NewsRound& round) {
    round.tell();
    while (round.unfinished()) {
        replica_.with([&](Replica& replica) { replica.listeners().collect(round); });
        round.tell();
    }
}

Result<void> LocalPartition::become(const PartitionState& state) {
    const env::Instant now = clock_.now();
    return decide(
        [&](Replica& replica, AfterGuard& after) { return replica.become(state, now, after); });
}

void LocalPartition::configure(PartitionSettings settings) {
    const env::Instant now = clock_.now();
    decide([&](Replica& replica, AfterGuard& after) { replica.configure(settings, now, after); });
    settings_.store(std::make_shared<const PartitionSettings>(std::move(settings)));
}

void LocalPartition::stop() {
    decide([](Replica& replica, AfterGuard& after) { replica.stop(after); });
}

void LocalPartition::take_offline() {
    decide([](Replica& replica, AfterGuard& after) { replica.take_offline(after); });
}

void LocalPartition::prepare(Production& batch) const {
    prepare_batch(batch, *settings_.load(), clock_.wall(), {}, batch.prepared.emplace());
}

ProduceStep LocalPartition::produce(Production& batch, ProducePlace place) {
    if (!batch.prepared) {
        const Effort effort = place == ProducePlace::core ? kInPlace : Effort{};
        if (!prepare_batch(batch, *settings_.load(), clock_.wall(), effort,
                           batch.prepared.emplace())) {
            batch.prepared.reset();
            return ProduceStep::needs_compute;
        }
    }
    if (batch.prepared->is_no_batch) {
        record::Refusal& refused = *batch.prepared->refusal;
        batch.answer.code = refused.code;
        batch.answer.why = std::move(refused.why);
        batch.answer.record_errors = std::move(refused.records);
        return ProduceStep::answered;
    }
    if (place == ProducePlace::disk_pool) return append_in_pool(batch);
    const auto lane = this->lane();
    return lane->takes_in_place(batch.prepared->bytes.size()) ? append_in_place(batch, *lane)
                                                              : ProduceStep::needs_disk;
}

ProduceStep LocalPartition::append_in_place(Production& batch, env::WriteLane& lane) {
    return decide([&](Replica& replica, AfterGuard& after) {
        Replica::Staged staged;
        const auto known =
            replica.begin_produce(batch, ProducePlace::core, clock_.wall(), staged, after);
        if (known) return *known;
        const env::Instant begin = clock_.now();
        const Result<void> written = staged.write.run();
        const env::Instant now = clock_.now();
        lane.wrote_in_place(batch.prepared->bytes.size(), now - begin);
        return replica.end_produce(batch, staged, written, now, after);
    });
}

ProduceStep LocalPartition::append_in_pool(Production& batch) {
    // It may have waited long for its turn. A large batch takes a while to stamp: not under the
    // guard.
    stamp_append_time(*batch.prepared, clock_.wall());
    Replica::Staged staged;
    const auto lane = this->lane();
    std::optional<env::UnderWay::Mark> mark(std::in_place, writes_);
    const auto known = decide([&](Replica& replica, AfterGuard& after) {
        return replica.begin_produce(batch, ProducePlace::disk_pool, clock_.wall(), staged, after);
    });
    if (known) return *known;
    staged.write.starts_writeback = !lane->is_calm();
    const env::Instant begin = clock_.now();
    const Result<void> written = staged.write.run();
    const env::Instant now = clock_.now();
    mark.reset();
    lane->wrote_in_pool(batch.prepared->bytes.size(), now - begin);
    return decide([&](Replica& replica, AfterGuard& after) {
        return replica.end_produce(batch, staged, written, now, after);
    });
}

env::Instant LocalPartition::expire(env::Instant now) {
    return decide([&](Replica& replica, AfterGuard& after) { return replica.expire(now, after); });
}

FetchAnswer LocalPartition::fetch(const FetchQuestion& question) {
    // Only a follower's time counts.
    const env::Instant now = question.replica.value >= 0 ? clock_.now() : env::Instant();
    const bool is_counted = question.quota != nullptr && is_throttled(CopySide::leader);
    const bool is_withheld = is_counted && question.quota->is_exceeded(now);
    FetchAnswer answer = decide([&](Replica& replica, AfterGuard& after) {
        return replica.fetch(question, is_withheld, now, after);
    });
    answer.is_throttled = is_counted;
    return answer;
}

bool LocalPartition::is_throttled(CopySide side) const {
    const auto settings = settings_.load();
    if (settings->throttled == nullptr) return false;
    const auto& [at_leader, at_follower] = *settings->throttled;
    return (side == CopySide::leader ? at_leader : at_follower).contains(name_.partition);
}

bool LocalPartition::is_behind() const {
    return replica_.with([](const Replica& replica) { return replica.is_behind(); });
}

std::vector<ReadableFollower> LocalPartition::readable_followers(Offset from) const {
    const env::Instant now = clock_.now();
    return replica_.with(
        [&](const Replica& replica) { return replica.readable_followers(from, now); });
}

void LocalPartition::listen(std::weak_ptr<FetchListener> listener) {
    // Held until the guard is released: its destructor may be the caller's own unlisten().
    const std::shared_ptr<FetchListener> alive = listener.lock();
    if (alive == nullptr) return;
    replica_.with([&](Replica& replica) { replica.listeners().add(alive); });
}

void LocalPartition::unlisten(const FetchListener* listener) {
    replica_.with([&](Replica& replica) { replica.listeners().remove(listener); });
}

std::optional<FetchPlan> LocalPartition::next_fetch() {
    return replica_.with([](const Replica& replica) { return replica.next_fetch(); });
}

/// Like a produce: a disk that is not calm is written to with the guard released.
Result<FollowStep> LocalPartition::take_fetched(const FetchPlan& plan, const FetchedPart& part,
                                                ProducePlace place) {
    Replica::Fetched fetched{.plan = plan, .part = part, .batches = {{}, plan.from}};
    if (!part.diverging) {
        TRY(fetched.batches, check_fetched(part.records, plan.from, plan.current_leader_epoch));
        fetched.max_timestamp = greatest_timestamp(fetched.batches.bytes);
    }
    if (place == ProducePlace::disk_pool) return follow_in_pool(fetched);
    const std::size_t bytes = fetched.batches.bytes.size();
    const auto lane = this->lane();
    if (bytes != 0 && !lane->takes_in_place(bytes)) return FollowStep::needs_disk;
    return decide([&](Replica& replica, AfterGuard& after) -> Result<FollowStep> {
        TRY(const auto known, replica.begin_follow(fetched, place, after));
        if (known) return *known;
        const env::Instant begin = clock_.now();
        const Result<void> written = fetched.write.run();
        const env::Instant now = clock_.now();
        lane->wrote_in_place(bytes, now - begin);
        return replica.end_follow(fetched, written, now, after);
    });
}

Result<FollowStep> LocalPartition::follow_in_pool(Replica::Fetched& fetched) {
    const auto lane = this->lane();
    std::optional<env::UnderWay::Mark> mark(std::in_place, writes_);
    TRY(const auto known, decide([&](Replica& replica, AfterGuard& after) {
            return replica.begin_follow(fetched, ProducePlace::disk_pool, after);
        }));
    if (known) return *known;
    fetched.write.starts_writeback = !lane->is_calm();
    const env::Instant begin = clock_.now();
    const Result<void> written = fetched.write.run();
    const env::Instant now = clock_.now();
    mark.reset();
    lane->wrote_in_pool(fetched.batches.bytes.size(), now - begin);
    return decide([&](Replica& replica, AfterGuard& after) {
        return replica.end_follow(fetched, written, now, after);
    });
}

Result<FollowStep> LocalPartition::take_out_of_range(const FetchPlan& plan, Offset leader_start,
                                                     Offset leader_end) {
    std::optional<env::UnderWay::Mark> mark(std::in_place, writes_);
    return decide([&](Replica& replica, AfterGuard& after) {
        return replica.out_of_range(plan, leader_start, leader_end, after);
    });
}

void LocalPartition::set_copied(bool is_copied) {
    replica_.with([&](Replica& replica) { replica.set_copied(is_copied); });
}

bool LocalPartition::begin_swap() {
    return replica_.with([](Replica& replica) { return replica.begin_swap(); });
}

/// The old log is let go after the guard.
Result<std::unique_ptr<storage::Log>> LocalPartition::end_swap(
    const Replica::Successor& successor) {
    const env::Instant now = clock_.now();
    return decide([&](Replica& replica, AfterGuard& after) {
        return replica.end_swap(successor, now, after);
    });
}

void LocalPartition::give_up_swap() {
    const env::Instant now = clock_.now();
    decide([&](Replica& replica, AfterGuard& after) { replica.give_up_swap(now, after); });
}

std::optional<IsrProposal> LocalPartition::propose_isr() {
    const env::Instant now = clock_.now();
    return replica_.with([&](Replica& replica) { return replica.propose_isr(now); });
}

void LocalPartition::isr_accepted(std::vector<BrokerId> in_sync_replicas, PartitionEpoch epoch) {
    const env::Instant now = clock_.now();
    decide([&](Replica& replica, AfterGuard& after) {
        replica.isr_accepted(std::move(in_sync_replicas), epoch, now, after);
    });
}

void LocalPartition::isr_refused(IsrRefusal why) {
    const env::Instant now = clock_.now();
    decide([&](Replica& replica, AfterGuard& after) { replica.isr_refused(why, now, after); });
}

OffsetAnswer LocalPartition::find_offset(const OffsetQuestion& question) {
    return replica_.with([&](Replica& replica) { return replica.find_offset(question); });
}

EpochAnswer LocalPartition::end_of_epoch(LeaderEpoch current_leader_epoch, LeaderEpoch epoch) {
    return replica_.with(
        [&](const Replica& replica) { return replica.end_of_epoch(current_leader_epoch, epoch); });
}

Result<std::vector<storage::ActiveProducer>> LocalPartition::active_producers() const {
    return replica_.with([](const Replica& replica) { return replica.active_producers(); });
}

void LocalPartition::expire_producers(Timestamp now) {
    replica_.with([&](Replica& replica) { replica.expire_producers(now); });
}

DeleteAnswer LocalPartition::delete_records(Offset offset, const FollowerCounts& counts) {
    return decide([&](Replica& replica, AfterGuard& after) {
        return replica.delete_records(offset, counts, after);
    });
}

DeleteAnswer LocalPartition::low_watermark(const FollowerCounts& counts) const {
    return replica_.with([&](const Replica& replica) { return replica.low_watermark(counts); });
}

std::uint64_t LocalPartition::size_bytes() const {
    return replica_.with([](const Replica& replica) { return replica.size_bytes(); });
}

Offset LocalPartition::high_watermark() const {
    return replica_.with([](const Replica& replica) { return replica.view().high_watermark; });
}

Offset LocalPartition::log_start_offset() const {
    return replica_.with([](const Replica& replica) { return replica.view().log_start; });
}

Offset LocalPartition::log_end_offset() const {
    return replica_.with([](const Replica& replica) { return replica.view().log_end; });
}

CurrentLeader LocalPartition::current_leader() const {
    return replica_.with([](const Replica& replica) { return replica.view().leader; });
}

Figures LocalPartition::figures() const {
    return replica_.with([](const Replica& replica) { return replica.figures(); });
}

bool LocalPartition::offline() const {
    return replica_.with([](const Replica& replica) { return replica.offline(); });
}

Result<void> LocalPartition::flush() {
    std::optional<env::UnderWay::Mark> mark(std::in_place, writes_);
    storage::Log::PendingSync pending =
        replica_.with([](Replica& replica) { return replica.begin_sync(); });
    if (!pending.epochs) mark.reset();  // all that is left to do is to sync
    const Result<void> synced = pending.empty() ? ok() : pending.run();
    mark.reset();
    const env::Instant now = clock_.now();
    return decide([&](Replica& replica, AfterGuard& after) {
        synced ? replica.synced(pending, now, after) : replica.sync_failed(synced.error(), after);
        replica.end_sync(after);
        return synced;
    });
}

void LocalPartition::sync_if_due() {
    const env::Instant now = clock_.now();
    decide([&](Replica& replica, AfterGuard& after) { replica.sync_if_due(now, after); });
}

Offset LocalPartition::durable_end_offset() const {
    return replica_.with([](const Replica& replica) { return replica.durable_end_offset(); });
}

Result<void> LocalPartition::close() {
    stop();
    return replica_.with([](Replica& replica) { return replica.close(); });
}

Result<std::vector<std::string>> LocalPartition::remove_old_segments() {
    return decide(
        [](Replica& replica, AfterGuard& after) { return replica.remove_old_segments(after); });
}

std::optional<Offset> LocalPartition::start_to_checkpoint() const {
    return replica_.with([](const Replica& replica) { return replica.start_to_checkpoint(); });
}

bool LocalPartition::is_unsynced() const {
    return replica_.with([](const Replica& replica) { return replica.is_unsynced(); });
}

Result<void> LocalPartition::begin_close() {
    stop();
    return replica_.with([](Replica& replica) { return replica.begin_close(); });
}

Result<void> LocalPartition::end_close() {
    return replica_.with([](Replica& replica) { return replica.end_close(); });
}

void LocalPartition::abandon() {
    stop();
    replica_.with([](Replica& replica) { replica.abandon(); });
}

}  // namespace milena::replication
