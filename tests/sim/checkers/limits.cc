// SPDX-License-Identifier: Apache-2.0
// I9: the high watermark, the last stable offset and the start of a log only ever grow within one
// leadership, and stand in their order. Two answers are compared if the one had come before the
// other was asked for.
#include <algorithm>
#include <map>

#include "sim/checkers/checker.h"

namespace milena::sim {
namespace {

using Limit = std::int64_t LimitsSeen::*;

struct Named {
    Limit limit;
    std::string_view name;
};
constexpr Named kLimits[] = {{&LimitsSeen::high_watermark, "high watermark"},
                             {&LimitsSeen::last_stable_offset, "last stable offset"},
                             {&LimitsSeen::log_start_offset, "log start offset"}};

using Seen = std::vector<LimitsSeen>;

void check_growth(const Place& place, const Seen& seen, const Named& named, Findings& findings) {
    std::vector<const LimitsSeen*> by_asking, by_answer;
    for (const LimitsSeen& one : seen) {
        by_asking.push_back(&one);
        by_answer.push_back(&one);
    }
    std::ranges::sort(by_asking, {}, &LimitsSeen::asked);
    std::ranges::sort(by_answer, {}, &LimitsSeen::answered);
    auto earlier = by_answer.begin();
    std::int64_t highest = 0;
    for (const LimitsSeen* one : by_asking) {
        for (; earlier != by_answer.end() && (*earlier)->answered < one->asked; ++earlier)
            highest = std::max(highest, (*earlier)->*named.limit);
        if (one->*named.limit < highest) {
            findings.add(place.text() + ": " + std::string(named.name) + " " +
                         std::to_string(one->*named.limit) + " after " + std::to_string(highest));
        }
    }
}

}  // namespace

void limits_never_go_back(const History& history, Findings& findings) {
    for (const auto& [place, partition] : history.partitions) {
        std::map<std::int32_t, Seen> by_epoch;
        for (const LimitsSeen& one : partition.limits) by_epoch[one.leader_epoch].push_back(one);
        for (const auto& [epoch, seen] : by_epoch) {
            for (const Named& named : kLimits) check_growth(place, seen, named, findings);
        }
        for (const LimitsSeen& one : partition.limits) {
            if (one.log_start_offset <= one.last_stable_offset &&
                one.last_stable_offset <= one.high_watermark)
                continue;
            findings.add(place.text() + ": start " + std::to_string(one.log_start_offset) +
                         ", last stable " + std::to_string(one.last_stable_offset) +
                         ", high watermark " + std::to_string(one.high_watermark));
        }
    }
}

}  // namespace milena::sim
