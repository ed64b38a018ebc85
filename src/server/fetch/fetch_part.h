// SPDX-License-Identifier: Apache-2.0
// One partition's part of a Fetch: what is asked of it, and what it gave.
#pragma once

#include <memory>
#include <string_view>

#include "milena/base/uuid.h"
#include "milena/protocol/messages/fetch.h"
#include "milena/replication/partition.h"

namespace milena::server {

/// A topic as a request names it: by its id from version 13 on. In a session `name` of one that is
/// named by its id is the one that it was seen to have, or empty.
struct FetchTopic {
    std::string_view name;
    Uuid id;

    bool operator==(const FetchTopic&) const = default;
};

/// What came of asking a partition.
struct FetchOutcome {
    replication::FetchAnswer answer;
    bool was_asked = false;
    /// There was room for at least a byte, and no quota in the way: a partition that gave nothing
    /// had nothing.
    bool had_room = false;
    /// A consumer reads on from there (KIP-392), and is given no records here.
    BrokerId preferred_replica = kNoBroker;
};

struct FetchPart : FetchOutcome {
    FetchTopic topic;
    std::int32_t index = 0;
    std::shared_ptr<replication::Partition> replica;  ///< null if there is none here
    replication::FetchQuestion question;
    std::uint64_t partition_bytes_max = 0;
    /// False if `answer` is an error already.
    bool can_be_asked = false;
    /// False if the session's client knows it all.
    bool is_told = true;
};

}  // namespace milena::server
