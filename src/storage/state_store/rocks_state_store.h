// SPDX-License-Identifier: Apache-2.0
// The state store on RocksDB. Positions are in memory too: they are asked for all the time. Guards:
// `database_` for the time of opening, Opened::positions for a write and its position; a flush and
// a read hold none.
#pragma once

#include <map>

#include "milena/env/guarded.h"
#include "milena/storage/state_store.h"
#include "rocks_database.h"

namespace milena::storage {

class RocksStateStore final : public StateStore {
public:
    RocksStateStore(Logger log, std::string directory)
        : log_(std::move(log)), directory_(std::move(directory)) {}

    Result<std::optional<StatePosition>> position(const StateSpace& space) const override;
    Result<void> write(const StateSpace& space, std::span<const StateChange> changes,
                       const StatePosition& after) override;
    Result<std::optional<std::vector<std::byte>>> get(const StateSpace& space,
                                                      BytesView key) const override;
    Result<void> scan(const StateSpace& space, BytesView prefix, BytesView from,
                      const Visit& visit) const override;
    Result<void> drop(const StateSpace& space) override;
    Result<std::vector<StateSpace>> spaces() const override;
    Result<void> flush() override;
    Result<std::optional<StatePosition>> flushed(const StateSpace& space) const override;
    std::uint64_t memory_bytes() const override;

private:
    using PositionMap = std::map<StateSpace, StatePosition>;
    struct Positions {
        PositionMap now;
        /// As the last flush() that has ended found them.
        PositionMap flushed;
        /// A flush() that meets one on its way tells nothing of positions.
        std::uint64_t drops = 0;
    };
    struct Opened {
        Opened(RocksDatabase database, Positions found)
            : rocks(std::move(database)), positions(std::move(found)) {}
        RocksDatabase rocks;
        env::Guarded<Positions> positions;
    };
    using Handle = std::shared_ptr<Opened>;

    /// Null if there is nothing and nothing is to be made.
    Result<Handle> opened(bool makes) const;
    Result<Handle> open() const;
    /// Writes the batch; after a failure that RocksDB can get over, once more.
    Result<void> commit(Opened& opened, rocksdb::WriteBatch& batch) const;
    std::unexpected<Error> failed(std::string_view call, const rocksdb::Status& status) const {
        return std::unexpected(rocks_failure(call, directory_, status));
    }

    const Logger log_;
    const std::string directory_;
    mutable env::Guarded<Handle> database_;
};

}  // namespace milena::storage
