// SPDX-License-Identifier: Apache-2.0
// The order of use is a list, the order of worth two sets; a session's place in a set changes only
// when its size does, and takes no memory then.
#include "session_slots.h"

#include "milena/base/invariant.h"

namespace milena::server {
namespace {

/// Puts `now` in the place of `before`, or in a new one, without memory if there was one.
template <class Set, class Key>
void reposition(Set& set, bool was_in, const Key& before, const Key& now) {
    if (!was_in) {
        set.insert(now);
    } else if (before != now) {
        auto node = set.extract(before);
        INVARIANT(!node.empty(), "a session without its place");
        node.value() = now;
        set.insert(std::move(node));
    }
}

}  // namespace

std::shared_ptr<FetchSession> SessionSlots::find(std::int32_t id) const {
    const auto found = kept_.find(id);
    return found == kept_.end() ? nullptr : found->second.session;
}

/// Who was not used for so long that it makes room for anybody, or 0.
std::int32_t SessionSlots::unused(env::Instant now) const {
    if (by_use_.empty()) return 0;
    const std::int32_t oldest = by_use_.front();
    return now - kept_.at(oldest).last_used > kEvictionAge ? oldest : 0;
}

/// Who leaves its slot to `session`, or 0.
std::int32_t SessionSlots::evictable(const NewSession& session, env::Instant now) const {
    if (const std::int32_t oldest = unused(now); oldest != 0) return oldest;
    const auto& candidates = session.is_privileged ? to_followers_ : to_all_;
    if (candidates.empty()) return 0;
    const Worth worth{session.is_privileged, session.partitions, 0};
    return worth < *candidates.begin() ? 0 : std::get<std::int32_t>(*candidates.begin());
}

/// Who leaves the room of its partitions to `session`, or 0.
std::int32_t SessionSlots::largest_evictable(const NewSession& session, env::Instant now) const {
    if (const std::int32_t oldest = unused(now); oldest != 0) return oldest;
    const auto& candidates = session.is_privileged ? to_followers_ : to_all_;
    const auto behind_consumers = candidates.lower_bound(Worth{true, 0, 0});
    if (behind_consumers == candidates.begin()) return 0;
    const auto& [_, partitions, id] = *std::prev(behind_consumers);
    return session.is_privileged || partitions > session.partitions ? id : 0;
}

/// How many partitions largest_evictable() can give to `session`, one after the other: enough of
/// them at least for as many as it has.
std::size_t SessionSlots::evictable_partitions(const NewSession& session, env::Instant now) const {
    std::size_t count = 0;
    const auto is_unused = [&](const Kept& kept) { return now - kept.last_used > kEvictionAge; };
    for (const std::int32_t id : by_use_) {
        const Kept& kept = kept_.at(id);
        if (!is_unused(kept) || id == session.id || count >= session.partitions) break;
        count += std::get<std::size_t>(kept.worth);
    }
    const auto& candidates = session.is_privileged ? to_followers_ : to_all_;
    auto at = candidates.lower_bound(Worth{true, 0, 0});
    while (at != candidates.begin() && count < session.partitions) {
        const auto& [_, partitions, id] = *--at;
        if (id == session.id) break;
        if (!session.is_privileged && partitions <= session.partitions) break;
        if (!is_unused(kept_.at(id))) count += partitions;
    }
    return count;
}

bool SessionSlots::make_room(std::size_t more, const NewSession& session, env::Instant now,
                             std::vector<std::shared_ptr<FetchSession>>& evicted) {
    if (partitions_ + more > kPartitionsMax + evictable_partitions(session, now)) return false;
    while (partitions_ + more > kPartitionsMax) {
        const std::int32_t goes = largest_evictable(session, now);
        if (goes == 0 || goes == session.id) return false;
        evicted.push_back(evict(goes));
    }
    return true;
}

bool SessionSlots::admit(NewSession session, env::Instant now,
                         std::vector<std::shared_ptr<FetchSession>>& evicted) {
    INVARIANT(!contains(session.id), "two sessions with one id");
    if (sessions_max_ == 0 || session.partitions > kPartitionsMax) return false;
    if (!make_room(session.partitions, session, now, evicted)) return false;
    if (kept_.size() >= sessions_max_) {
        const std::int32_t goes = evictable(session, now);
        if (goes == 0) return false;
        evicted.push_back(evict(goes));
    }
    Kept& kept = kept_[session.id];
    kept.session = std::move(session.session);
    kept.created = now;
    kept.place = by_use_.insert(by_use_.end(), session.id);
    kept.last_used = now;
    partitions_ += session.partitions;
    rank(kept, {session.is_privileged, session.partitions, session.id}, now);
    return true;
}

bool SessionSlots::touch(std::int32_t id, std::size_t partitions, env::Instant now,
                         std::vector<std::shared_ptr<FetchSession>>& evicted) {
    const auto found = kept_.find(id);
    if (found == kept_.end()) return true;
    Kept& kept = found->second;
    const auto [is_privileged, before, _] = kept.worth;
    by_use_.splice(by_use_.end(), by_use_, kept.place);
    kept.last_used = now;
    if (partitions > before &&
        !make_room(partitions - before, {id, is_privileged, partitions, nullptr}, now, evicted)) {
        return false;
    }
    partitions_ = partitions_ - before + partitions;
    rank(kept, {is_privileged, partitions, id}, now);
    return true;
}

void SessionSlots::rank(Kept& kept, Worth worth, env::Instant now) {
    const bool is_old = now - kept.created > kEvictionAge;
    const bool is_privileged = std::get<bool>(worth);
    if (is_old || !is_privileged) {
        reposition(to_followers_, kept.yields_to_followers, kept.worth, worth);
        kept.yields_to_followers = true;
    }
    if (is_old) {
        reposition(to_all_, kept.yields_to_all, kept.worth, worth);
        kept.yields_to_all = true;
    }
    kept.worth = worth;
}

std::shared_ptr<FetchSession> SessionSlots::remove(std::int32_t id) {
    const auto found = kept_.find(id);
    if (found == kept_.end()) return nullptr;
    Kept& kept = found->second;
    std::shared_ptr<FetchSession> session = std::move(kept.session);
    by_use_.erase(kept.place);
    to_followers_.erase(kept.worth);
    to_all_.erase(kept.worth);
    partitions_ -= std::get<std::size_t>(kept.worth);
    kept_.erase(found);
    return session;
}

}  // namespace milena::server
