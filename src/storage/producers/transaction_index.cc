// SPDX-License-Identifier: Apache-2.0
// Entries ascend by their markers' offsets: a search finds the first that is not over yet.
#include "producers/transaction_index.h"

namespace milena::storage {
namespace {

constexpr std::size_t kLastOffsetAt = 18;

Offset last_offset_of(BytesView entry) {
    return Offset(load<std::int64_t>(entry.data() + kLastOffsetAt));
}

}  // namespace

Result<void> TransactionIndex::append(const EndedTransaction& aborted) {
    TRY_VOID(file_.ensure_loaded());
    std::byte bytes[kEntryBytes] = {};
    store(bytes + 2, aborted.producer.value);
    store(bytes + 10, aborted.first_offset.value);
    store(bytes + kLastOffsetAt, aborted.last_offset.value);
    store(bytes + 26, aborted.last_stable_offset.value);
    file_.append(bytes);
    return ok();
}

Result<void> TransactionIndex::truncate(Offset end) {
    TRY_VOID(file_.ensure_loaded());
    TRY(const std::uint64_t count,
        file_.partition_point([&](BytesView entry) { return last_offset_of(entry) < end; }));
    return file_.truncate(count);
}

Result<bool> TransactionIndex::overlapping(Offset from, Offset upper,
                                           std::vector<IndexedTransaction>& into) const {
    TRY_VOID(file_.ensure_loaded());
    if (file_.count() == 0) return false;
    TRY(std::uint64_t index,
        file_.partition_point([&](BytesView entry) { return last_offset_of(entry) < from; }));
    for (; index < file_.count(); ++index) {
        std::byte bytes[kEntryBytes];
        TRY_VOID(file_.read(index, bytes));
        const IndexedTransaction entry{
            ProducerId(load<std::int64_t>(bytes + 2)), Offset(load<std::int64_t>(bytes + 10)),
            last_offset_of(bytes), Offset(load<std::int64_t>(bytes + 26))};
        if (entry.first_offset < upper) into.push_back(entry);
        // Whatever ends later began at or behind this.
        if (entry.last_stable_offset >= upper) return true;
    }
    return false;
}

Result<bool> TransactionIndex::collect(Offset from, Offset upper,
                                       std::vector<AbortedTransaction>& into) const {
    std::vector<IndexedTransaction> entries;
    TRY(const bool is_complete, overlapping(from, upper, entries));
    for (const IndexedTransaction& entry : entries)
        into.push_back({entry.producer, entry.first_offset});
    return is_complete;
}

Result<FileWrite> TransactionIndex::whole() const {
    TRY_VOID(file_.ensure_loaded());
    FileWrite write = file_.whole();
    write.is_for_existing = file_.count() == 0;
    return write;
}

}  // namespace milena::storage
