// SPDX-License-Identifier: Apache-2.0
// Brings what the logs of coordinators say into the state store: of every replica that this node
// has of their topics, leader or follower, all that is committed and decided, from where the store
// is to the last stable offset. Records of aborted transactions never come into it. A space that
// does not belong to its log (docs/coordinators.md, invariant 7) is dropped and made anew.
//
// One loop on the control thread; the reading and writing is done in the disk pool, some bytes of
// one partition at a time, and rests a few milliseconds between rounds: it costs what was written,
// not how often.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "milena/base/logger.h"
#include "milena/env/env.h"
#include "milena/env/guarded.h"
#include "milena/metadata/image.h"
#include "milena/replication/partition.h"
#include "milena/storage/state_store.h"
#include "milena/telemetry/page.h"

namespace milena::drivers {

class FollowedSpace;

struct MaterialiserOptions {
    /// Coordinators' topics.
    std::vector<std::string> topics{"__consumer_offsets"};
    /// This node's replica; nothing if it has none.
    std::function<std::shared_ptr<replication::Partition>(Uuid, PartitionIndex)> replica;
    /// delete.retention.ms of a topic.
    std::function<std::int64_t(const metadata::Image&, std::string_view topic)> delete_retention_ms;
    /// Read of one partition at once; a batch that is longer is read whole.
    std::uint64_t turn_bytes = 1 << 20;
    /// From one round over all partitions with news to the next.
    env::Duration pause = std::chrono::milliseconds(5);
    /// What was written may be lost in a crash, and is then read again, for so long.
    env::Duration flush_interval = std::chrono::minutes(5);
    /// After an error of the log's disk or the store's.
    env::Duration retry_pause = std::chrono::seconds(1);
};

class Materialiser {
public:
    /// What is referred to outlives stop().
    Materialiser(env::Env& env, Logger log, storage::StateStore& store,
                 MaterialiserOptions options);
    ~Materialiser();

    // On the control thread.
    /// Replicas of `changed` topics are what `image` says; those of others have not changed.
    void follow(const metadata::Image& image, std::span<const Uuid> changed);
    /// The metadata is complete: spaces whose replica this node does not have are dropped, and the
    /// loop begins.
    void start();
    /// On the control thread. Ends after the turn that is under way; what was written is flushed.
    env::Task<void> stop();

    // From any thread.
    /// All that is committed and decided below it is in the store. Nothing until the space has been
    /// compared with its log, and when this node has no such replica. It goes back, or is nothing
    /// for a while, only when the space is made anew, which cannot be while this node leads the
    /// partition but for DeleteRecords: then the store knows no more than the log.
    std::optional<Offset> applied(const storage::StateSpace& space) const;
    /// From now on `tell` hears, in the disk pool or on the control thread and with no guard held,
    /// that applied() of that space is another. Must be quick. Before start().
    void when_moved(std::function<void(const storage::StateSpace&)> tell);
    /// A cleaner of that log may not go beyond it. Nothing: this log is no coordinator's.
    std::optional<Offset> cleaner_limit(const storage::StateSpace& space) const;

    void write_metrics(telemetry::Page& page) const;

private:
    /// One that is followed, as the loop sees it.
    struct Followed {
        std::shared_ptr<FollowedSpace> space;
        std::int64_t delete_retention_ms = 0;
        /// It has more than its last turn has read, or that has failed.
        bool is_due = true;
        bool fails = false;
        env::Instant not_before{};
    };
    struct Figures {
        std::uint64_t records = 0;
        std::uint64_t rebuilds = 0;
        std::uint64_t flushes = 0;
        std::uint64_t failures = 0;
    };

    void follow_partition(const storage::StateSpace& space, std::string_view topic,
                          std::int64_t delete_retention_ms);
    void unfollow(const storage::StateSpace& space);

    env::Task<void> run();
    /// Drops what belongs to no replica of this node.
    env::Task<void> drop_unowned();
    /// A turn of each that has something to read.
    env::Task<void> round();
    env::Task<void> take_turn(storage::StateSpace space);
    /// Notes of spaces that are up to date, and were not written for `age`, that they are; flushes.
    env::Task<void> save(env::Duration age);
    /// In the disk pool; true if there was one.
    Result<bool> keep_young(const std::map<storage::StateSpace, Followed>& followed,
                            env::Duration age);
    bool has_due(env::Instant now) const;
    env::Instant save_due() const;
    /// When the loop has something to do without being told.
    env::Instant next_due() const;
    /// `is_known`: it was logged, and is not again until it has gone well.
    void failed(std::string_view what, const Error& why, bool& is_known);
    std::shared_ptr<const FollowedSpace> find(const storage::StateSpace& space) const;

    env::Env& env_;
    const Logger log_;
    storage::StateStore& store_;
    const MaterialiserOptions options_;
    std::function<void(const storage::StateSpace&)> moved_;

    // Of the control thread.
    std::map<storage::StateSpace, Followed> followed_;
    /// Their replica is gone; none of these takes a turn before it is dropped.
    std::set<storage::StateSpace> to_drop_;
    /// The store may have spaces of replicas that were not here at the start.
    bool strays_are_due_ = true;
    env::Instant drops_not_before_{};
    bool drops_fail_ = false;
    bool is_unflushed_ = false;
    env::Instant saved_at_{};
    bool saves_fail_ = false;
    env::Wakeup work_;
    env::Wakeup rest_;
    env::Wakeup ended_;
    bool stopping_ = false;
    bool running_ = false;

    env::Guarded<std::map<storage::StateSpace, std::shared_ptr<const FollowedSpace>>> shared_;
    env::Guarded<Figures> figures_;
};

}  // namespace milena::drivers
