// SPDX-License-Identifier: Apache-2.0
// Two ways to go over the batches of a log file: HeaderWalk looks at headers only and jumps over
// the records, BatchReader reads all of it. Both end with CORRUPT_MESSAGE where no whole batch
// begins, and both hold bounded memory: a header buffer, or the larger of a chunk and the largest
// batch.
#pragma once

#include <array>
#include <vector>

#include "milena/env/files.h"
#include "milena/record/batch.h"

namespace milena::storage {

/// A batch in a file, of which `view` has the header's bytes only.
struct FoundBatch {
    std::uint64_t position = 0;
    std::uint64_t size = 0;
    record::BatchView view{BytesView()};

    std::uint64_t end() const { return position + size; }
};

class HeaderWalk {
public:
    /// From `position`, where a batch begins, up to `end`, the size of the log.
    HeaderWalk(const env::File& file, std::uint64_t position, std::uint64_t end)
        : file_(file), next_(position), end_(end) {}

    /// The next batch, its header valid until the next call; nothing at the end.
    Result<std::optional<FoundBatch>> next();

private:
    static constexpr std::size_t kBufferBytes = 4096;

    const env::File& file_;
    std::uint64_t next_;
    std::uint64_t end_;
    std::uint64_t buffer_at_ = 0;
    std::size_t buffered_ = 0;
    std::array<std::byte, kBufferBytes> buffer_;
};

class CheckedWalk {
public:
    CheckedWalk(const env::File& file, std::uint64_t position, std::uint64_t end)
        : file_(file), read_(position), end_(end) {}

    /// The next batch, its header valid until the next call; nothing at the end. A wrong checksum
    /// is CORRUPT_MESSAGE too.
    Result<std::optional<FoundBatch>> next();

private:
    static constexpr std::size_t kBufferBytes = 256 * 1024;

    std::size_t buffered() const { return filled_ - at_; }
    /// The position of what buffer_[at_] holds.
    std::uint64_t position() const { return read_ - buffered(); }
    /// Has `wanted` bytes in the buffer, or all that are left.
    Result<void> fill(std::size_t wanted);
    /// CRC of the `size` bytes at the front, which may be more than the buffer holds; consumes
    /// them.
    Result<std::uint32_t> consume_crc(std::uint64_t size);

    const env::File& file_;
    std::uint64_t read_;
    std::uint64_t end_;
    std::vector<std::byte> buffer_;
    std::size_t at_ = 0;
    std::size_t filled_ = 0;
    std::array<std::byte, record::kBatchHeaderBytes> header_;
};

/// True if an entry of a message set of magic 0 or 1, as brokers before 0.11 wrote them, lies at
/// `position`, whole and with the right checksum. It is no damage: whoever meets one stops, and
/// does not cut the log.
Result<bool> is_legacy_entry(const env::File& file, std::uint64_t position, std::uint64_t end);

/// Reads the whole batch that a HeaderWalk found into `memory`.
Result<record::BatchView> read_batch(const env::File& file, const FoundBatch& found,
                                     std::vector<std::byte>& memory);

}  // namespace milena::storage
