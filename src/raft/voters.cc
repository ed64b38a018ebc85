// SPDX-License-Identifier: Apache-2.0
// The set of voters as a value: membership by id and, where both sides know it, by directory.
#include "milena/raft/voters.h"

#include <algorithm>

#include <fmt/format.h>

#include "milena/base/invariant.h"

namespace milena::raft {

std::string ReplicaKey::text() const {
    return directory.is_zero() ? fmt::format("{}", id) : fmt::format("{}@{}", id, directory);
}

VoterSet::VoterSet(std::vector<Voter> voters) {
    for (Voter& voter : voters) {
        const BrokerId id = voter.key.id;
        INVARIANT(by_id_.emplace(id, std::move(voter)).second, "two voters with one id");
    }
}

std::vector<BrokerId> VoterSet::ids() const {
    std::vector<BrokerId> ids;
    for (const auto& [id, voter] : by_id_) ids.push_back(id);
    return ids;
}

const Voter* VoterSet::find(BrokerId id) const {
    const auto found = by_id_.find(id);
    return found == by_id_.end() ? nullptr : &found->second;
}

bool VoterSet::contains(const ReplicaKey& replica) const {
    const Voter* voter = find(replica.id);
    return voter != nullptr && (voter->key.directory.is_zero() || replica.directory.is_zero() ||
                                voter->key.directory == replica.directory);
}

bool VoterSet::is_one_change_from(const VoterSet& other) const {
    const auto lacks = [](const VoterSet& from, const VoterSet& what) {
        return std::ranges::count_if(what.by_id_, [&](const auto& one) {
            const Voter* const same = from.find(one.first);
            return same == nullptr || same->key != one.second.key;
        });
    };
    return lacks(other, *this) + lacks(*this, other) <= 1;
}

std::string VoterSet::text() const {
    std::string all;
    for (const auto& [id, voter] : by_id_) {
        if (!all.empty()) all += ',';
        all += voter.key.text();
    }
    return "{" + all + "}";
}

}  // namespace milena::raft
