// SPDX-License-Identifier: Apache-2.0
// A hold that is not sure is in the history too, from and until one moment: it says who was given
// what.
#include "sim/workload/holds.h"

#include <algorithm>

namespace milena::sim {

bool Holds::is_haunted(std::int32_t partition, env::Instant sent) const {
    return std::ranges::any_of(ghosts_, [&](const Ghost& ghost) {
        return ghost.gone_by > sent && !ghost.said.contains(partition);
    });
}

void Holds::open(std::int32_t partition, const std::string& member, env::Instant taken) {
    open_[partition] = {.place = history_.holds.size(), .is_sure = false};
    history_.holds.push_back(
        {.partition = partition, .member = member, .taken = taken, .since = taken, .until = taken});
}

void Holds::begin(Open& hold, env::Instant now) {
    hold.is_sure = true;
    history_.holds[hold.place].since = now;
    history_.holds[hold.place].until = now;
    extend(hold);
}

env::Instant Holds::limit() const {
    const env::Instant by_session = answered_ + timeouts_.session;
    if (wanted_since_ == env::kNever) return by_session;
    return std::min(by_session, wanted_since_ + timeouts_.rebalance);
}

void Holds::extend(Open& hold) {
    GroupHistory::Hold& noted = history_.holds[hold.place];
    if (hold.is_sure) noted.until = std::max(noted.until, limit());
}

void Holds::told(const Partitions& all, const std::string& member, const Answer& answer) {
    for (const std::int32_t partition : all) {
        if (!open_.contains(partition)) open(partition, member, answer.came);
        Open& hold = open_[partition];
        if (hold.is_sure || !answer.is_current || is_haunted(partition, answer.sent)) continue;
        begin(hold, answer.came);
    }
}

void Holds::answered(const Answer& answer) {
    if (!answer.is_current) return;
    answered_ = std::max(answered_, answer.sent);
    std::erase_if(ghosts_, [&](const Ghost& ghost) { return ghost.gone_by <= answer.sent; });
    for (auto& [partition, hold] : open_) extend(hold);
}

void Holds::wanted_back(env::Instant since) {
    if (wanted_since_ == env::kNever) wanted_since_ = since;
}

void Holds::give_up(std::int32_t partition, env::Instant now) {
    const auto found = open_.find(partition);
    if (found == open_.end()) return;
    GroupHistory::Hold& noted = history_.holds[found->second.place];
    noted.until = std::min(noted.until, now);
    open_.erase(found);
}

void Holds::give_up_all(env::Instant now) {
    while (!open_.empty()) give_up(open_.begin()->first, now);
    settled();
}

void Holds::ghost(const Partitions& said, env::Instant now) {
    ghosts_.push_back({.gone_by = now + kGhostLife, .said = said});
    for (auto& [partition, hold] : open_) {
        if (said.contains(partition) || !hold.is_sure) continue;
        GroupHistory::Hold& noted = history_.holds[hold.place];
        noted.until = std::min(noted.until, now);
        const GroupHistory::Hold before = noted;
        open(partition, before.member, before.taken);
    }
}

}  // namespace milena::sim
