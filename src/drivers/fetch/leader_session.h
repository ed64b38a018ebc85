// SPDX-License-Identifier: Apache-2.0
// The fetch session with one leader (KIP-227), from the follower's side: which partitions are
// followed, what the leader knows of them, what the next request has to say. A request names only
// what has changed. Pure; its owner carries the requests and asks the partitions for their plans.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "milena/env/clock.h"
#include "milena/replication/following.h"

namespace milena::drivers {

struct PartitionKey {
    Uuid topic;
    PartitionIndex partition;

    auto operator<=>(const PartitionKey&) const = default;
};

class LeaderSession {
public:
    /// Of a partition that may be asked for now; nothing if it may not: it is tried again then.
    using PlanOf = std::function<std::optional<replication::FetchPlan>(const PartitionKey&)>;

    struct Ask {
        PartitionKey key;
        replication::FetchPlan plan;

        bool operator==(const Ask&) const = default;
    };
    struct Request {
        std::int32_t session_id = 0;
        std::int32_t session_epoch = 0;
        std::vector<Ask> asks;
        std::vector<PartitionKey> forgotten;
        /// In the session with this request; none: there is nothing to send.
        std::size_t partitions = 0;
        /// One that opens a session is answered at once: what is followed meanwhile, it can't name.
        /// Unless the leader gives none, and this is asked again and again.
        bool may_wait = true;
    };

    LeaderSession(env::Duration pause_min, env::Duration pause_max)
        : pause_min_(pause_min), pause_max_(pause_max) {}

    void follow(const PartitionKey& key);
    void unfollow(const PartitionKey& key);

    /// What is to be sent now; its answer comes before the next. Whoever sends nothing looks again
    /// when something has changed, or at next_due().
    Request next(env::Instant now, const PlanOf& plan_of);
    env::Instant next_due() const;

    /// The leader has answered in this session.
    void answered(std::int32_t session_id);
    /// The request was not answered, or the leader has no such session: the next opens another, in
    /// place of this one if the leader still has it.
    void reset();

    /// What the leader was last asked for this partition; nothing if it is not in the session.
    const replication::FetchPlan* asked(const PartitionKey& key) const;
    /// An answer of the partition was taken: it is asked for anew if its plan has changed.
    void took(const PartitionKey& key);
    /// It can't be fetched for now: it leaves the session and is tried again after a pause, which
    /// doubles while this goes on. True the first time since an answer was taken.
    bool hold_back(const PartitionKey& key, env::Instant now);
    /// The same for all in the session of which `is_so` says so.
    void hold_back_those(env::Instant now, const std::function<bool(const PartitionKey&)>& is_so);

private:
    struct Partition {
        std::optional<replication::FetchPlan> asked;  ///< in the session
        std::optional<env::Instant> held_until;
        env::Duration pause{};  ///< the last one, until an answer was taken
    };

    void leave(const PartitionKey& key, Partition& partition);
    void make_due(const PartitionKey& key, Partition& partition);

    const env::Duration pause_min_;
    const env::Duration pause_max_;
    std::map<PartitionKey, Partition> partitions_;
    std::set<PartitionKey> due_;
    std::set<std::pair<env::Instant, PartitionKey>> held_back_;
    std::set<PartitionKey> forgotten_;  ///< in the leader's session, and not to be any more
    std::int32_t session_id_ = 0;
    std::int32_t session_epoch_ = 0;
    std::size_t in_session_ = 0;
    bool is_refused_ = false;  ///< the leader has had no session for us
};

}  // namespace milena::drivers
