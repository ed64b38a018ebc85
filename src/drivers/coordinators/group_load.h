// SPDX-License-Identifier: Apache-2.0
// Makes the groups of a partition out of what is stored and what the log has behind that. Blocks:
// for the disk pool.
#pragma once

#include <functional>
#include <memory>

#include "log_tail.h"
#include "milena/base/logger.h"
#include "milena/coordinator/groups.h"
#include "stored_records.h"

namespace milena::drivers {

struct GroupSources {
    StoredSpace stored;
    replication::Partition& partition;
    /// From where all is read that the store may lack.
    LogRange log;
    /// Asked now and then: nobody wants the groups any more.
    std::function<bool()> is_over;
};

/// Has `groups` load all of it. Records that can't be read are logged and passed over. An error is
/// that of the store or of the log; what is there of the groups is of no use then.
Result<ReadTail> load_groups(const GroupSources& from, coordinator::Groups& groups,
                             const Logger& log);

}  // namespace milena::drivers
