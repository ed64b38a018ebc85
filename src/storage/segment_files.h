// SPDX-License-Identifier: Apache-2.0
// The files of a partition directory at start: what a stop in the middle of a deletion or
// compaction left behind is settled first (as Kafka does), then each segment's files are known.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "milena/base/ids.h"
#include "milena/env/files.h"

namespace milena::storage {

/// Base offset and suffix of "00000000000000000170.index"; nothing for names of another form. The
/// suffix begins at the first dot.
struct SegmentFileName {
    Offset base;
    std::string_view suffix;
};
std::optional<SegmentFileName> parse_segment_file_name(std::string_view name);

/// Sizes of a segment's files; nothing where one is absent.
struct SegmentFiles {
    std::uint64_t log_bytes = 0;
    std::optional<std::uint64_t> index_bytes;
    std::optional<std::uint64_t> time_index_bytes;
    std::uint64_t transaction_index_bytes = 0;
};

/// What a partition directory holds.
struct FoundFiles {
    std::map<Offset, SegmentFiles> segments;
    /// Offsets of the producer snapshots, ascending.
    std::vector<Offset> snapshots;
};

/// Removes what a deletion (.deleted) or an unfinished compaction (.cleaned) left, brings finished
/// compactions (.swap) home, removes index files without a log, and lists what there is.
Result<FoundFiles> settle_segment_files(env::FileSystem& files, const std::string& directory);

/// Removes the producer snapshots above `log_end`, and of the others all but the newest and those
/// at a segment's base.
Result<void> prune_snapshots(env::FileSystem& files, const std::string& directory,
                             const FoundFiles& found, Offset log_end);
/// Removes the producer snapshots above `end`.
Result<void> remove_snapshots_above(env::FileSystem& files, const std::string& directory,
                                    Offset end);
/// Offsets of the producer snapshots in the directory, ascending.
Result<std::vector<Offset>> list_snapshots(env::FileSystem& files, const std::string& directory);

}  // namespace milena::storage
