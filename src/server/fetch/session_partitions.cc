// SPDX-License-Identifier: Apache-2.0
// Slots and their names, marks and turns. Nothing takes memory but a partition that is new.
#include "session_partitions.h"

#include <algorithm>

#include "milena/base/invariant.h"

namespace milena::server {
namespace {

/// Nodes of forgotten partitions that are kept for others.
constexpr std::size_t kSpareNodesMax = 1024;

}  // namespace

SessionPartitions::Key SessionPartitions::Names::key(Slot slot) const {
    const Entry& entry = of->entries_[slot];
    return {{entry.name, entry.id}, entry.asked.partition};
}

std::size_t SessionPartitions::Names::hash(const Key& key) const {
    const std::size_t topic = of->uses_topic_ids_ ? std::hash<Uuid>{}(key.topic.id)
                                                  : std::hash<std::string_view>{}(key.topic.name);
    return topic * 31 + static_cast<std::size_t>(key.partition);
}

bool SessionPartitions::Names::same(const Key& a, const Key& b) const {
    if (a.partition != b.partition) return false;
    return of->uses_topic_ids_ ? a.topic.id == b.topic.id : a.topic.name == b.topic.name;
}

SessionPartitions::SessionPartitions(bool uses_topic_ids)
    : uses_topic_ids_(uses_topic_ids), by_name_(0, Names{this}, Names{this}) {}

SessionPartitions::Slot SessionPartitions::free_slot() {
    if (free_.empty()) {
        entries_.emplace_back();
        return static_cast<Slot>(entries_.size() - 1);
    }
    const Slot slot = free_.back();
    free_.pop_back();
    return slot;
}

void SessionPartitions::remember(Slot slot) {
    if (spare_nodes_.empty()) {
        by_name_.insert(slot);
        return;
    }
    spare_nodes_.back().value() = slot;
    by_name_.insert(std::move(spare_nodes_.back()));
    spare_nodes_.pop_back();
}

SessionPartitions::Slot SessionPartitions::ask(const FetchTopic& topic, const Asked& asked) {
    const auto found = by_name_.find(Key{topic, asked.partition});
    Slot slot = 0;
    if (found != by_name_.end()) {
        slot = *found;
        entries_[slot].asked = asked;
    } else {
        slot = free_slot();
        Entry& entry = entries_[slot];
        entry.name = topic.name;
        entry.id = topic.id;
        entry.asked = asked;
        entry.told_high_watermark = entry.told_log_start = Offset(-1);
        entry.position = next_position_++;
        entry.is_used = true;
        remember(slot);
    }
    mark(slot);
    return slot;
}

std::optional<SessionPartitions::Slot> SessionPartitions::forget(const FetchTopic& topic,
                                                                 std::int32_t partition) {
    const auto found = by_name_.find(Key{topic, partition});
    if (found == by_name_.end()) return std::nullopt;
    const Slot slot = *found;
    auto node = by_name_.extract(found);
    if (spare_nodes_.size() < kSpareNodesMax) spare_nodes_.push_back(std::move(node));
    entries_[slot].is_used = false;
    return slot;
}

bool SessionPartitions::mark(Slot slot) {
    Entry& entry = entries_[slot];
    if (entry.is_marked) return false;
    entry.is_marked = true;
    marked_.push_back(slot);
    return true;
}

void SessionPartitions::take(std::vector<Taken>& out) {
    out.clear();
    std::ranges::sort(marked_, {}, [&](Slot slot) { return entries_[slot].position; });
    for (const Slot slot : marked_) {
        Entry& entry = entries_[slot];
        entry.is_marked = false;
        if (!entry.is_used) continue;  // news of one that was forgotten
        if (entry.number == kNotTaken) {
            entry.number = static_cast<std::uint32_t>(taken_.size());
            taken_.push_back(slot);
        }
        out.push_back(
            {slot, entry.number, {entry.name, entry.id}, entry.asked, entry.told_high_watermark});
    }
    marked_.clear();
}

void SessionPartitions::tell(Slot slot, const replication::FetchAnswer& answer) {
    Entry& entry = entries_[slot];
    // After an error the client must hear of the partition again, whatever it is told then.
    entry.told_high_watermark = answer.code == ErrorCode::none ? answer.high_watermark : Offset(-1);
    entry.told_log_start = answer.log_start_offset;
}

bool SessionPartitions::settle(std::uint32_t number, const FetchOutcome& outcome) {
    INVARIANT(number < taken_.size(), "a partition that was not taken");
    const Slot slot = taken_[number];
    Entry& entry = entries_[slot];
    entry.number = kNotTaken;
    const replication::FetchAnswer& answer = outcome.answer;
    const bool has_error = answer.code != ErrorCode::none;
    const bool has_records = answer.records.length != 0;
    if (!outcome.was_asked && !has_error) {
        mark(slot);
        return false;
    }
    const bool goes_elsewhere = outcome.preferred_replica != kNoBroker;
    const bool must_tell = has_error || has_records || answer.diverging_epoch || goes_elsewhere ||
                           entry.told_high_watermark != answer.high_watermark ||
                           entry.told_log_start != answer.log_start_offset;
    tell(slot, answer);
    if (has_records) entry.position = next_position_++;
    // It would answer the same again until the client asks otherwise.
    if (has_error || has_records || answer.diverging_epoch || goes_elsewhere || !outcome.had_room)
        mark(slot);
    return must_tell;
}

void SessionPartitions::put_back() {
    for (const Slot slot : taken_) {
        entries_[slot].number = kNotTaken;
        if (entries_[slot].is_used) mark(slot);
    }
    taken_.clear();
}

}  // namespace milena::server
