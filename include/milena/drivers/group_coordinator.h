// SPDX-License-Identifier: Apache-2.0
// Everything between a group's request and its log, on the node that leads the group's partition of
// __consumer_offsets: takes the partition over when it is elected (docs/coordinators.md), has the
// core (coordinator/groups.h) decide one thing at a time, appends what it decided, and answers when
// that is committed. Loses it all when the leadership is lost.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "milena/base/logger.h"
#include "milena/coordinator/group_gateway.h"
#include "milena/coordinator/groups.h"
#include "milena/env/guarded.h"
#include "milena/metadata/image.h"
#include "milena/record/compression.h"
#include "milena/replication/partition.h"
#include "milena/storage/state_store.h"
#include "milena/telemetry/page.h"

namespace milena::drivers {

class HostedGroups;
struct Host;

/// What groups may set for themselves (group.consumer.min.*, group.consumer.max.*).
struct ConsumerLimits {
    struct Range {
        std::int32_t min = 0;
        std::int32_t max = INT32_MAX;
    };
    Range session_timeout_ms;
    Range heartbeat_interval_ms;
    Range assignment_interval_ms;
};

struct GroupCoordinatorOptions {
    BrokerId self;
    /// The core of one partition, empty.
    std::function<std::unique_ptr<coordinator::Groups>()> make_groups;
    /// This node's replica; nothing if it has none.
    std::function<std::shared_ptr<replication::Partition>(Uuid, PartitionIndex)> replica;
    /// All that is committed and decided below it is in the state store; nothing while that is not
    /// known.
    std::function<std::optional<Offset>(const storage::StateSpace&)> applied;
    ConsumerLimits limits;
    /// offsets.topic.compression.codec
    record::Codec codec = record::Codec::none;
    /// offsets.commit.timeout.ms
    env::Duration commit_timeout = std::chrono::seconds(5);
    /// offsets.retention.check.interval.ms
    env::Duration expiration_interval = std::chrono::minutes(10);
};

class GroupCoordinator final : public coordinator::GroupGateway {
public:
    /// `store` outlives this, and this whoever asks.
    GroupCoordinator(env::Env& env, Logger log, const storage::StateStore& store,
                     GroupCoordinatorOptions options);
    ~GroupCoordinator() override;

    env::Task<Result<coordinator::GroupReply>> ask(env::Executor owner, std::string_view group,
                                                   coordinator::GroupRequest request) override;
    env::Task<std::vector<Result<coordinator::GroupReply>>> ask_all(
        env::Executor owner, coordinator::GroupRequest request) override;

    // On the control thread.
    /// The replicas of `changed` topics are what `image` says.
    void follow(const metadata::Image& image, std::span<const Uuid> changed);
    /// Offsets expire and are forgotten from now on.
    void start();
    /// Whoever waits, and whoever comes, is told NOT_COORDINATOR.
    void resign();
    /// On the control thread. Resigns, and returns when nothing is done any more.
    env::Task<void> stop();

    // From any thread.
    /// options.applied() of that space is another than before. Quick.
    void store_moved(const storage::StateSpace& space);
    void write_metrics(telemetry::Page& page) const;
    /// The parts of the store whose groups this node coordinates, or takes over now.
    std::vector<storage::StateSpace> coordinated() const;
    /// The groups of those that it has taken over, in the order of partitions and of their names.
    void each_group(const std::function<void(const coordinator::GroupSummary&)>& visit) const;

private:
    using Hosted = std::shared_ptr<HostedGroups>;
    /// What this node leads, as everybody looks it up.
    struct Table {
        Uuid topic;
        std::int32_t partitions = 0;
        std::map<PartitionIndex, Hosted> led;
    };
    void lead(const metadata::TopicImage& topic);
    std::vector<std::string> names_of(const metadata::Image& image,
                                      std::span<const Uuid> changed) const;
    void forget_deleted(const metadata::Image& image, std::span<const Uuid> changed);
    void wake_offsets();
    bool is_stopping() const;
    env::Task<void> look_after_offsets(env::Executor owner);
    env::Task<bool> forget_topics(env::Executor owner);
    env::Task<void> expire_offsets(env::Executor owner);

    const std::unique_ptr<Host> host_;
    env::Published<Table> table_;
    std::shared_ptr<const metadata::TopicsImage> topics_;  ///< of the last image
    std::shared_ptr<const coordinator::TopicsView> view_;  ///< of the same; null before it
    /// Who has coordinated a partition last: he may still be writing to it.
    std::map<storage::StateSpace, std::weak_ptr<HostedGroups>> latest_;
    env::Wakeup ended_;
    /// Wakes the loop over offsets, which has a core of its own to run on.
    env::Guarded<std::function<void()>> wake_;
    env::Guarded<bool> is_stopping_{false};
    bool is_resigned_ = false;
};

}  // namespace milena::drivers
