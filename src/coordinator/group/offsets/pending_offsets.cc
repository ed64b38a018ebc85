// SPDX-License-Identifier: Apache-2.0
// A key is forgotten with its last commit. Each commit has an entry in the order of offsets, so
// one whose key was committed again is passed over.
#include "pending_offsets.h"

#include "milena/base/invariant.h"
#include "offset_records.h"

namespace milena::coordinator {
namespace {

/// Commits of keys that were committed again, which the order may have anyhow.
constexpr std::size_t kOrderSlack = 1024;

std::optional<std::vector<std::byte>> copy(const std::optional<BytesView>& value) {
    if (!value) return std::nullopt;
    return std::vector<std::byte>(value->begin(), value->end());
}

RecordView view(std::string_view key, const std::vector<std::byte>& value, Offset offset) {
    return {.key = as_bytes(key), .value = BytesView(value), .offset = offset};
}

}  // namespace

StoredByKey by_key(std::span<const RecordView> stored) {
    StoredByKey found;
    for (const RecordView& record : stored) {
        if (record.value) found.emplace(as_text(record.key), *record.value);
    }
    return found;
}

void PendingOffsets::note(const RecordView& record) {
    INVARIANT(by_offset_.empty() || by_offset_.back().first < record.offset,
              "a commit comes before one that was noted");
    const auto [place, is_new] = by_key_.try_emplace(std::string(as_text(record.key)));
    if (is_new) bytes_ += place->first.size();
    bytes_ -= size_of(place->second);
    place->second = {.value = copy(record.value), .offset = record.offset};
    bytes_ += size_of(place->second);
    by_offset_.emplace_back(record.offset, place);
    // One key may be committed again and again.
    if (by_offset_.size() > 2 * by_key_.size() + kOrderSlack) {
        std::erase_if(by_offset_,
                      [](const auto& one) { return one.second->second.offset != one.first; });
    }
}

bool PendingOffsets::is_gone(std::string_view key) const {
    const auto found = by_key_.find(key);
    return found != by_key_.end() && !found->second.value;
}

std::vector<std::string> PendingOffsets::groups() const {
    std::vector<std::string> groups;
    for (const auto& [key, last] : by_key_) {
        if (!last.value) continue;
        const auto read = read_offset_key(as_bytes(key));
        // Those of one group are neighbours.
        if (read && (groups.empty() || groups.back() != read->group))
            groups.emplace_back(read->group);
    }
    return groups;
}

void PendingOffsets::forget_below(Offset applied) {
    while (!by_offset_.empty() && by_offset_.front().first < applied) {
        const auto [offset, place] = by_offset_.front();
        by_offset_.pop_front();
        // The iterator is good as long as the key is there: it goes with its last commit.
        if (place->second.offset != offset) continue;
        bytes_ -= place->first.size() + size_of(place->second);
        by_key_.erase(place);
    }
}

bool PendingOffsets::has_any(BytesView prefix) const {
    const std::string_view begin = as_text(prefix);
    for (auto at = by_key_.lower_bound(begin); at != by_key_.end(); ++at) {
        if (!at->first.starts_with(begin)) break;
        if (at->second.value) return true;
    }
    return false;
}

std::vector<RecordView> PendingOffsets::with(std::span<const RecordView> stored,
                                             BytesView prefix) const {
    const std::string_view begin = as_text(prefix);
    std::vector<RecordView> all;
    auto at = by_key_.lower_bound(begin);
    const auto take_up_to = [&](std::optional<std::string_view> key) {
        for (; at != by_key_.end() && at->first.starts_with(begin); ++at) {
            if (key && at->first >= *key) break;
            if (at->second.value)
                all.push_back(view(at->first, *at->second.value, at->second.offset));
        }
    };
    for (const RecordView& record : stored) {
        const std::string_view key = as_text(record.key);
        if (!key.starts_with(begin)) continue;
        take_up_to(key);
        if (!by_key_.contains(key) && record.value) all.push_back(record);
    }
    take_up_to(std::nullopt);
    return all;
}

std::optional<BytesView> PendingOffsets::value_of(BytesView key, const StoredByKey& stored) const {
    if (const auto last = by_key_.find(as_text(key)); last != by_key_.end()) {
        if (!last->second.value) return std::nullopt;
        return BytesView(*last->second.value);
    }
    const auto in_store = stored.find(as_text(key));
    return in_store == stored.end() ? std::nullopt : std::optional(in_store->second);
}

}  // namespace milena::coordinator
