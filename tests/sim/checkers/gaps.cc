// SPDX-License-Identifier: Apache-2.0
// I10: a reader that goes on from where it is sees every offset, one after the other. The logs of
// the workload have neither control records nor compaction, so their offsets have no gaps.
#include "sim/checkers/checker.h"

namespace milena::sim {

void reads_have_no_gaps(const History& history, Findings& findings) {
    for (const auto& [place, partition] : history.partitions) {
        for (const ReadSession& session : partition.sessions) {
            std::int64_t expected = session.from;
            for (const Sighting& one : session.records) {
                if (one.offset != expected) {
                    findings.add(place.text() + ": " + one.text() + " was read where " +
                                 std::to_string(expected) + " was due");
                }
                expected = one.offset + 1;
            }
        }
    }
}

}  // namespace milena::sim
