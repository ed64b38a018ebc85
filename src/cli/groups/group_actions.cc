// SPDX-License-Identifier: Apache-2.0
// --list, --describe and --delete.
#include "groups/group_actions.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "console.h"
#include "groups/group_list.h"
#include "groups/group_tables.h"
#include "text/exceptions.h"
#include "text/hash_order.h"

namespace milena::cli {
namespace {

/// Names in the order of a map of them.
std::vector<std::string> in_hash_order(const std::vector<std::string>& names) {
    const std::vector<std::string_view> keys(names.begin(), names.end());
    std::vector<std::string> ordered;
    for (const std::size_t at : default_hash_order(keys)) ordered.push_back(names[at]);
    return ordered;
}

void print_table(const GroupDescription& group, const std::string& table) {
    if (group.state == "Dead") {
        print_group_error(fmt::format("Consumer group '{}' does not exist.", group.name));
        return;
    }
    print_error(state_warning(group));
    print(table);
}

env::Task<Result<void>> print_offsets(GroupTool tool,
                                      const std::map<std::string, GroupDescription>& groups) {
    std::vector<std::string> names;
    for (const auto& [name, group] : groups) names.push_back(name);
    CO_TRY(const auto committed, co_await committed_offsets(tool.session, names, tool.give_up));
    std::vector<TopicPartition> partitions;
    for (const auto& [name, group] : groups) {
        const auto some = partitions_in(group, committed.at(name));
        partitions.insert(partitions.end(), some.begin(), some.end());
    }
    std::ranges::sort(partitions);
    partitions.erase(std::ranges::unique(partitions).begin(), partitions.end());
    CO_TRY(const auto ends, co_await offsets_of_present(tool.session, partitions, kLatest));
    for (const auto& [name, group] : groups) {
        print_table(group, offsets_table(name, offset_rows(group, committed.at(name), ends),
                                         tool.options.verbose.is_given));
    }
    co_return ok();
}

}  // namespace

void print_group_error(std::string_view message) {
    print(fmt::format("\nError: {}\n", message));
}

env::Task<Result<std::vector<std::string>>> chosen_groups(GroupTool tool) {
    if (!tool.options.all_groups) co_return tool.options.groups();
    co_return co_await list_consumer_groups(tool.session, tool.give_up);
}

env::Task<Result<void>> print_group_list(GroupTool tool) {
    const GroupToolOptions& options = tool.options;
    CO_TRY(const auto states, parse_states(options.state.text()));
    CO_TRY(const auto types, parse_types(options.type.text()));
    CO_TRY(auto groups, co_await list_groups(tool.session, tool.give_up));
    std::erase_if(groups, [&](const ListedGroup& group) {
        return !group.is_of_consumers() || (!states.empty() && !states.contains(group.state)) ||
               (!types.empty() && !types.contains(group.type));
    });
    print(list_table(in_hash_order(groups), options.type.is_given, options.state.is_given));
    co_return ok();
}

env::Task<Result<void>> print_group_descriptions(GroupTool tool) {
    const GroupToolOptions& options = tool.options;
    CO_TRY(auto names, co_await chosen_groups(tool));
    CO_TRY(const auto groups, co_await describe_all(tool.session, std::move(names), tool.give_up));
    if (!options.members && !options.state) co_return co_await print_offsets(tool, groups);
    const bool verbose = options.verbose.is_given;
    for (const auto& [name, group] : groups)
        print_table(group,
                    options.state ? state_table(group, verbose) : members_table(group, verbose));
    co_return ok();
}

env::Task<Result<void>> delete_groups_and_print(GroupTool tool) {
    CO_TRY(const auto names, co_await chosen_groups(tool));
    CO_TRY(const auto results, co_await delete_groups(tool.session, names, tool.give_up));
    std::vector<std::string> deleted;
    std::string failures;
    for (const std::string& name : in_hash_order(names)) {
        const auto result = results.find(name);
        if (result == results.end() || !result->second) {
            deleted.push_back(fmt::format("'{}'", name));
        } else {
            failures += fmt::format("\n* Group '{}' could not be deleted due to: {}", name,
                                    exception_text(*result->second));
        }
    }
    if (failures.empty()) {
        print(fmt::format("Deletion of requested consumer groups ({}) was successful.\n",
                          fmt::join(deleted, ", ")));
        co_return ok();
    }
    print_group_error("Deletion of some consumer groups failed:" + failures);
    if (!deleted.empty()) {
        print(fmt::format("\nThese consumer groups were deleted successfully: {}\n",
                          fmt::join(deleted, ", ")));
    }
    co_return ok();
}

}  // namespace milena::cli
