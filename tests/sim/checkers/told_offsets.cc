// SPDX-License-Identifier: Apache-2.0
// I3: at the offset that a producer was told stands its record.
#include <unordered_map>

#include "sim/checkers/checker.h"

namespace milena::sim {

void told_offsets_are_true(const History& history, Findings& findings) {
    for (const auto& [place, partition] : history.partitions) {
        std::unordered_map<Mark, std::int64_t, MarkHash> offsets;
        for (const Sighting& one : partition.final_log) offsets.emplace(one.mark, one.offset);
        for (const Acknowledgement& one : partition.acknowledged) {
            const auto found = offsets.find(one.mark);
            // What is not there at all is lost, which is another checker's finding.
            if (found == offsets.end() || found->second == one.offset) continue;
            findings.add(place.text() + ": " + one.text() + " was told, but it is at " +
                         std::to_string(found->second));
        }
    }
}

}  // namespace milena::sim
