// SPDX-License-Identifier: Apache-2.0
// Keeps who is due, who is held back and who is to be forgotten apart, so that a request costs what
// has changed.
#include "leader_session.h"

#include <algorithm>

#include "milena/base/invariant.h"

namespace milena::drivers {

void LeaderSession::follow(const PartitionKey& key) {
    Partition& partition = partitions_[key];
    partition.pause = {};
    make_due(key, partition);
}

void LeaderSession::unfollow(const PartitionKey& key) {
    const auto found = partitions_.find(key);
    if (found == partitions_.end()) return;
    leave(key, found->second);
    if (found->second.held_until) held_back_.erase({*found->second.held_until, key});
    due_.erase(key);
    partitions_.erase(found);
}

void LeaderSession::make_due(const PartitionKey& key, Partition& partition) {
    if (partition.held_until) held_back_.erase({*partition.held_until, key});
    partition.held_until.reset();
    due_.insert(key);
}

/// The leader is to forget it, if it knows of it.
void LeaderSession::leave(const PartitionKey& key, Partition& partition) {
    if (!partition.asked) return;
    partition.asked.reset();
    forgotten_.insert(key);
    --in_session_;
}

LeaderSession::Request LeaderSession::next(env::Instant now, const PlanOf& plan_of) {
    while (!held_back_.empty() && held_back_.begin()->first <= now) {
        const PartitionKey key = held_back_.begin()->second;
        make_due(key, partitions_.at(key));
    }
    Request request{.session_id = session_id_,
                    .session_epoch = session_epoch_,
                    .asks = {},
                    .forgotten = {},
                    .may_wait = session_epoch_ != 0 || is_refused_};
    for (const PartitionKey& key : std::exchange(due_, {})) {
        Partition& partition = partitions_.at(key);
        const auto plan = plan_of(key);
        if (!plan) {
            hold_back(key, now);
            continue;
        }
        if (partition.asked == plan) continue;
        forgotten_.erase(key);
        if (!partition.asked) ++in_session_;
        partition.asked = plan;
        request.asks.push_back({key, *plan});
    }
    request.forgotten.assign(forgotten_.begin(), forgotten_.end());
    forgotten_.clear();
    request.partitions = in_session_;
    return request;
}

env::Instant LeaderSession::next_due() const {
    if (!due_.empty()) return env::Instant::min();
    return held_back_.empty() ? env::kNever : held_back_.begin()->first;
}

void LeaderSession::answered(std::int32_t session_id) {
    is_refused_ = session_id == 0;
    if (session_id == 0) {
        session_id_ = 0;
        reset();
    } else if (session_epoch_ == 0) {
        session_id_ = session_id;
        session_epoch_ = 1;
    } else {
        session_epoch_ = session_epoch_ == INT32_MAX ? 1 : session_epoch_ + 1;
    }
}

void LeaderSession::reset() {
    session_epoch_ = 0;
    forgotten_.clear();
    in_session_ = 0;
    for (auto& [key, partition] : partitions_) {
        partition.asked.reset();
        if (!partition.held_until) due_.insert(key);
    }
}

const replication::FetchPlan* LeaderSession::asked(const PartitionKey& key) const {
    const auto found = partitions_.find(key);
    return found == partitions_.end() || !found->second.asked ? nullptr : &*found->second.asked;
}

void LeaderSession::took(const PartitionKey& key) {
    const auto found = partitions_.find(key);
    if (found == partitions_.end() || !found->second.asked) return;
    found->second.pause = {};
    due_.insert(key);
}

bool LeaderSession::hold_back(const PartitionKey& key, env::Instant now) {
    const auto found = partitions_.find(key);
    if (found == partitions_.end()) return false;
    Partition& partition = found->second;
    const bool is_first = partition.pause == env::Duration::zero();
    leave(key, partition);
    due_.erase(key);
    if (partition.held_until) held_back_.erase({*partition.held_until, key});
    partition.pause = std::clamp(partition.pause * 2, pause_min_, pause_max_);
    partition.held_until = now + partition.pause;
    held_back_.insert({*partition.held_until, key});
    return is_first;
}

void LeaderSession::hold_back_those(env::Instant now,
                                    const std::function<bool(const PartitionKey&)>& is_so) {
    std::vector<PartitionKey> found;
    for (const auto& [key, partition] : partitions_) {
        if (partition.asked && is_so(key)) found.push_back(key);
    }
    for (const PartitionKey& key : found) hold_back(key, now);
}

}  // namespace milena::drivers
