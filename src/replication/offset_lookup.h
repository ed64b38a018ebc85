// SPDX-License-Identifier: Apache-2.0
// ListOffsets (key 2) for one partition: an offset by time, or by one of the numbers that have a
// meaning of their own.
#pragma once

#include "replica_view.h"

namespace milena::replication {

/// Searches the log, which may read from the disk. A new leader whose high watermark has not
/// reached its epoch's start answers consumers OFFSET_NOT_AVAILABLE where it can't know better
/// (KIP-207): an older leader may have told more. UNSUPPORTED_VERSION for a negative number without
/// a meaning.
OffsetAnswer lookup_offset(const OffsetQuestion& question, const ReplicaView& view,
                           storage::Log& log);

}  // namespace milena::replication
