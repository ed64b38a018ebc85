// SPDX-License-Identifier: Apache-2.0
// Reads the batches of a log file one after the other, whole and with their checksums checked, so
// that what is damaged is never written anew under a checksum that fits. Holds as much as it reads
// at once, or the largest batch.
#pragma once

#include <memory>
#include <vector>

#include "milena/env/files.h"
#include "milena/record/batch.h"

namespace milena::storage {

class BatchReader {
public:
    BatchReader(std::shared_ptr<const env::File> file, std::uint64_t end, std::uint64_t read_bytes)
        : file_(std::move(file)), end_(end), read_bytes_(read_bytes) {}

    /// Valid until the next call; nothing at the end. CORRUPT_MESSAGE where no whole batch lies.
    Result<std::optional<record::BatchView>> next();
    /// Bytes of the file so far.
    std::uint64_t bytes_read() const { return read_; }

private:
    std::size_t buffered() const { return filled_ - at_; }
    Result<void> fill(std::size_t wanted);
    std::unexpected<Error> bad(std::string_view why) const;

    std::shared_ptr<const env::File> file_;
    std::uint64_t end_;
    std::uint64_t read_bytes_;
    std::vector<std::byte> buffer_;
    std::size_t at_ = 0;
    std::size_t filled_ = 0;
    std::uint64_t read_ = 0;
};

}  // namespace milena::storage
