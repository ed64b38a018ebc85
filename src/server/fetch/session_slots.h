// SPDX-License-Identifier: Apache-2.0
// Which fetch sessions are kept: a bounded number, and who makes room for whom (KIP-227). A session
// that was not used for two minutes makes room for anybody. Else a follower's goes before a
// consumer's, and among equals the one with more partitions, unless the one that would have to go
// is younger than two minutes: those only yield to followers, and only consumers' do. All together
// hold a bounded number of partitions: where these are short, for a new session or for one that
// grows, the largest consumer's session goes, to a follower's at once, to a smaller one after two
// minutes. Decides only; the sessions themselves are opaque. Not thread-safe.
#pragma once

#include <cstdint>
#include <list>
#include <memory>
#include <set>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "milena/env/clock.h"

namespace milena::server {

class FetchSession;

class SessionSlots {
public:
    /// Partitions that all sessions together may hold, whoever asks.
    static constexpr std::size_t kPartitionsMax = 500'000;
    /// How long a session is safe from those that are not worth more.
    static constexpr env::Duration kEvictionAge = std::chrono::minutes(2);

    struct NewSession {
        std::int32_t id = 0;
        bool is_privileged = false;  ///< a follower's
        std::size_t partitions = 0;
        std::shared_ptr<FetchSession> session;
    };

    explicit SessionSlots(std::size_t sessions_max) : sessions_max_(sessions_max) {}

    bool contains(std::int32_t id) const { return kept_.contains(id); }
    /// Null if there is none.
    std::shared_ptr<FetchSession> find(std::int32_t id) const;

    /// Keeps the session if there is room, or some that can be had; `evicted` are those who had it.
    bool admit(NewSession session, env::Instant now,
               std::vector<std::shared_ptr<FetchSession>>& evicted);
    /// The session is used, with so many partitions now; `evicted` are those who had the room that
    /// the new ones take. False if there is none to be had: the session can't be kept.
    bool touch(std::int32_t id, std::size_t partitions, env::Instant now,
               std::vector<std::shared_ptr<FetchSession>>& evicted);
    /// What was kept under `id`, or null.
    std::shared_ptr<FetchSession> remove(std::int32_t id);

    std::size_t size() const { return kept_.size(); }
    std::size_t partitions() const { return partitions_; }
    /// Sessions that had to go for others so far.
    std::uint64_t evictions() const { return evictions_; }

private:
    /// Least worth keeping first.
    using Worth = std::tuple<bool, std::size_t, std::int32_t>;
    struct Kept {
        Worth worth;
        std::shared_ptr<FetchSession> session;
        env::Instant created;
        env::Instant last_used;
        std::list<std::int32_t>::iterator place;
        bool yields_to_followers = false;
        bool yields_to_all = false;
    };

    std::int32_t evictable(const NewSession& session, env::Instant now) const;
    std::int32_t largest_evictable(const NewSession& session, env::Instant now) const;
    std::size_t evictable_partitions(const NewSession& session, env::Instant now) const;
    /// Makes room for `more` partitions of the session; evicts nobody if there is not enough.
    bool make_room(std::size_t more, const NewSession& session, env::Instant now,
                   std::vector<std::shared_ptr<FetchSession>>& evicted);
    std::int32_t unused(env::Instant now) const;
    std::shared_ptr<FetchSession> evict(std::int32_t id) {
        ++evictions_;
        return remove(id);
    }
    void rank(Kept& kept, Worth worth, env::Instant now);

    const std::size_t sessions_max_;
    std::size_t partitions_ = 0;
    std::uint64_t evictions_ = 0;
    std::unordered_map<std::int32_t, Kept> kept_;
    std::list<std::int32_t> by_use_;  ///< the longest unused first
    std::set<Worth> to_followers_;    ///< who may have to go for a follower
    std::set<Worth> to_all_;
};

}  // namespace milena::server
