// SPDX-License-Identifier: Apache-2.0
// The text of a log file's batches and records, as kafka-dump-log prints it.
#pragma once

#include <functional>
#include <string>

#include "milena/env/files.h"
#include "milena/record/records.h"

namespace milena::cli {

struct DumpOptions {
    bool records = false;           ///< a line for each record
    bool contents = false;          ///< with its key and value
    bool record_metadata = true;    ///< with its offset, time and so on
    bool cluster_metadata = false;  ///< values are records of the metadata log
    std::uint64_t bytes_max = UINT64_MAX;
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

}  // namespace milena::cli
