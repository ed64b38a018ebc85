// SPDX-License-Identifier: Apache-2.0
// kafka-topics --describe: which lines a topic gets, and their text.
#pragma once

#include <set>

#include "cluster/config_entries.h"
#include "cluster/topic_states.h"
#include "moves/reassignments.h"

namespace milena::cli {

struct TopicDescription {
    TopicState state;
    std::vector<ConfigEntry> configs;
    std::map<std::int32_t, Reassignment> reassignments;  ///< by partition
};

/// Which of a topic's lines are wanted; nothing set is all.
struct DescribeFilter {
    bool under_replicated = false;
    bool unavailable = false;
    bool under_min_isr = false;
    bool at_min_isr = false;
    bool only_overridden = false;  ///< topic lines only, of topics that override a config

    bool chooses_partitions() const {
        return under_replicated || unavailable || under_min_isr || at_min_isr;
    }
};

std::string describe_text(const TopicDescription& topic, const DescribeFilter& filter,
                          const std::set<std::int32_t>& live_brokers);

}  // namespace milena::cli
