// SPDX-License-Identifier: Apache-2.0
// What a coordinator reads of the state store, copied out of it. Blocks: for the disk pool.
#pragma once

#include <span>
#include <vector>

#include "milena/coordinator/groups.h"
#include "milena/storage/state_store.h"

namespace milena::drivers {

/// Keys and values that somebody keeps, as a coordinator wants to see them.
class StoredRecords {
public:
    void add(BytesView key, BytesView value);
    /// Good until the next add().
    std::span<const coordinator::RecordView> views() const { return views_; }
    std::size_t bytes() const { return bytes_; }
    bool empty() const { return views_.empty(); }

private:
    std::vector<std::vector<std::byte>> kept_;
    std::vector<coordinator::RecordView> views_;
    std::size_t bytes_ = 0;
};

/// One place of the store.
struct StoredSpace {
    const storage::StateStore& store;
    storage::StateSpace space;
};

/// Most that is read for one request.
inline constexpr std::size_t kReadBytesMax = 64UL << 20;

/// All that `reads` name and the store has, single keys once. POLICY_VIOLATION if that is more than
/// kReadBytesMax.
Result<StoredRecords> read_stored(const StoredSpace& from,
                                  std::span<const coordinator::StateRead> reads);

/// Most of one page of offsets, but for its last: one batch can delete them all.
inline constexpr std::size_t kPageKeysMax = 1000;
inline constexpr std::size_t kPageBytesMax = 512UL << 10;

/// The next keys of offsets (types 0 and 1) and where the page after them begins; that is empty if
/// there is none.
struct OffsetsPage {
    StoredRecords records;
    std::vector<std::byte> next;
};
/// Of keys that begin with `prefix`; from the beginning if `from` is empty.
Result<OffsetsPage> read_offsets_page(const StoredSpace& of, BytesView prefix, BytesView from);

/// Has groups load() all that is not an offset, and one offset of each group that has any.
Result<void> load_stored(const StoredSpace& from,
                         const std::function<void(const coordinator::RecordView&)>& load);

}  // namespace milena::drivers
