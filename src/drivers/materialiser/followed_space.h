// SPDX-License-Identifier: Apache-2.0
// One replica of a coordinators' topic and its space in the state store: how far it was applied,
// and the next piece of it. Its turns are taken in the disk pool, one at a time; others may ask
// where it is at any time.
#pragma once

#include <functional>
#include <memory>
#include <optional>

#include "milena/base/logger.h"
#include "milena/env/guarded.h"
#include "milena/record/compression.h"
#include "milena/replication/partition.h"
#include "milena/storage/state_store.h"
#include "staged_changes.h"

namespace milena::drivers {

class FollowedSpace final : public replication::FetchListener {
public:
    struct Parts {
        std::shared_ptr<replication::Partition> replica;
        /// Called when there is news after none, on any thread. Must be quick.
        std::function<void()> wake;
        /// Of __consumer_offsets: keys of type 0 and 1 mean the same, and become type 1.
        bool has_offset_keys = false;
    };
    FollowedSpace(Logger log, Parts parts);

    const replication::Partition& replica() const { return *parts_.replica; }
    const storage::StateSpace& space() const { return space_; }

    // From any thread.
    void partition_has_news() override;
    /// True once after partition_has_news().
    bool take_news();
    /// Nothing until the space was compared with its log.
    std::optional<Offset> applied() const;

    /// One turn in the disk pool.
    struct Turn {
        storage::StateStore& store;
        std::uint64_t bytes = 0;
        std::int64_t now_ms = 0;
        /// A space that was not written for longer may have missed tombstones.
        std::int64_t age_max_ms = INT64_MAX;
    };
    struct Outcome {
        bool has_moved = false;
        /// Read on at once: this was not all.
        bool has_more = false;
        bool is_rebuilt = false;
        std::uint64_t records = 0;
    };
    /// Reads on in the log, and writes. After an error it is where it was, or further.
    Result<Outcome> advance(const Turn& turn);
    /// Also in the disk pool. Notes in the store that it is up to date now, if it is, and if the
    /// last such note is older than `age_ms`. True if there was something to write.
    Result<bool> keep_young(storage::StateStore& to, std::int64_t now_ms, std::int64_t age_ms);

private:
    /// Where a turn begins: at what the store has, or at the log's start.
    Result<storage::StatePosition> begin(const Turn& turn, Outcome& outcome);
    /// The log is not, or no longer, what the turn began with.
    Result<void> begin_anew(const Turn& turn, Outcome& outcome);
    Result<void> make_anew(const Turn& turn, std::string_view why, Outcome& outcome);
    replication::FetchAnswer ask(const storage::StatePosition& from, std::uint64_t bytes) const;
    Result<void> read(const storage::FileRange& range);
    Result<void> apply(const replication::FetchAnswer& answer, const Turn& turn, Outcome& outcome);
    void stage(const record::RecordView& record);
    Result<void> write(const Turn& turn, Offset applied, LeaderEpoch epoch, Outcome& outcome);
    void publish(std::optional<Offset> applied);

    const Logger log_;
    const Parts parts_;
    const storage::StateSpace space_;

    // Of the turns.
    /// Nothing before the first turn, and after the space was dropped.
    std::optional<storage::StatePosition> position_;
    /// The store has something of this space.
    bool is_stored_ = false;
    bool is_up_to_date_ = false;
    StagedChanges staged_;
    std::vector<std::byte> read_;
    record::Scratch scratch_;

    env::Guarded<bool> has_news_{true};
    env::Guarded<std::optional<Offset>> applied_;
};

}  // namespace milena::drivers
