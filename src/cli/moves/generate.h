// SPDX-License-Identifier: Apache-2.0
// kafka-reassign-partitions --generate: a plan for topics and brokers, and what there is now.
#pragma once

#include "moves/plan.h"

namespace milena::cli {

struct GenerateWish {
    std::vector<std::string> topics;
    BrokerIds brokers;
    bool rack_aware = true;
};

/// Prints the assignment that is and one that could be, placed as new topics are. Gives the exit
/// code.
env::Task<Result<int>> generate_plan(Session& session, const GenerateWish& wish);

}  // namespace milena::cli
