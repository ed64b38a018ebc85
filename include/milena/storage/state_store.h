// SPDX-License-Identifier: Apache-2.0
// What the logs of coordinators have come to, key by key: the newest value of every key below an
// offset. One store a node, in milena.state.dir, which may be removed at any time: it is made again
// from the logs. A partition's part of it is a space; a space knows how far its log was applied,
// and learns that with the records in one atomic write, so that after a crash it is as it was at
// some offset, never in between. What was written last may be lost in a crash until flush().
//
// Blocks: only for threads of the disk pool. Thread-safe.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "milena/base/bytes.h"
#include "milena/base/ids.h"
#include "milena/base/logger.h"
#include "milena/base/result.h"
#include "milena/base/uuid.h"

namespace milena::storage {

/// Whose part of the store: a partition of a topic that was made once.
struct StateSpace {
    Uuid topic;
    PartitionIndex partition;

    auto operator<=>(const StateSpace&) const = default;
};

/// How far a space has come.
struct StatePosition {
    /// All records below it are in the space.
    Offset applied;
    /// The leader epoch of the last of them: with it a log tells whether they are its own.
    LeaderEpoch epoch = kNoLeaderEpoch;
    /// When it was written, milliseconds since 1970: a space that is older than its topic's
    /// delete.retention.ms may have missed tombstones.
    std::int64_t written_ms = 0;

    bool operator==(const StatePosition&) const = default;
};

/// One key's new value; without one the key goes.
struct StateChange {
    BytesView key;
    std::optional<BytesView> value;
};

class StateStore {
public:
    /// Gets the keys in the order of their bytes, views that end with the call; false ends the
    /// scan.
    using Visit = std::function<bool(BytesView key, BytesView value)>;

    virtual ~StateStore() = default;

    /// Nothing for a space that is empty.
    virtual Result<std::optional<StatePosition>> position(const StateSpace& space) const = 0;
    /// All of it or nothing; later changes of a key win. `after` must not lie before what is there.
    virtual Result<void> write(const StateSpace& space, std::span<const StateChange> changes,
                               const StatePosition& after) = 0;
    virtual Result<std::optional<std::vector<std::byte>>> get(const StateSpace& space,
                                                              BytesView key) const = 0;
    /// The keys at or after `from` that begin with `prefix`, as they are at one moment.
    virtual Result<void> scan(const StateSpace& space, BytesView prefix, BytesView from,
                              const Visit& visit) const = 0;
    /// The space is empty afterwards.
    virtual Result<void> drop(const StateSpace& space) = 0;
    /// Every space that is not empty.
    virtual Result<std::vector<StateSpace>> spaces() const = 0;
    /// What was written before survives a crash of the machine.
    virtual Result<void> flush() = 0;
    /// The position of a space that survives one: at or below position().
    virtual Result<std::optional<StatePosition>> flushed(const StateSpace& space) const = 0;
    /// Bytes of memory that it takes, caches and what is not on disk yet.
    virtual std::uint64_t memory_bytes() const = 0;
};

/// On RocksDB, with its own log off. `directory` is opened, and made if absent, by the first write,
/// or the first read if there is something: a node without coordinators pays nothing for it. One
/// that RocksDB can't read is removed and made anew, which is logged. One that another process
/// uses, or a full disk, is an error of that call, and of the next.
std::unique_ptr<StateStore> open_state_store(Logger log, std::string directory);

}  // namespace milena::storage
