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

/// A time index.
Result<void> dump_time_index(env::FileSystem& files, const std::string& path, bool verify_only,
                             const Print& print);

/// A transaction index.
Result<void> dump_transaction_index(env::FileSystem& files, const std::string& path,
                                    const Print& print);

/// A snapshot of producers.
Result<void> dump_producers(env::FileSystem& files, const std::string& path, const Print& print);

/// The offset that a file's name begins with.
std::optional<std::int64_t> base_offset_of(std::string_view path);

}  // namespace milena::cli
