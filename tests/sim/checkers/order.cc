// SPDX-License-Identifier: Apache-2.0
// I5: the records of one producer stand in the order in which it sent them.
#include "sim/checkers/checker.h"

namespace milena::sim {

void order_is_kept(const History& history, Findings& findings) {
    for (const auto& [place, partition] : history.partitions) {
        std::map<std::int32_t, std::int64_t> last;
        for (const Sighting& one : partition.final_log) {
            const auto found = last.find(one.mark.writer);
            if (found != last.end() && one.mark.number < found->second) {
                findings.add(place.text() + ": " + one.text() + " stands behind number " +
                             std::to_string(found->second));
            }
            last[one.mark.writer] = one.mark.number;
        }
    }
}

}  // namespace milena::sim
