// SPDX-License-Identifier: Apache-2.0
// The text of a log file's batches and records, as kafka-dump-log prints it.
#pragma once

#include <functional>
#include <string>

#include "dump/record_text.h"
#include "milena/env/files.h"

namespace milena::cli {

struct DumpOptions {
    bool records = false;         ///< a line for each record
    bool contents = false;        ///< with its key and value
    bool record_metadata = true;  ///< with its offset, time and so on
    Contents decoding{};          ///< what its key and value are
    std::uint64_t bytes_max = UINT64_MAX;
    std::function<void(std::uint64_t position)> on_position{};  ///< told before each batch
};

/// Takes finished text.
using Print = std::function<void(std::string_view)>;

/// What is wrong with a log and is told after all files: pairs of offsets with a gap between them.
using Gaps = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// Prints the batches of an open log file.
Result<void> dump_log(const env::File& file, const DumpOptions& options, const Print& print,
                      Gaps& gaps);

/// "baseOffset: 0 lastOffset: 3 count: 4 …" of a batch at `position`.
std::string batch_text(record::BatchView batch, std::uint64_t position);

/// The last offset of the batch at `position`; nothing if there is no whole batch.
Result<std::optional<std::int64_t>> last_offset_at(const env::File& file, std::uint64_t position);

/// Goes through a log's batches, forward as long as the offsets asked for go up.
class BatchSearch {
public:
    struct Found {
        std::int64_t last_offset = -1;
        std::int64_t max_timestamp = -1;
    };
    explicit BatchSearch(const env::File& file) : file_(file) {}

    /// The first batch whose last offset is not below `offset`; nothing if there is none.
    Result<std::optional<Found>> find(std::int64_t offset);

private:
    const env::File& file_;
    std::uint64_t position_ = 0;  ///< of the batch after `found_`
    std::int64_t passed_ = -1;    ///< the last offset before `found_`
    std::optional<Found> found_;
    std::vector<std::byte> bytes_;
};

}  // namespace milena::cli
