// SPDX-License-Identifier: Apache-2.0
// The options of consumer-groups, and which of them go together: the messages are those of Kafka's
// tool.
#pragma once

#include <set>

#include "cluster/connect_options.h"

namespace milena::cli {

struct GroupToolOptions {
    Parser parser{"consumer-groups",
                  "This tool helps to list, describe, delete and manage the offsets of consumer "
                  "groups."};
    const AdminOptions cluster{parser};
    const Option& group = parser.option("group", "The consumer group to act on.", Takes::many);
    const Option& topic = parser.option(
        "topic",
        "The topic whose offsets are deleted or reset; for --reset-offsets it may name partitions: "
        "topic:0,1,2.",
        Takes::many);
    const Option& all_topics =
        parser.flag("all-topics", "Reset offsets of all topics that the group has offsets of.");
    const Option& list = parser.flag("list", "List all consumer groups.");
    const Option& describe =
        parser.flag("describe", "Describe groups, and how far behind they are (lag).");
    const Option& all_groups = parser.flag("all-groups", "Act on all consumer groups.");
    const Option& remove = parser.flag("delete", "Delete groups with all their offsets.");
    const Option& timeout =
        parser.option("timeout", "Milliseconds for all that the tool asks (default: 5000).");
    const Option& reset = parser.flag(
        "reset-offsets",
        "Reset offsets of inactive groups: --dry-run shows, --execute does, --export prints CSV.");
    const Option& delete_offsets =
        parser.flag("delete-offsets", "Delete offsets of a group, of the topics given.");
    const Option& dry_run = parser.flag("dry-run", "Show what --reset-offsets would do.");
    const Option& execute = parser.flag("execute", "Do what --reset-offsets shows.");
    const Option& export_csv = parser.flag("export", "Print what --reset-offsets does as CSV.");
    const Option& to_offset = parser.option("to-offset", "Reset to this offset.");
    const Option& from_file = parser.option("from-file", "Reset to the offsets in this CSV file.");
    const Option& to_datetime =
        parser.option("to-datetime", "Reset to a time: YYYY-MM-DDTHH:mm:SS.sss, in UTC or zoned.");
    const Option& by_duration = parser.option("by-duration", "Reset to so long ago: PnDTnHnMnS.");
    const Option& to_earliest = parser.flag("to-earliest", "Reset to the earliest offset.");
    const Option& to_latest = parser.flag("to-latest", "Reset to the latest offset.");
    const Option& shift_by =
        parser.option("shift-by", "Move offsets by so many, back if negative.");
    const Option& to_current = parser.flag("to-current", "Reset to the current offset.");
    const Option& members = parser.flag("members", "Describe members.");
    const Option& offsets =
        parser.flag("offsets", "Describe offsets and lag; so it is without --members and --state.");
    const Option& state = parser.option(
        "state", "Describe the state; with --list the states, or groups in these states.",
        Takes::optional);
    const Option& type =
        parser.option("type", "With --list the types, or groups of these types.", Takes::optional);
    const Option& verbose = parser.flag("verbose", "Describe more.");
    const Option& validate_regex =
        parser.option("validate-regex", "Say whether this is a regular expression of RE2.");

    /// The exit code of wrong usage, which has been said.
    std::optional<int> check() const;
    /// The options by which --reset-offsets is told what to reset to.
    std::vector<const Option*> scenarios() const;
    /// Who is not named with --group is meant with --all-groups.
    std::vector<std::string> groups() const;

    /// The option's value as a number. Not wrong usage, but an error of its own, as in Kafka's
    /// tool.
    Result<std::int64_t> number(const Option& option, std::int64_t otherwise) const;

private:
    std::optional<int> check_available() const;
    std::optional<int> check_describe() const;
    std::optional<int> check_delete() const;
    std::optional<int> check_reset() const;
    std::optional<int> check_scenario() const;
    std::optional<int> check_scopes() const;
    std::optional<int> conflict(const Option& used, const Option& invalid) const;
};

/// Words of a comma separated list, as one of `known` each whatever the case; the message if a word
/// is none of them. `what` is "state" or "types".
Result<std::set<std::string>> parse_words(std::string_view text, std::string_view what,
                                          const std::vector<std::string_view>& known);
Result<std::set<std::string>> parse_states(std::string_view text);
Result<std::set<std::string>> parse_types(std::string_view text);

}  // namespace milena::cli
