// SPDX-License-Identifier: Apache-2.0
// Changes on their way from a log into the state store, gathered to be one write.
#pragma once

#include <vector>

#include "milena/storage/state_store.h"

namespace milena::drivers {

class StagedChanges {
public:
    void add(BytesView key, std::optional<BytesView> value);
    void clear();

    /// Keys and values.
    std::size_t bytes() const { return bytes_.size(); }
    std::size_t count() const { return entries_.size(); }
    /// Until the next add() or clear().
    std::span<const storage::StateChange> changes();

private:
    struct Entry {
        std::size_t key_bytes = 0;
        std::optional<std::size_t> value_bytes;
    };
    std::vector<std::byte> bytes_;
    std::vector<Entry> entries_;
    std::vector<storage::StateChange> changes_;
};

}  // namespace milena::drivers
