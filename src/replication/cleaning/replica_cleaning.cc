// SPDX-License-Identifier: Apache-2.0
// What a cleaner may do with a replica's log, and when it may not: a log that is on its way into
// another directory is left alone, and one whose segments are replaced does not go there meanwhile.
#include "local_partition.h"
#include "replica.h"

namespace milena::replication {
namespace {

/// What `then` lets go may go `now` too.
bool allows_as_much(const storage::CompactionOptions& then,
                    const std::optional<storage::CompactionOptions>& now) {
    return now && now->delete_retention_ms <= then.delete_retention_ms &&
           now->min_compaction_lag_ms <= then.min_compaction_lag_ms;
}

}  // namespace

bool Replica::has_its_place() const {
    return !stopped_ && !closed_ends_ && !offline() && !is_swapping_;
}

bool Replica::may_be_cleaned() const {
    return has_its_place() && !is_copied_;
}

Result<std::optional<storage::DirtyLog>> Replica::dirty_part(Offset limit) {
    if (!may_be_cleaned()) return std::nullopt;
    return partition_log_->dirty_part({view().high_watermark, limit});
}

/// A replica that has an old value and not the tombstone behind it would keep the value for ever if
/// the tombstone were gone: its leader knows who lacks what.
Offset Replica::tombstones_stay_from() const {
    Offset all_have(INT64_MAX);
    const LeaderCore* const core = leader();
    if (core == nullptr) return all_have;
    for (const BrokerId replica : core->replicas()) {
        const FollowerProgress* const follower = core->follower(replica);
        if (follower != nullptr) all_have = std::min(all_have, follower->log_end);
    }
    return all_have;
}

Result<std::optional<storage::CleaningSource>> Replica::begin_cleaning(
    const storage::DirtyLog& dirty) {
    if (!may_be_cleaned() || (cleaning_ && may_clean(cleaning_->ticket))) return std::nullopt;
    auto source = partition_log_->begin_cleaning(dirty);
    if (!source && source.error().code == ErrorCode::offset_out_of_range) return std::nullopt;
    if (!source) return std::unexpected(std::move(source).error());
    source->tombstones_stay_from = tombstones_stay_from();
    cleaning_ = {source->ticket, source->segments.front().base, *source->options.compaction};
    return *std::move(source);
}

void Replica::end_cleaning(const storage::CleaningTicket& ticket) {
    if (cleaning_ && cleaning_->ticket == ticket) cleaning_.reset();
}

bool Replica::may_clean(const storage::CleaningTicket& ticket) const {
    return may_be_cleaned() && partition_log_->is_own(ticket) && is_cleaned_by(ticket);
}

/// A log that has lost a segment of the source nevertheless has lost the first one, and then a file
/// that is not found says nothing of the disk.
bool Replica::is_cleaned_by(const storage::CleaningTicket& ticket) const {
    return cleaning_ && cleaning_->ticket == ticket &&
           partition_log_->first_segment_offset() == cleaning_->first_segment &&
           allows_as_much(cleaning_->options, settings_.log.compaction);
}

bool Replica::may_clear_up(const storage::CleaningTicket& ticket) const {
    return has_its_place() && partition_log_->is_same_log(ticket);
}

bool Replica::begin_swap_in(const storage::CleaningTicket& ticket,
                            const storage::CleanedSegment& cleaned) {
    if (!may_clean(ticket)) return false;
    is_replacing_ = partition_log_->begin_swap_in(ticket, cleaned);
    return is_replacing_;
}

Result<std::optional<std::vector<std::string>>> Replica::replace_by(
    const storage::CleaningTicket& ticket, const storage::CleanedSegment& cleaned) {
    if (!may_be_cleaned()) return std::nullopt;
    return partition_log_->replace_by(ticket, cleaned);
}

Result<bool> Replica::come_home(const storage::CleaningTicket& ticket,
                                const storage::CleanedSegment& cleaned) {
    is_replacing_ = false;
    if (!has_its_place()) return false;
    return partition_log_->come_home(ticket, cleaned);
}

Result<void> Replica::call_off_swap_in(const storage::CleaningTicket& ticket) {
    is_replacing_ = false;
    if (!has_its_place()) return ok();
    return partition_log_->call_off_swap_in(ticket);
}

void Replica::set_cleaned_to(const storage::CleaningTicket& ticket, Offset end) {
    if (may_clean(ticket)) partition_log_->set_cleaned_to(ticket, end);
}

std::optional<Offset> Replica::cleaned_to() const {
    return partition_log_->cleaned_to();
}

Result<std::optional<storage::DirtyLog>> LocalPartition::dirty_part(Offset limit) {
    return replica_.with([&](Replica& replica) { return replica.dirty_part(limit); });
}

Result<std::optional<storage::CleaningSource>> LocalPartition::begin_cleaning(
    const storage::DirtyLog& dirty) {
    return replica_.with([&](Replica& replica) { return replica.begin_cleaning(dirty); });
}

void LocalPartition::end_cleaning(const storage::CleaningTicket& ticket) {
    replica_.with([&](Replica& replica) { replica.end_cleaning(ticket); });
}

bool LocalPartition::may_clean(const storage::CleaningTicket& ticket) const {
    return replica_.with([&](const Replica& replica) { return replica.may_clean(ticket); });
}

bool LocalPartition::may_clear_up(const storage::CleaningTicket& ticket) const {
    return replica_.with([&](const Replica& replica) { return replica.may_clear_up(ticket); });
}

bool LocalPartition::begin_swap_in(const storage::CleaningTicket& ticket,
                                   const storage::CleanedSegment& cleaned) {
    return replica_.with([&](Replica& replica) { return replica.begin_swap_in(ticket, cleaned); });
}

Result<std::optional<std::vector<std::string>>> LocalPartition::replace_by(
    const storage::CleaningTicket& ticket, const storage::CleanedSegment& cleaned) {
    return replica_.with([&](Replica& replica) { return replica.replace_by(ticket, cleaned); });
}

Result<bool> LocalPartition::come_home(const storage::CleaningTicket& ticket,
                                       const storage::CleanedSegment& cleaned) {
    return replica_.with([&](Replica& replica) { return replica.come_home(ticket, cleaned); });
}

Result<void> LocalPartition::call_off_swap_in(const storage::CleaningTicket& ticket) {
    return replica_.with([&](Replica& replica) { return replica.call_off_swap_in(ticket); });
}

void LocalPartition::set_cleaned_to(const storage::CleaningTicket& ticket, Offset end) {
    replica_.with([&](Replica& replica) { replica.set_cleaned_to(ticket, end); });
}

std::optional<Offset> LocalPartition::cleaned_to() const {
    return replica_.with([](const Replica& replica) { return replica.cleaned_to(); });
}

}  // namespace milena::replication
