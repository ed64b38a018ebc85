// SPDX-License-Identifier: Apache-2.0
// A list that grows by one for each change of voters, which an operator makes by hand.
#include "voter_history.h"

#include "milena/base/invariant.h"

namespace milena::raft {

bool note_voters(const Batch& batch, std::vector<VotersAt>& sets) {
    VotersAt next = sets.back();
    next.offset = batch.base_offset;
    bool changed = false;
    for (const ControlRecord& record : batch.control) {
        if (const auto* version = std::get_if<KRaftVersionRecord>(&record)) {
            next.kraft_version = version->version;
            changed = true;
        } else if (const auto* voters = std::get_if<VotersRecord>(&record)) {
            next.voters = voters->voters;
            changed = true;
        }
    }
    if (changed) sets.push_back(std::move(next));
    return changed;
}

VoterHistory::VoterHistory(std::vector<VotersAt> sets) : sets_(std::move(sets)) {
    INVARIANT(!sets_.empty(), "a quorum without a first voter set");
}

const VotersAt& VoterHistory::at(Offset end) const {
    for (auto set = sets_.rbegin(); set != sets_.rend(); ++set) {
        if (set->offset < end) return *set;
    }
    return sets_.front();
}

const VotersAt* VoterHistory::before_change() const {
    const auto keys = [](const VotersAt& set) {
        std::vector<ReplicaKey> all;
        for (const auto& [id, voter] : set.voters.by_id()) all.push_back(voter.key);
        return all;
    };
    for (auto set = sets_.rbegin(); set != sets_.rend(); ++set) {
        if (keys(*set) != keys(current())) return &*set;
    }
    return nullptr;
}

void VoterHistory::truncate(Offset end) {
    while (sets_.size() > 1 && sets_.back().offset >= end) sets_.pop_back();
}

}  // namespace milena::raft
