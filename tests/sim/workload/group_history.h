// SPDX-License-Identifier: Apache-2.0
// What the members of one group did and were told. Whoever owns a partition reads its committed
// offset and then commits the next one, and the next: so what is committed only grows.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "milena/env/clock.h"

namespace milena::sim {

/// One commit of one partition, and when it was answered with success: never, if it was not.
struct CommitStep {
    env::Instant asked;
    env::Instant done = env::kNever;
    std::int64_t offset = 0;
    std::int32_t generation = 0;  ///< or the member's epoch
    std::string member{};
    /// The member has given the partition up since, and has come to a later epoch: it is to be
    /// refused.
    bool is_stale = false;
};

/// A committed offset as one answer told it; −1 for none.
struct OffsetTold {
    env::Instant asked;
    env::Instant answered;
    std::int64_t offset = -1;
};

struct GroupHistory {
    struct Partition {
        std::vector<CommitStep> commits;
        std::vector<OffsetTold> told;
    };
    /// What a member was told that it owns in a generation. A static member has its instance's
    /// name, which stays when its id changes.
    struct Assignment {
        std::int32_t generation = 0;
        std::string member;
        std::vector<std::int32_t> partitions;
    };

    /// A partition was a member's: given in an answer that came at `taken`, and nobody else's for
    /// sure from `since` to `until` (Holds).
    struct Hold {
        std::int32_t partition = 0;
        std::string member;
        env::Instant taken;
        env::Instant since;
        env::Instant until;

        bool is_sure() const { return since < until; }
    };

    /// Members of both protocols are in it: when it is empty and changes to the other its
    /// generations begin again.
    bool is_mixed = false;
    std::map<std::int32_t, Partition> partitions;
    std::vector<Assignment> assignments;
    std::vector<Hold> holds;

    std::size_t commits() const {
        std::size_t count = 0;
        for (const auto& [index, partition] : partitions) count += partition.commits.size();
        return count;
    }
};

}  // namespace milena::sim
