// SPDX-License-Identifier: Apache-2.0
// What a coordinator's log says from an offset on, for one that takes over: the records behind what
// the state store has. Blocks: for the disk pool.
#pragma once

#include <functional>

#include "milena/coordinator/record.h"
#include "milena/replication/partition.h"

namespace milena::drivers {

struct LogRange {
    Offset from;
    Offset end;
};

struct ReadTail {
    std::uint64_t records = 0;
    std::uint64_t bytes = 0;
};

/// Calls `each` for the records of this node's log in the range, which begins at the log's start
/// or later, in their order; false ends the walk. Control batches are passed over, and so are
/// batches of transactions that were aborted, or are not known to be decided. The codes are those
/// of Partition::fetch(), and CORRUPT_MESSAGE.
Result<ReadTail> read_tail(replication::Partition& partition, const LogRange& range,
                           const std::function<bool(const coordinator::RecordView&)>& each);

}  // namespace milena::drivers
