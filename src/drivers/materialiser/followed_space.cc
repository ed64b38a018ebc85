// SPDX-License-Identifier: Apache-2.0
// A reader of committed data, on this node's own replica: Partition::fetch() tells with each piece
// whether the log still has what the store was made of.
#include "followed_space.h"

#include <algorithm>

#include <fmt/format.h>

#include "committed_records.h"

namespace milena::drivers {
namespace {

/// More of changes, which may come out of few compressed bytes, are not gathered for one write.
constexpr std::size_t kWriteBytesMax = 1 << 20;
/// What is kept between turns of the memory that one took.
constexpr std::size_t kReadBytesKept = 64 << 10;

constexpr std::size_t kTypeBytes = sizeof(std::int16_t);

storage::StateSpace space_of(const replication::Partition& replica) {
    return {replica.topic_id(), replica.name().partition};
}

/// The log is not the one that was read up to there.
bool is_foreign(const replication::FetchAnswer& answer) {
    return answer.diverging_epoch || answer.code == ErrorCode::offset_out_of_range;
}

}  // namespace

FollowedSpace::FollowedSpace(Logger log, Parts parts)
    : log_(log.with("partition", parts.replica->name().text())),
      parts_(std::move(parts)),
      space_(space_of(*parts_.replica)) {}

void FollowedSpace::partition_has_news() {
    const bool had_news =
        has_news_.with([](bool& has_news) { return std::exchange(has_news, true); });
    if (!had_news) parts_.wake();
}

bool FollowedSpace::take_news() {
    return has_news_.with([](bool& has_news) { return std::exchange(has_news, false); });
}

std::optional<Offset> FollowedSpace::applied() const {
    return applied_.with([](const std::optional<Offset>& applied) { return applied; });
}

void FollowedSpace::publish(std::optional<Offset> applied) {
    applied_.with([&](std::optional<Offset>& now) { now = applied; });
}

Result<FollowedSpace::Outcome> FollowedSpace::advance(const Turn& turn) {
    Outcome outcome;
    TRY(const auto from, begin(turn, outcome));
    const auto answer = ask(from, turn.bytes);
    if (is_foreign(answer)) {
        TRY_VOID(begin_anew(turn, outcome));
        return outcome;
    }
    // Without a role, or closed for good: there is news when that changes.
    if (answer.code != ErrorCode::none) return outcome;
    outcome.has_moved |= applied() != from.applied;
    publish(from.applied);
    if (answer.records.length > 0) {
        TRY_VOID(read(answer.records));
        // What was read is what lies there now: it may not have been cut in between.
        if (is_foreign(ask(from, 0))) {
            TRY_VOID(begin_anew(turn, outcome));
            return outcome;
        }
        TRY_VOID(apply(answer, turn, outcome));
    }
    is_up_to_date_ = position_->applied >= answer.last_stable_offset;
    outcome.has_more = !is_up_to_date_ && position_->applied > from.applied;
    return outcome;
}

Result<void> FollowedSpace::begin_anew(const Turn& turn, Outcome& outcome) {
    if (is_stored_) return make_anew(turn, "its log does not have what it was made of", outcome);
    // The log has begun to start elsewhere since this turn began.
    position_.reset();
    outcome.has_more = true;
    return ok();
}

Result<storage::StatePosition> FollowedSpace::begin(const Turn& turn, Outcome& outcome) {
    if (position_) return *position_;
    TRY(const auto stored, turn.store.position(space_));
    is_stored_ = stored.has_value();
    if (stored && turn.now_ms - stored->written_ms > turn.age_max_ms)
        TRY_VOID(make_anew(turn, "it is older than delete.retention.ms", outcome));
    position_ = is_stored_ ? *stored
                           : storage::StatePosition{parts_.replica->log_start_offset(),
                                                    kNoLeaderEpoch, turn.now_ms};
    return *position_;
}

Result<void> FollowedSpace::make_anew(const Turn& turn, std::string_view why, Outcome& outcome) {
    LOG_WARN(log_, "state of a coordinator's log is made anew", kv("why", why),
             kv("log_start_offset", parts_.replica->log_start_offset()),
             kv("log_end_offset", parts_.replica->log_end_offset()));
    // Nobody may take it for what it was while it is not yet again.
    publish(std::nullopt);
    TRY_VOID(turn.store.drop(space_));
    position_.reset();
    is_stored_ = is_up_to_date_ = false;
    outcome = {.has_moved = true, .has_more = true, .is_rebuilt = true};
    return ok();
}

replication::FetchAnswer FollowedSpace::ask(const storage::StatePosition& from,
                                            std::uint64_t bytes) const {
    replication::FetchQuestion question;
    question.from = from.applied;
    question.last_fetched_epoch = from.epoch;
    question.leader_only = false;
    question.read_committed = true;
    question.bytes_max = bytes;
    question.at_least_one_batch = bytes > 0;
    return parts_.replica->fetch(question);
}

Result<void> FollowedSpace::read(const storage::FileRange& range) {
    read_.resize(range.length);
    TRY(const std::size_t count, range.file->read_at(range.position, read_));
    read_.resize(count);
    return ok();
}

Result<void> FollowedSpace::apply(const replication::FetchAnswer& answer, const Turn& turn,
                                  Outcome& outcome) {
    staged_.clear();
    const ReadBatches batches{read_, position_->applied, answer.aborted};
    const auto each = [&](const record::RecordView& record, LeaderEpoch epoch) -> Result<void> {
        stage(record);
        ++outcome.records;
        if (staged_.bytes() < kWriteBytesMax) return ok();
        return write(turn, record.offset.next(), epoch, outcome);
    };
    TRY(const ReadEnd last, for_each_committed(batches, scratch_, each));
    if (last.end > position_->applied) TRY_VOID(write(turn, last.end, last.epoch, outcome));
    if (read_.capacity() > kReadBytesKept) std::vector<std::byte>().swap(read_);
    return ok();
}

/// What has no key, or none with a type, can't be a coordinator's.
void FollowedSpace::stage(const record::RecordView& record) {
    if (!record.key || record.key->size() < kTypeBytes) return;
    if (!parts_.has_offset_keys || load<std::int16_t>(record.key->data()) != 0) {
        staged_.add(*record.key, record.value);
        return;
    }
    std::vector<std::byte> key(record.key->begin(), record.key->end());
    store<std::int16_t>(key.data(), 1);
    staged_.add(key, record.value);
}

Result<void> FollowedSpace::write(const Turn& turn, Offset applied, LeaderEpoch epoch,
                                  Outcome& outcome) {
    const storage::StatePosition after{applied, epoch, turn.now_ms};
    TRY_VOID(turn.store.write(space_, staged_.changes(), after));
    staged_.clear();
    position_ = after;
    is_stored_ = true;
    publish(applied);
    outcome.has_moved = true;
    return ok();
}

Result<bool> FollowedSpace::keep_young(storage::StateStore& to, std::int64_t now_ms,
                                       std::int64_t age_ms) {
    if (!is_stored_ || !position_ || !is_up_to_date_) return false;
    if (now_ms - position_->written_ms <= age_ms) return false;
    storage::StatePosition young = *position_;
    young.written_ms = now_ms;
    TRY_VOID(to.write(space_, {}, young));
    position_ = young;
    return true;
}

}  // namespace milena::drivers
