// SPDX-License-Identifier: Apache-2.0
// A segment that a cleaning makes: a log file and its indexes whose names end in ".cleaned", synced
// when it is finished.
#pragma once

#include <memory>
#include <vector>

#include "milena/storage/cleaning.h"
#include "segment.h"

namespace milena::storage {

inline constexpr std::string_view kCleanedSuffix = ".cleaned";
inline constexpr std::string_view kSwapSuffix = ".swap";

class CleanedWriter {
public:
    CleanedWriter(env::FileSystem& files, const std::string& directory, Offset base,
                  std::uint32_t index_interval_bytes);

    /// Makes the log file. `with_transaction_index`: that file too, even if nothing comes into it:
    /// it replaces one, which must not stay.
    Result<void> create(bool with_transaction_index);
    Result<void> append(const record::BatchView& batch);
    Result<void> append(const IndexedTransaction& aborted);
    /// Everything is written and synced.
    Result<CleanedSegment> finish();
    std::uint64_t bytes() const { return segment_.size(); }

private:
    Result<void> write_out();

    env::FileSystem& files_;
    std::string directory_;
    std::uint32_t index_interval_bytes_;
    Segment segment_;
    std::vector<std::byte> pending_;  ///< the end of the log file, not written yet
    std::uint64_t written_ = 0;
};

}  // namespace milena::storage
