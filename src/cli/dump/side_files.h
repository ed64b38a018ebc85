// SPDX-License-Identifier: Apache-2.0
// The files beside a log: its indexes and its producers' snapshots, as kafka-dump-log prints them.
#pragma once

#include "dump/log_dump.h"

namespace milena::cli {

/// What of an index disagrees with its log: the offset in the index, and that in the log.
using Mismatches = std::vector<std::pair<std::int64_t, std::int64_t>>;

/// An offset index, beside the log it belongs to. With `verify_only` nothing is printed.
Result<void> dump_offset_index(env::FileSystem& files, const std::string& path, bool verify_only,
                               const Print& print, Mismatches& mismatches);

/// What of a time index disagrees with its log, or with itself.
struct TimeFindings {
    Mismatches timestamps;    ///< in the index, and in the log
    Mismatches out_of_order;  ///< a timestamp, and that before it
    Mismatches offsets;       ///< in the index, and that of the log's batch there (−1: none)

    bool empty() const { return timestamps.empty() && out_of_order.empty() && offsets.empty(); }
};

/// A time index, beside the log it belongs to.
Result<void> dump_time_index(env::FileSystem& files, const std::string& path, bool verify_only,
                             const Print& print, TimeFindings& findings);

/// What a broker's start looks at: that an index of either kind has whole entries, and does not end
/// before it begins. Says so, or fails in Kafka's words.
Result<void> check_index(env::FileSystem& files, const std::string& path, const Print& print);

/// A transaction index.
Result<void> dump_transaction_index(env::FileSystem& files, const std::string& path,
                                    const Print& print);

/// A snapshot of producers.
Result<void> dump_producers(env::FileSystem& files, const std::string& path, const Print& print);

/// The offset that a file's name begins with.
std::optional<std::int64_t> base_offset_of(std::string_view path);

}  // namespace milena::cli
