// SPDX-License-Identifier: Apache-2.0
// What consumer-groups does with a cluster, and prints of it.
#pragma once

#include "cluster/session.h"
#include "groups/group_tool_options.h"

namespace milena::cli {

/// What an action of the tool is given.
struct GroupTool {
    Session& session;
    const GroupToolOptions& options;
    env::Instant give_up;
};

env::Task<Result<void>> print_group_list(GroupTool tool);
env::Task<Result<void>> print_group_descriptions(GroupTool tool);
env::Task<Result<void>> delete_groups_and_print(GroupTool tool);
env::Task<Result<void>> delete_offsets_and_print(GroupTool tool);
env::Task<Result<void>> reset_offsets_and_print(GroupTool tool);

/// The groups that --group or --all-groups name.
env::Task<Result<std::vector<std::string>>> chosen_groups(GroupTool tool);

/// "\nError: message\n" on standard output, as Kafka's tool says what went wrong.
void print_group_error(std::string_view message);

}  // namespace milena::cli
