// SPDX-License-Identifier: Apache-2.0
// The aborted transactions of a segment (.txnindex), in the order of their markers, which lie in
// the segment. An entry: i16 version 0, i64 producer id, i64 first offset, i64 last offset (the
// marker's), i64 last stable offset once the marker was there. The file is there only if the
// segment has one.
#pragma once

#include "index_file.h"
#include "milena/storage/cleaning.h"
#include "producers/producer_states.h"

namespace milena::storage {

class TransactionIndex {
public:
    static constexpr std::size_t kEntryBytes = 34;

    TransactionIndex(env::FileSystem& files, std::string path)
        : file_(files, std::move(path), kEntryBytes) {}

    IndexFile& file() { return file_; }

    Result<void> append(const EndedTransaction& aborted);
    /// Drops those whose marker lies at or above `end`.
    Result<void> truncate(Offset end);
    /// Adds those that overlap [from, upper). True if no later segment can have more of them.
    Result<bool> collect(Offset from, Offset upper, std::vector<AbortedTransaction>& into) const;
    /// The same, whole.
    Result<bool> overlapping(Offset from, Offset upper,
                             std::vector<IndexedTransaction>& into) const;
    /// As IndexFile::whole(), where there is an entry or a file.
    Result<FileWrite> whole() const;

private:
    IndexFile file_;
};

}  // namespace milena::storage
