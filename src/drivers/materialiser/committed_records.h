// SPDX-License-Identifier: Apache-2.0
// The records in a piece of a log that a reader of committed data sees: not those of markers, and
// not those of transactions that were aborted.
#pragma once

#include <functional>
#include <span>

#include "milena/record/records.h"
#include "milena/storage/producer.h"

namespace milena::record {
class Scratch;
}

namespace milena::drivers {

/// What was read of a log; all of it is decided.
struct ReadBatches {
    /// Batches; the last may be cut, and is left out then.
    BytesView bytes;
    /// Records before it in the first batch were seen before.
    Offset from;
    /// Transactions that were aborted, by first offset: all that overlap `bytes`.
    std::span<const storage::AbortedTransaction> aborted;
};

/// How far they go.
struct ReadEnd {
    Offset end;
    /// Of the last batch.
    LeaderEpoch epoch = kNoLeaderEpoch;
};

/// A record and the epoch of its batch. An error ends the walk.
using EachCommitted = std::function<Result<void>(const record::RecordView&, LeaderEpoch)>;

/// In the order of the log. CORRUPT_MESSAGE for a batch whose CRC is wrong or whose records can't
/// be read; `each` may have been called for records before.
Result<ReadEnd> for_each_committed(const ReadBatches& batches, record::Scratch& scratch,
                                   const EachCommitted& each);

}  // namespace milena::drivers
