// SPDX-License-Identifier: Apache-2.0
// One buffer for all bytes; views into it are made at the end, when it grows no more.
#include "staged_changes.h"

namespace milena::drivers {

void StagedChanges::add(BytesView key, std::optional<BytesView> value) {
    bytes_.insert(bytes_.end(), key.begin(), key.end());
    if (value) bytes_.insert(bytes_.end(), value->begin(), value->end());
    entries_.push_back({key.size(), value ? std::optional(value->size()) : std::nullopt});
}

void StagedChanges::clear() {
    bytes_.clear();
    entries_.clear();
    changes_.clear();
}

std::span<const storage::StateChange> StagedChanges::changes() {
    changes_.clear();
    BytesView rest = bytes_;
    for (const Entry& entry : entries_) {
        storage::StateChange change{rest.first(entry.key_bytes), std::nullopt};
        rest = rest.subspan(entry.key_bytes);
        if (entry.value_bytes) {
            change.value = rest.first(*entry.value_bytes);
            rest = rest.subspan(*entry.value_bytes);
        }
        changes_.push_back(change);
    }
    return changes_;
}

}  // namespace milena::drivers
