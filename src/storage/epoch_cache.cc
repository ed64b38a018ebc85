// SPDX-License-Identifier: Apache-2.0
// The epochs of a log in memory, and the text of their file.
#include "epoch_cache.h"

#include "checkpoint_text.h"

namespace milena::storage {
namespace {

constexpr std::size_t kFileBytesMax = 16U << 20;

}  // namespace

Result<void> EpochCache::load() {
    entries_.clear();
    if (!files_->exists(path_)) return ok();
    TRY(const std::string text, env::read_file(*files_, path_, kFileBytesMax));
    TRY(const CheckpointText checkpoint, CheckpointText::parse(path_, text));
    for (const CheckpointText::Line& line : checkpoint.lines()) {
        const auto epoch =
            line.fields.size() == 2 ? parse_number<std::int32_t>(line.fields[0]) : std::nullopt;
        const auto start =
            line.fields.size() == 2 ? parse_number<std::int64_t>(line.fields[1]) : std::nullopt;
        if (!epoch || !start)
            return checkpoint.malformed(line.number, "expected \"epoch start-offset\"");
        const Entry entry{LeaderEpoch(*epoch), Offset(*start)};
        if (!entries_.empty() &&
            (entry.epoch <= entries_.back().epoch || entry.start < entries_.back().start)) {
            return checkpoint.malformed(line.number, "epochs and offsets must ascend");
        }
        entries_.push_back(entry);
    }
    return ok();
}

void EpochCache::replace(std::vector<Entry> entries) {
    if (entries == entries_) return;
    entries_ = std::move(entries);
    ++version_;
}

std::string EpochCache::text() const {
    std::string text = fmt::format("0\n{}\n", entries_.size());
    for (const Entry& entry : entries_) text += fmt::format("{} {}\n", entry.epoch, entry.start);
    return text;
}

void EpochCache::add(std::vector<Entry>& entries, Entry entry) {
    while (!entries.empty() && entries.back().start >= entry.start) entries.pop_back();
    entries.push_back(entry);
}

void EpochCache::begin(LeaderEpoch epoch, Offset start) {
    if (epoch <= last()) return;
    add(entries_, {epoch, start});
    ++version_;
}

void EpochCache::truncate_end(Offset end) {
    std::vector<Entry> entries = entries_;
    while (!entries.empty() && entries.back().start >= end) entries.pop_back();
    replace(std::move(entries));
}

void EpochCache::truncate_start(Offset start) {
    std::vector<Entry> entries = entries_;
    const auto first_kept =
        std::ranges::find_if(entries, [&](const Entry& entry) { return entry.start > start; });
    if (first_kept == entries.begin()) return;
    const auto holder = std::prev(first_kept);
    holder->start = start;
    entries.erase(entries.begin(), holder);
    replace(std::move(entries));
}

LeaderEpoch EpochCache::at(Offset offset) const {
    const auto after = std::ranges::upper_bound(entries_, offset, {}, &Entry::start);
    return after == entries_.begin() ? kNoLeaderEpoch : std::prev(after)->epoch;
}

std::optional<EpochEnd> EpochCache::end_of(LeaderEpoch epoch, Offset log_end) const {
    if (entries_.empty() || epoch == kNoLeaderEpoch || epoch > last()) return std::nullopt;
    if (epoch == last()) return EpochEnd{epoch, log_end};
    const auto higher = std::ranges::upper_bound(entries_, epoch, {}, &Entry::epoch);
    // An epoch before the first: all that is left of the log is later, so it ends where the log
    // begins.
    if (higher == entries_.begin()) return EpochEnd{epoch, higher->start};
    return EpochEnd{std::prev(higher)->epoch, higher->start};
}

}  // namespace milena::storage
