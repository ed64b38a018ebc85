// SPDX-License-Identifier: Apache-2.0
// I2, of the replicas: up to the high watermark every one of them has the same bytes. What lies
// beyond may differ: nobody was told of it.
#include <algorithm>
#include <optional>

#include "sim/checkers/checker.h"

namespace milena::sim {
namespace {

using Batch = ReplicaLog::Batch;

/// Where the first batch stands in which the two differ, of those before `end`.
std::optional<std::int64_t> difference(const ReplicaLog& one, const ReplicaLog& other,
                                       std::int64_t end) {
    const auto is_below = [end](const Batch& batch) { return batch.base_offset < end; };
    auto at = one.batches.begin();
    auto there = other.batches.begin();
    for (;; ++at, ++there) {
        const bool has_one = at != one.batches.end() && is_below(*at);
        const bool has_other = there != other.batches.end() && is_below(*there);
        if (!has_one && !has_other) return std::nullopt;
        if (!has_one) return there->base_offset;
        if (!has_other || at->bytes != there->bytes) return at->base_offset;
    }
}

}  // namespace

void replicas_are_equal(const History& history, Findings& findings) {
    for (const auto& [place, partition] : history.partitions) {
        const std::int64_t end = partition.final_end();
        const ReplicaLog* first = nullptr;
        for (const ReplicaLog& one : partition.replicas) {
            if (one.end() < end) {
                findings.add(fmt::format("{}: {} ends at {}, though {} is the high watermark",
                                         place.text(), one.server, one.end(), end));
                continue;
            }
            if (first == nullptr) first = &one;
            if (const auto at = difference(*first, one, end)) {
                findings.add(fmt::format("{}: {} and {} differ at {}", place.text(), first->server,
                                         one.server, *at));
            }
        }
    }
}

}  // namespace milena::sim
