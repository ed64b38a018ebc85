// SPDX-License-Identifier: Apache-2.0
// I2: whoever looked at an offset, whenever, saw the same record; and what was seen once is in the
// log for ever.
#include <unordered_map>

#include "sim/checkers/checker.h"

namespace milena::sim {
namespace {

using Values = std::unordered_map<std::int64_t, Mark>;

void compare(const Place& place, const Sighting& one, const Values& values, Findings& findings) {
    const auto found = values.find(one.offset);
    if (found == values.end()) {
        findings.add(place.text() + ": " + one.text() + " was read once and is gone");
    } else if (found->second != one.mark) {
        findings.add(place.text() + ": " + one.text() + " was read once, and now " +
                     found->second.text() + " is there");
    }
}

}  // namespace

void offset_has_one_value(const History& history, Findings& findings) {
    for (const auto& [place, partition] : history.partitions) {
        Values values;
        values.reserve(partition.final_log.size());
        for (const Sighting& one : partition.final_log) {
            if (!values.emplace(one.offset, one.mark).second)
                findings.add(place.text() + ": two records at " + std::to_string(one.offset));
        }
        for (const ReadSession& session : partition.sessions) {
            for (const Sighting& one : session.records) compare(place, one, values, findings);
        }
    }
}

}  // namespace milena::sim
