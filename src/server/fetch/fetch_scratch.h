// SPDX-License-Identifier: Apache-2.0
// The memory that the fetches of one connection work in, one after the other, so that the usual one
// takes none.
#pragma once

#include "fetch_part.h"
#include "fetch_session.h"

namespace milena::server {

struct FetchScratch {
    std::vector<FetchPart> parts;
    std::vector<replication::FileRange> files;
    std::vector<DuePartition> due;
    std::vector<ForgottenPartition> forgotten;
    /// Made with the first fetch that waits.
    std::shared_ptr<env::Wakeup> wakeup;
};

}  // namespace milena::server
