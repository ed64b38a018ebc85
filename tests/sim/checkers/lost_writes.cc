// SPDX-License-Identifier: Apache-2.0
// I1: a write that was answered with success is in the log.
#include <unordered_set>

#include "sim/checkers/checker.h"

namespace milena::sim {

void no_acknowledged_write_is_lost(const History& history, Findings& findings) {
    for (const auto& [place, partition] : history.partitions) {
        std::unordered_set<Mark, MarkHash> kept;
        for (const Sighting& one : partition.final_log) kept.insert(one.mark);
        for (const Acknowledgement& one : partition.acknowledged) {
            if (!kept.contains(one.mark))
                findings.add(place.text() + ": " + one.text() + " is gone");
        }
    }
}

}  // namespace milena::sim
