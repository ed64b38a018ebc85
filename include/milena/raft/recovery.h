// SPDX-License-Identifier: Apache-2.0
// A quorum whose majority is gone for good: looks at the metadata directory of a node that is left,
// without changing anything in it, and makes this node the only voter. For an operator's tool, on a
// directory that no process uses; calls block.
//
// What this gives up is raft's promise: what the lost majority committed and this node never got is
// lost, and what it holds uncommitted at the end of its log becomes committed.
#pragma once

#include <optional>
#include <string>

#include "milena/base/logger.h"
#include "milena/env/env.h"
#include "milena/raft/core.h"

namespace milena::raft {

/// What a metadata directory holds.
struct DirectoryReport {
    QuorumState quorum;
    Offset log_start_offset;
    Offset log_end_offset;
    /// Of the last record, in the log or in the snapshot at whose end the log is empty; −1 if there
    /// is none.
    LeaderEpoch last_epoch{-1};
    /// When the last batch of the log was written; nothing if it has none.
    std::optional<env::Timestamp> last_timestamp;
    /// Bytes at the end that are no whole batch: a write that a crash tore. A start cuts them off.
    std::uint64_t torn_bytes = 0;
    /// The newest snapshot that is whole.
    std::optional<SnapshotId> snapshot;
    /// Those that hold at the end of the log.
    VotersAt voters;
};

/// Reads only. An error names the file: CORRUPT_MESSAGE if the log is damaged before its end.
Result<DirectoryReport> inspect_metadata_directory(env::FileSystem& files,
                                                   const std::string& directory);

struct OnlyVoter {
    LeaderEpoch epoch;  ///< the new one, in which the voters were changed
    Offset offset;      ///< of the batch that changes them
    Offset log_end_offset;
};
/// Ends the epoch that was, and appends in a new one a batch that takes the other voters out, one
/// by one, as each step must be for those who read it (KIP-853). Durable when it returns. A crash
/// leaves the voters as they were or as they shall be; then it may be called again. `self` has its
/// endpoints, for the case that it was no voter. INVALID_REQUEST if the voters are configuration.
Result<OnlyVoter> make_only_voter(env::Env& env, Logger logger, const std::string& directory,
                                  const Voter& self);

}  // namespace milena::raft
