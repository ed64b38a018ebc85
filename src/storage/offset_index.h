// SPDX-License-Identifier: Apache-2.0
// The offset index of a segment: i32 offset - base, i32 position in the log file, both ascending.
// The offset is the last one of the batch that begins at the position.
#pragma once

#include "index_file.h"
#include "milena/base/ids.h"

namespace milena::storage {

class OffsetIndex {
public:
    static constexpr std::size_t kEntryBytes = 8;

    struct Entry {
        /// Last offset of the batch at `position`; one below the base if there is no entry.
        Offset offset;
        std::uint64_t position = 0;
    };

    OffsetIndex(env::FileSystem& files, std::string path, Offset base)
        : base_(base), file_(files, std::move(path), kEntryBytes) {}

    IndexFile& file() { return file_; }
    /// Needs file().ensure_loaded().
    std::uint64_t count() const { return file_.count(); }

    Result<void> append(Offset last_offset, std::uint64_t position) {
        TRY_VOID(file_.ensure_loaded());
        std::byte bytes[kEntryBytes];
        store(bytes, static_cast<std::int32_t>(last_offset - base_));
        store(bytes + 4, static_cast<std::int32_t>(position));
        file_.append(bytes);
        return ok();
    }

    /// The last entry at or below `offset`: every batch that holds it or a later one begins at or
    /// behind the position.
    Result<Entry> floor(Offset offset) const {
        TRY_VOID(file_.ensure_loaded());
        TRY(const std::uint64_t count, file_.partition_point([&](BytesView bytes) {
            return base_ + load<std::int32_t>(bytes.data()) <= offset;
        }));
        return entry_before(count);
    }
    /// The first entry at or behind `position`; position 0 if there is none.
    Result<Entry> first_at(std::uint64_t position) const {
        TRY_VOID(file_.ensure_loaded());
        TRY(const std::uint64_t count, file_.partition_point([&](BytesView bytes) {
            return load<std::uint32_t>(bytes.data() + 4) < position;
        }));
        return count == file_.count() ? Entry{} : entry_before(count + 1);
    }
    Result<Entry> last() const {
        TRY_VOID(file_.ensure_loaded());
        return entry_before(file_.count());
    }

    /// Drops the entries at or above `end`.
    Result<void> truncate(Offset end) {
        TRY_VOID(file_.ensure_loaded());
        TRY(const std::uint64_t count, file_.partition_point([&](BytesView bytes) {
            return base_ + load<std::int32_t>(bytes.data()) < end;
        }));
        return file_.truncate(count);
    }

private:
    Result<Entry> entry_before(std::uint64_t count) const {
        if (count == 0) return Entry{base_ + -1, 0};
        std::byte bytes[kEntryBytes];
        TRY_VOID(file_.read(count - 1, bytes));
        return Entry{base_ + load<std::int32_t>(bytes), load<std::uint32_t>(bytes + 4)};
    }

    Offset base_;
    IndexFile file_;
};

}  // namespace milena::storage
