// SPDX-License-Identifier: Apache-2.0
// The time index of a segment: i64 timestamp, i32 offset - base. An entry says: up to the moment it
// was written, this was the greatest timestamp of the segment, and this the last offset of the
// first batch that had it. Timestamps ascend.
#pragma once

#include "index_file.h"
#include "milena/base/ids.h"
#include "milena/env/clock.h"

namespace milena::storage {

using env::Timestamp;

class TimeIndex {
public:
    static constexpr std::size_t kEntryBytes = 12;

    struct Entry {
        /// -1 if there is no entry.
        Timestamp timestamp{-1};
        Offset offset;
    };

    TimeIndex(env::FileSystem& files, std::string path, Offset base)
        : base_(base), file_(files, std::move(path), kEntryBytes) {}

    IndexFile& file() { return file_; }
    /// Needs file().ensure_loaded().
    std::uint64_t count() const { return file_.count(); }

    /// Takes the entry if its timestamp is greater than the last one's.
    Result<void> maybe_append(const Entry& entry) {
        TRY(const Entry before, last());
        if (entry.timestamp <= before.timestamp) return ok();
        std::byte bytes[kEntryBytes];
        store(bytes, entry.timestamp.value);
        store(bytes + 8, static_cast<std::int32_t>(entry.offset - base_));
        file_.append(bytes);
        return ok();
    }

    /// The last entry whose timestamp is below `when`: no record up to its offset is as late as
    /// `when`.
    Result<Entry> last_before(Timestamp when) const {
        TRY_VOID(file_.ensure_loaded());
        TRY(const std::uint64_t count, file_.partition_point([&](BytesView bytes) {
            return load<std::int64_t>(bytes.data()) < when.value;
        }));
        return entry_before(count);
    }
    /// The last entry whose offset is below `end`.
    Result<Entry> last_below(Offset end) const {
        TRY(const std::uint64_t count, count_below(end));
        return entry_before(count);
    }
    Result<Entry> last() const {
        TRY_VOID(file_.ensure_loaded());
        return entry_before(file_.count());
    }

    /// Drops the entries at or above `end`.
    Result<void> truncate(Offset end) {
        TRY(const std::uint64_t count, count_below(end));
        return file_.truncate(count);
    }

private:
    Result<std::uint64_t> count_below(Offset end) const {
        TRY_VOID(file_.ensure_loaded());
        return file_.partition_point(
            [&](BytesView bytes) { return base_ + load<std::int32_t>(bytes.data() + 8) < end; });
    }
    Result<Entry> entry_before(std::uint64_t count) const {
        if (count == 0) return Entry{Timestamp(-1), base_};
        std::byte bytes[kEntryBytes];
        TRY_VOID(file_.read(count - 1, bytes));
        return Entry{Timestamp(load<std::int64_t>(bytes)), base_ + load<std::int32_t>(bytes + 8)};
    }

    Offset base_;
    IndexFile file_;
};

}  // namespace milena::storage
