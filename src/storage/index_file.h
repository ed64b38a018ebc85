// SPDX-License-Identifier: Apache-2.0
// A sorted file of entries of equal size, as the indexes of a segment are. Whole
// blocks of about 4 KiB lie in the file; what comes behind them is in memory, and written by
// whoever appends once it is more than a block, at a roll and at a clean stop. A search reads at
// most one block: the first entry of each is kept (loaded when first needed). No file stays open
// and nothing is mapped.
#pragma once

#include <string>
#include <vector>

#include "milena/env/files.h"
#include "milena/storage/pending_append.h"

namespace milena::storage {

class IndexFile {
public:
    static constexpr std::size_t kBlockBytesMax = 4096;
    static constexpr std::size_t kEntryBytesMax = 34;

    IndexFile(env::FileSystem& files, std::string path, std::size_t entry_bytes)
        : files_(&files),
          path_(std::move(path)),
          entry_bytes_(entry_bytes),
          entries_per_block_(kBlockBytesMax / entry_bytes) {}

    /// A file of `size` bytes can be an index.
    bool is_possible_size(std::uint64_t size) const { return size % entry_bytes_ == 0; }
    /// Takes over the entries of the file, which has `size` bytes and is looked at when an entry is
    /// first needed: most sealed segments are never searched. An entry of zeros ends them: a file
    /// that was grown ahead is full of them.
    void attach(std::uint64_t size);
    /// Has looked at the file once this has succeeded; every other function needs that.
    Result<void> ensure_loaded() const {
        return is_loaded_ ? ok() : const_cast<IndexFile*>(this)->load();
    }

    /// Of the entries, as far as that is known without a look at the file.
    std::uint64_t bytes() const { return is_loaded_ ? count() * entry_bytes_ : attached_bytes_; }
    std::uint64_t count() const {
        INVARIANT(is_loaded_, "an index is counted before it is loaded");
        return blocks_ * entries_per_block_ + tail_.size() / entry_bytes_;
    }
    /// Forgets everything; what the file holds is overwritten and cut later.
    void clear();

    /// In memory only.
    void append(BytesView entry);
    /// There is a block in memory that will not change any more. The one entry behind it stays in
    /// memory, so that the last one never has to be read.
    bool has_full_block() const { return tail_.size() > block_bytes(); }
    /// What is to be written for it; settle() when that has succeeded.
    FileWrite full_blocks() const;
    void settle();
    /// Both in one, for whoever may wait for the disk.
    Result<void> write_full_blocks();
    /// Copies entry `index` to `into`.
    Result<void> read(std::uint64_t index, MutableBytes into) const;
    /// Keeps the first `count` entries.
    Result<void> truncate(std::uint64_t count);
    /// What makes the file hold exactly the entries; its file is to be synced.
    FileWrite whole() const;

    /// How many entries, from the first on, `holds` is true for; it must not become true again.
    template <class Holds>
    Result<std::uint64_t> partition_point(Holds holds) const {
        if (!tail_.empty() && holds(BytesView(tail_).first(entry_bytes_))) {
            return blocks_ * entries_per_block_ + count_in(tail_, holds);
        }
        TRY_VOID(load_first_entries());
        const std::uint64_t before = count_in(first_entries_, holds);
        if (before == 0) return 0;
        TRY(const BytesView block, block_at(before - 1));
        return (before - 1) * entries_per_block_ + count_in(block, holds);
    }
    /// Gives back the memory that searches keep.
    void release_cache() {
        cached_block_ = {};
        cached_ = kNoBlock;
    }

private:
    Result<void> load();

    template <class Holds>
    std::uint64_t count_in(BytesView entries, Holds& holds) const {
        std::size_t low = 0;
        std::size_t high = entries.size() / entry_bytes_;
        while (low < high) {
            const std::size_t middle = low + (high - low) / 2;
            if (holds(entries.subspan(middle * entry_bytes_, entry_bytes_))) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    Result<void> load_first_entries() const;
    /// A whole block; the last one that was read is kept, for readers that go on from it.
    Result<BytesView> block_at(std::uint64_t block) const;
    Result<std::unique_ptr<env::File>> open_for_reading() const;
    std::uint64_t block_bytes() const { return entries_per_block_ * entry_bytes_; }

    env::FileSystem* files_;
    std::string path_;
    std::size_t entry_bytes_;
    std::size_t entries_per_block_;
    bool is_loaded_ = true;
    /// Bytes of the file as it was attached.
    std::uint64_t attached_bytes_ = 0;
    /// Whole blocks in the file.
    std::uint64_t blocks_ = 0;
    /// Entries behind them, of any number.
    std::vector<std::byte> tail_;
    /// The first entry of each whole block, as far as they were loaded: all or none.
    mutable std::vector<std::byte> first_entries_;
    static constexpr std::uint64_t kNoBlock = UINT64_MAX;
    mutable std::uint64_t cached_ = kNoBlock;
    mutable std::vector<std::byte> cached_block_;
};

}  // namespace milena::storage
