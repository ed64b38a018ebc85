// SPDX-License-Identifier: Apache-2.0
// Which logs a stop has to sync: those of whose records, names, epochs or indexes something is not.
// An empty one leaves nothing behind that a start would miss.
#pragma once

#include "milena/storage/log.h"

namespace milena::replication {

inline bool is_unsynced(const storage::Log& log) {
    return !log.offline() && log.log_end_offset() > Offset(0) && log.is_unsynced_at_close();
}

}  // namespace milena::replication
