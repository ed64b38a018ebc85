// SPDX-License-Identifier: Apache-2.0
// I4: a record of an idempotent producer is in the log at most once, however often it was sent.
#include <unordered_map>

#include "sim/checkers/checker.h"

namespace milena::sim {

void nothing_stands_twice(const History& history, Findings& findings) {
    for (const auto& [place, partition] : history.partitions) {
        std::unordered_map<Mark, std::int64_t, MarkHash> first;
        for (const Sighting& one : partition.final_log) {
            const auto [found, is_new] = first.emplace(one.mark, one.offset);
            if (!is_new) {
                findings.add(place.text() + ": " + one.text() + " is at " +
                             std::to_string(found->second) + " too");
            }
        }
    }
}

}  // namespace milena::sim
