// SPDX-License-Identifier: Apache-2.0
// --reset-offsets and --delete-offsets: which partitions are meant, what their new offsets are, and
// the commit.
#include <algorithm>

#include <fmt/format.h>

#include "console.h"
#include "groups/group_actions.h"
#include "groups/iso_time.h"
#include "groups/reset_plan.h"
#include "text/exceptions.h"
#include "text/hash_order.h"

namespace milena::cli {
namespace {

constexpr std::string_view kLogger = "org.apache.kafka.tools.GroupOffsetsResetter";
constexpr std::size_t kFileBytesMax = 64U << 20;

using Offsets = std::map<TopicPartition, std::int64_t>;
using Partitions = std::vector<TopicPartition>;

std::unexpected<Error> unknown_partition(std::string why) {
    return fail(ErrorCode::unknown_topic_or_partition, std::move(why));
}

/// The partitions that a --topic means; all of them have to be there.
env::Task<Result<Partitions>> partitions_in_scope(Session& session, ResetScope scope) {
    CO_TRY(auto all, co_await partitions_of_topic(session, scope.topic));
    if (all.empty()) {
        constexpr auto kCode = ErrorCode::unknown_topic_or_partition;
        const Error error{kCode, std::string(usual_message(kCode))};
        if (scope.partitions.empty()) co_return std::unexpected(error);
        // Kafka's tool asks in another way, whose error has come out of a future.
        co_return refuse("java.util.concurrent.ExecutionException: " + exception_text(error));
    }
    if (scope.partitions.empty()) co_return all;
    Partitions wanted;
    for (const std::int32_t partition : scope.partitions) {
        TopicPartition one{scope.topic, partition};
        if (!std::ranges::binary_search(all, one)) {
            co_return unknown_partition(
                fmt::format("The partitions \"{}\" do not exist", one.text()));
        }
        wanted.push_back(std::move(one));
    }
    co_return wanted;
}

env::Task<Result<Partitions>> partitions_to_reset(GroupTool tool, const Committed& committed) {
    Partitions partitions;
    if (tool.options.all_topics) {
        for (const auto& [partition, offset] : committed) partitions.push_back(partition);
        co_return partitions;
    }
    for (const std::string& text : tool.options.topic.values) {
        CO_TRY(auto scope, parse_scope(text));
        CO_TRY(const auto some, co_await partitions_in_scope(tool.session, std::move(scope)));
        partitions.insert(partitions.end(), some.begin(), some.end());
    }
    std::ranges::sort(partitions);
    partitions.erase(std::ranges::unique(partitions).begin(), partitions.end());
    co_return partitions;
}

/// Offsets at one of the special times; each partition has to have one.
env::Task<Result<Offsets>> offsets_at(GroupTool tool, Partitions partitions, std::int64_t when) {
    CO_TRY(const auto answers, co_await list_offsets(tool.session, std::move(partitions), when));
    Offsets offsets;
    for (const auto& [partition, offset] : answers) {
        if (!offset) co_return std::unexpected(offset.error());
        offsets[partition] = *offset;
    }
    co_return offsets;
}

env::Task<Result<Offsets>> within_range(GroupTool tool, Offsets wanted) {
    Partitions partitions;
    for (const auto& [partition, offset] : wanted) partitions.push_back(partition);
    CO_TRY(const auto earliest, co_await offsets_at(tool, partitions, kEarliest));
    CO_TRY(const auto latest, co_await offsets_at(tool, partitions, kLatest));
    for (auto& [partition, offset] : wanted) {
        const auto clamped =
            clamp_offset(partition, offset, earliest.at(partition), latest.at(partition));
        if (!clamped.warning.empty()) print_error(log_line("WARN", clamped.warning, kLogger));
        offset = clamped.offset;
    }
    co_return wanted;
}

env::Task<Result<Offsets>> to_time(GroupTool tool, Partitions partitions, std::int64_t time) {
    CO_TRY(auto offsets, co_await offsets_at(tool, partitions, time));
    CO_TRY(const auto latest, co_await offsets_at(tool, std::move(partitions), kLatest));
    for (auto& [partition, offset] : offsets) {
        if (offset >= 0) continue;
        print(
            fmt::format("\nWarn: Partition {} from topic {} is empty. Falling back to latest "
                        "known offset.\n",
                        partition.partition, partition.topic));
        offset = latest.at(partition);
    }
    co_return offsets;
}

env::Task<Result<Offsets>> shifted(GroupTool tool, Partitions partitions,
                                   const Committed& committed, std::int64_t by) {
    Offsets offsets;
    for (const TopicPartition& partition : partitions) {
        const auto found = committed.find(partition);
        if (found == committed.end()) {
            co_return fail(ErrorCode::invalid_request,
                           fmt::format("Cannot shift offset for partition {} since there is no "
                                       "current committed offset",
                                       partition.text()));
        }
        std::int64_t& offset = offsets[partition];
        if (__builtin_add_overflow(found->second.offset, by, &offset))
            offset = by < 0 ? INT64_MIN : INT64_MAX;
    }
    co_return co_await within_range(tool, std::move(offsets));
}

env::Task<Result<Offsets>> to_current(GroupTool tool, Partitions partitions,
                                      const Committed& committed) {
    Offsets offsets;
    Partitions without;
    for (const TopicPartition& partition : partitions) {
        if (const auto found = committed.find(partition); found != committed.end()) {
            offsets[partition] = found->second.offset;
        } else {
            without.push_back(partition);
        }
    }
    CO_TRY(auto latest, co_await offsets_at(tool, std::move(without), kLatest));
    offsets.merge(latest);
    co_return offsets;
}

/// What all groups are reset to, read once.
struct Wanted {
    std::int64_t offset = 0;  ///< of --to-offset
    std::int64_t shift = 0;   ///< of --shift-by
    std::int64_t time = 0;    ///< of --to-datetime and --by-duration
    NewOffsets from_file{};
};

env::Task<Result<Wanted>> wanted_of(GroupTool tool) {
    const GroupToolOptions& options = tool.options;
    Wanted wanted;
    CO_TRY(wanted.offset, options.number(options.to_offset, 0));
    CO_TRY(wanted.shift, options.number(options.shift_by, 0));
    if (options.to_datetime) {
        CO_TRY(wanted.time, parse_datetime(options.to_datetime.text()));
    }
    if (options.by_duration) {
        CO_TRY(const auto ago, parse_duration(options.by_duration.text()));
        wanted.time = tool.session.env().clock().wall().value - ago;
    }
    if (options.from_file) {
        const std::string path(options.from_file.text());
        const auto text = env::read_file(tool.session.env().files(), path, kFileBytesMax);
        if (!text)
            co_return refuse(fmt::format("java.io.IOException: Unable to read file {}", path));
        const auto groups = options.groups();
        const bool with_group = groups.size() != 1;
        CO_TRY(wanted.from_file, parse_csv(*text, with_group, with_group ? "" : groups[0]));
    }
    co_return wanted;
}

env::Task<Result<Offsets>> new_offsets(GroupTool tool, const std::string& group,
                                       const Wanted& wanted) {
    const GroupToolOptions& options = tool.options;
    if (options.from_file) {
        const auto found = wanted.from_file.find(group);
        if (found == wanted.from_file.end()) co_return Offsets{};
        co_return co_await within_range(tool, found->second);
    }
    CO_TRY(const auto all, co_await committed_offsets(
                               tool.session, std::vector<std::string>(1, group), tool.give_up));
    const Committed& committed = all.at(group);
    CO_TRY(auto partitions, co_await partitions_to_reset(tool, committed));
    if (options.to_earliest) co_return co_await offsets_at(tool, std::move(partitions), kEarliest);
    if (options.to_latest) co_return co_await offsets_at(tool, std::move(partitions), kLatest);
    if (options.to_current) co_return co_await to_current(tool, std::move(partitions), committed);
    if (options.shift_by)
        co_return co_await shifted(tool, std::move(partitions), committed, wanted.shift);
    if (options.to_datetime || options.by_duration)
        co_return co_await to_time(tool, std::move(partitions), wanted.time);
    Offsets offsets;
    for (TopicPartition& partition : partitions) offsets[std::move(partition)] = wanted.offset;
    co_return co_await within_range(tool, std::move(offsets));
}

/// The state that a group is in: a group that is not there can be reset too, which makes it.
env::Task<Result<std::map<std::string, std::string>>> states_of(GroupTool tool,
                                                                std::vector<std::string> groups) {
    std::map<std::string, std::string> states;
    CO_TRY(const auto described,
           co_await describe_groups(tool.session, std::move(groups), tool.give_up));
    for (const auto& [name, group] : described) {
        if (group) {
            states[name] = group->state;
        } else if (group.error().code == ErrorCode::group_id_not_found) {
            states[name] = "Dead";
        } else if (group.error().code == ErrorCode::none) {
            co_return refuse(fmt::format("java.util.concurrent.ExecutionException: {}",
                                         exception_text(group.error())));
        } else {
            co_return std::unexpected(group.error());
        }
    }
    co_return states;
}

env::Task<Result<void>> reset_group(GroupTool tool, std::string group, std::string state,
                                    const Result<Wanted>& wanted, NewOffsets& results) {
    Offsets& offsets = results[group];
    if (state != "Empty" && state != "Dead") {
        print_group_error(
            fmt::format("Assignments can only be reset if the group '{}' is inactive, but the "
                        "current state is {}.",
                        group, state));
        co_return ok();
    }
    if (!wanted) co_return std::unexpected(wanted.error());
    CO_TRY(offsets, co_await new_offsets(tool, group, *wanted));
    if (!tool.options.execute) co_return ok();
    co_return co_await commit_offsets(tool.session, group, offsets, tool.give_up);
}

/// Whose offsets are deleted: the rows of topics that are not there are theirs already.
env::Task<Result<Partitions>> partitions_to_delete(GroupTool tool, std::vector<DeletionRow>& rows) {
    Partitions partitions;
    for (const std::string& text : tool.options.topic.values) {
        CO_TRY(const auto scope, parse_scope(text));
        for (const std::int32_t partition : scope.partitions)
            partitions.push_back({scope.topic, partition});
        if (!scope.partitions.empty()) continue;
        CO_TRY(const auto all, co_await partitions_of_topic(tool.session, scope.topic));
        partitions.insert(partitions.end(), all.begin(), all.end());
        if (!all.empty()) continue;
        constexpr auto kCode = ErrorCode::unknown_topic_or_partition;
        rows.push_back({scope.topic, {}, Error{kCode, std::string(usual_message(kCode))}});
    }
    std::ranges::sort(partitions);
    partitions.erase(std::ranges::unique(partitions).begin(), partitions.end());
    co_return partitions;
}

void print_deletion(const std::string& group, const OffsetDeletion& deletion,
                    std::vector<DeletionRow> rows) {
    bool has_failed = false;
    for (const auto& [partition, error] : deletion.partitions) {
        rows.push_back({partition.topic, partition.partition, error});
        has_failed |= error.has_value();
    }
    std::ranges::sort(rows, {}, [](const DeletionRow& row) {
        return std::pair(row.topic, row.partition.value_or(-1));
    });
    if (deletion.error) {
        print_group_error(deletion.error->why);
    } else if (has_failed) {
        print_group_error("Encountered some partition-level error, see the follow-up details.");
    } else {
        print(fmt::format("Request succeeded for deleting offsets from group {}.\n", group));
    }
    print(deletion_table(rows));
}

}  // namespace

env::Task<Result<void>> reset_offsets_and_print(GroupTool tool) {
    const GroupToolOptions& options = tool.options;
    const auto wanted = co_await wanted_of(tool);
    CO_TRY(const auto groups, co_await chosen_groups(tool));
    CO_TRY(const auto states, co_await states_of(tool, groups));
    NewOffsets results;
    std::vector<std::string_view> names;
    for (const auto& [group, state] : states) names.push_back(group);
    for (const std::size_t at : default_hash_order(names)) {
        const std::string group(names[at]);
        CO_TRY_VOID(co_await reset_group(tool, group, states.at(group), wanted, results));
    }
    print(options.export_csv ? csv_of(results, options.groups().size() != 1)
                             : reset_table(results));
    co_return ok();
}

env::Task<Result<void>> delete_offsets_and_print(GroupTool tool) {
    const std::string group(tool.options.group.text());
    std::vector<DeletionRow> rows;
    CO_TRY(const auto partitions, co_await partitions_to_delete(tool, rows));
    OffsetDeletion deletion;
    if (!partitions.empty()) {
        CO_TRY(deletion, co_await delete_offsets(tool.session, group, partitions, tool.give_up));
    }
    print_deletion(group, deletion, std::move(rows));
    co_return ok();
}

}  // namespace milena::cli
