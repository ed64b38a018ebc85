// SPDX-License-Identifier: Apache-2.0
// How far behind the groups are that this node coordinates, in records and in seconds: what they
// have committed (as it comes into the state store, and what was there before, read page by page)
// beside the ends of the partitions that they read. Of partitions that this node leads it sees the
// end itself; other leaders it asks, one bounded request each in an interval, only for what groups
// here have committed.
//
// One loop on the first core; reading and looking at many is done in the pools, some at a time. It
// rests while this node coordinates nothing.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <vector>

#include "milena/base/logger.h"
#include "milena/coordinator/group_requests.h"
#include "milena/env/env.h"
#include "milena/env/guarded.h"
#include "milena/metadata/image.h"
#include "milena/replication/partition.h"
#include "milena/storage/state_store.h"
#include "milena/telemetry/page.h"

namespace milena::drivers {

/// Told in the thread that has written; quick.
struct StoreObserver {
    std::function<void(const storage::StateSpace&, std::span<const storage::StateChange>)> written;
    std::function<void(const storage::StateSpace&)> dropped;
};
/// The same store, watched.
std::unique_ptr<storage::StateStore> observed(std::unique_ptr<storage::StateStore> store,
                                              StoreObserver observer);

struct GroupLagOptions {
    BrokerId self;
    std::string listener;  ///< inter.broker.listener.name
    /// This node's replica; nothing if it has none.
    std::function<std::shared_ptr<replication::Partition>(Uuid, PartitionIndex)> replica;
    /// The spaces whose groups this node coordinates now. From any thread.
    std::function<std::vector<storage::StateSpace>()> coordinated;
    /// Visits these groups. From any thread.
    std::function<void(const std::function<void(const coordinator::GroupSummary&)>&)> groups;
    /// From one look at the ends of partitions to the next.
    env::Duration interval = std::chrono::seconds(5);
    /// What had no room in memory is looked for again so often.
    env::Duration read_again_interval = std::chrono::minutes(10);
    env::Duration answer_time = std::chrono::seconds(10);
};

class GroupLag {
public:
    /// Groups that are shown, and partitions of groups that have series of their own; how many more
    /// there are is shown too.
    static constexpr std::size_t kGroupsShownMax = 20'000;
    static constexpr std::size_t kPartitionsShownMax = 10'000;

    /// `store` is what observed() gave; it and what is referred to outlive stop().
    GroupLag(env::Env& env, Logger log, const storage::StateStore& store, GroupLagOptions options);
    ~GroupLag();

    // On the control thread.
    /// The cluster from now on; what is coordinated may be other than before.
    void follow(const metadata::Image& image);
    void start();
    /// Returns when nothing is done any more.
    env::Task<void> stop();

    // From any thread: what the store's observer hears.
    void written(const storage::StateSpace& space, std::span<const storage::StateChange> changes);
    void dropped(const storage::StateSpace& space);

    /// Under the names that exporters of groups' lag use. From any thread.
    void write_metrics(telemetry::Page& page) const;

private:
    struct View {
        std::shared_ptr<const metadata::TopicsImage> topics;
        std::shared_ptr<const metadata::ClusterImage> cluster;
    };
    /// What the loop shares with other threads.
    struct Watch;
    /// What is to be asked of other leaders.
    struct Round;
    /// What a turn of reading has come to: there was nothing, nothing is left, there is more.
    enum class Read : std::uint8_t { none, all, some, failed };

    std::uint32_t tick() const;
    bool is_stopping() const;
    void wake() const;
    env::Task<void> run(env::Executor owner);
    /// True if something is coordinated here.
    bool follow_spaces();
    env::Task<Read> read_some(env::Executor owner);
    Result<void> read_page();
    env::Task<void> look_at_ends(Round& round);
    void look_at(const std::string& topic, std::span<const PartitionIndex> partitions,
                 const View& view, Round& round);

    env::Env& env_;
    const Logger log_;
    const storage::StateStore& store_;
    const GroupLagOptions options_;
    const env::Instant begun_;
    const std::unique_ptr<Watch> watch_;
    env::Published<View> view_;
    env::Guarded<std::function<void()>> wake_;
    env::Guarded<bool> is_stopping_{false};
    env::Wakeup ended_;
    env::Guarded<bool> is_running_{false};
    bool reads_fail_ = false;  ///< and that has been told
};

}  // namespace milena::drivers
