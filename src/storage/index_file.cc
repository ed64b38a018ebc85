// SPDX-License-Identifier: Apache-2.0
// Blocks in the file, the growing one in memory.
#include "index_file.h"

#include <fmt/format.h>

namespace milena::storage {
namespace {

bool is_zero(BytesView entry) {
    return std::ranges::all_of(entry, [](std::byte byte) { return byte == std::byte{0}; });
}

Result<void> read_exactly(const env::File& file, std::uint64_t position, MutableBytes into) {
    TRY(const std::size_t count, file.read_at(position, into));
    if (count == into.size()) return ok();
    return fail(ErrorCode::kafka_storage_error,
                fmt::format("{}: ends at {}, expected {} more bytes", file.path(), position + count,
                            into.size() - count));
}

}  // namespace

Result<std::unique_ptr<env::File>> IndexFile::open_for_reading() const {
    return files_->open(path_, env::OpenMode::read_only);
}

void IndexFile::attach(std::uint64_t size) {
    INVARIANT(is_possible_size(size), "an index holds whole entries");
    clear();
    attached_bytes_ = size;
    is_loaded_ = size == 0;
}

Result<void> IndexFile::load() {
    TRY(const auto file, open_for_reading());
    std::byte entry[kEntryBytesMax];
    const MutableBytes bytes(entry, entry_bytes_);
    // Almost always the last entry is one; else the zeros begin somewhere, and they go on to the
    // end.
    std::uint64_t low = 0;
    std::uint64_t high = attached_bytes_ / entry_bytes_;
    for (std::uint64_t probe = high - 1; low < high; probe = low + (high - low) / 2) {
        TRY_VOID(read_exactly(*file, probe * entry_bytes_, bytes));
        if (is_zero(bytes)) {
            high = probe;
        } else {
            low = probe + 1;
        }
    }
    blocks_ = low / entries_per_block_;
    tail_.resize(low % entries_per_block_ * entry_bytes_);
    if (!tail_.empty()) TRY_VOID(read_exactly(*file, blocks_ * block_bytes(), tail_));
    is_loaded_ = true;
    return ok();
}

void IndexFile::clear() {
    is_loaded_ = true;
    blocks_ = 0;
    tail_.clear();
    first_entries_.clear();
    release_cache();
}

void IndexFile::append(BytesView entry) {
    INVARIANT(entry.size() == entry_bytes_, "an index has entries of one size");
    tail_.insert(tail_.end(), entry.begin(), entry.end());
}

FileWrite IndexFile::full_blocks() const {
    const auto full =
        static_cast<std::ptrdiff_t>((tail_.size() - entry_bytes_) / block_bytes() * block_bytes());
    return {.path = path_,
            .position = blocks_ * block_bytes(),
            .bytes = {tail_.begin(), tail_.begin() + full}};
}

void IndexFile::settle() {
    // Either the first entries of all blocks are known or those of none.
    const bool are_known = first_entries_.size() == blocks_ * entry_bytes_;
    std::size_t begin = 0;
    for (; tail_.size() - begin > block_bytes(); begin += block_bytes(), ++blocks_) {
        const auto first = tail_.begin() + static_cast<std::ptrdiff_t>(begin);
        if (are_known)
            first_entries_.insert(first_entries_.end(), first,
                                  first + static_cast<std::ptrdiff_t>(entry_bytes_));
    }
    tail_.erase(tail_.begin(), tail_.begin() + static_cast<std::ptrdiff_t>(begin));
}

Result<void> IndexFile::write_full_blocks() {
    if (!has_full_block()) return ok();
    TRY_VOID(full_blocks().run(*files_));
    settle();
    return ok();
}

Result<void> IndexFile::read(std::uint64_t index, MutableBytes into) const {
    INVARIANT(index < count(), "no such index entry");
    const std::uint64_t block = index / entries_per_block_;
    if (block >= blocks_) {
        const std::uint64_t behind = index - blocks_ * entries_per_block_;
        std::memcpy(into.data(), tail_.data() + behind * entry_bytes_, entry_bytes_);
        return ok();
    }
    TRY(const BytesView bytes, block_at(block));
    std::memcpy(into.data(), bytes.data() + index % entries_per_block_ * entry_bytes_,
                entry_bytes_);
    return ok();
}

Result<BytesView> IndexFile::block_at(std::uint64_t block) const {
    if (cached_ != block) {
        cached_ = kNoBlock;
        cached_block_.resize(block_bytes());
        TRY(const auto file, open_for_reading());
        TRY_VOID(read_exactly(*file, block * block_bytes(), cached_block_));
        cached_ = block;
    }
    return cached_block_;
}

Result<void> IndexFile::load_first_entries() const {
    if (first_entries_.size() == blocks_ * entry_bytes_) return ok();
    TRY(const auto file, open_for_reading());
    std::vector<std::byte> firsts(blocks_ * entry_bytes_);
    for (std::uint64_t block = 0; block < blocks_; ++block) {
        const MutableBytes entry = MutableBytes(firsts).subspan(block * entry_bytes_, entry_bytes_);
        TRY_VOID(read_exactly(*file, block * block_bytes(), entry));
    }
    first_entries_ = std::move(firsts);
    return ok();
}

Result<void> IndexFile::truncate(std::uint64_t count) {
    INVARIANT(count <= this->count(), "an index is cut, not grown");
    const std::uint64_t blocks = std::min(count / entries_per_block_, blocks_);
    const std::size_t tail_bytes = (count - blocks * entries_per_block_) * entry_bytes_;
    if (blocks < blocks_) {
        std::vector<std::byte> tail(tail_bytes);
        if (!tail.empty()) {
            TRY(const auto file, open_for_reading());
            TRY_VOID(read_exactly(*file, blocks * block_bytes(), tail));
        }
        tail_ = std::move(tail);
        blocks_ = blocks;
        release_cache();
        first_entries_.resize(std::min(first_entries_.size(), blocks * entry_bytes_));
    } else {
        tail_.resize(tail_bytes);
    }
    return ok();
}

FileWrite IndexFile::whole() const {
    return {.path = path_,
            .position = blocks_ * block_bytes(),
            .bytes = tail_,
            .size = count() * entry_bytes_};
}

}  // namespace milena::storage
