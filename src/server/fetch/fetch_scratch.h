// SPDX-License-Identifier: Apache-2.0
// The memory that the fetches of one connection work in, one after the other, so that the usual one
// takes none.
#pragma once

#include "../fetch_wait.h"
#include "fetch_part.h"
#include "fetch_session.h"

namespace milena::server {

struct FetchScratch {
    /// Partitions whose memory is kept for the next fetch; that of an unusual one is given back.
    static constexpr std::size_t kKeptPartitionsMax = 1024;

    std::vector<FetchPart> parts;
    std::vector<replication::FileRange> files;
    std::vector<protocol::Splice> splices;
    std::vector<DuePartition> due;
    std::vector<std::string_view> names;  ///< of the turn's partitions, by their numbers
    std::vector<ForgottenPartition> forgotten;
    std::vector<std::uint32_t> news;
    /// Made with the first fetch that waits: what wakes one of a session, and one without.
    std::shared_ptr<env::Wakeup> wakeup;
    std::shared_ptr<FetchWait> wait;

    /// Between two fetches.
    void clear() {
        if (parts.capacity() > kKeptPartitionsMax || due.capacity() > kKeptPartitionsMax) {
            FetchScratch kept;
            kept.wakeup = std::move(wakeup);
            *this = std::move(kept);
        }
        parts.clear();
        files.clear();
        splices.clear();
        due.clear();
        names.clear();
        forgotten.clear();
    }
};

}  // namespace milena::server
