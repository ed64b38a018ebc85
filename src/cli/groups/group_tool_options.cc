// SPDX-License-Identifier: Apache-2.0
// What is checked, and in which order, so that two mistakes at once are told as Kafka's tool does.
#include "groups/group_tool_options.h"

#include <algorithm>

#include <fmt/ranges.h>

#include "console.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::string_view kNoExecute =
    "WARN: No action will be performed as the --execute option is missing. In version 5.0, this "
    "command will require either --dry-run or --execute to be specified. You should add the "
    "--dry-run option explicitly if you are scripting this command and want to keep the current "
    "default behavior without prompting.\n";

bool is_same_word(std::string_view a, std::string_view b) {
    return std::ranges::equal(
        a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

}  // namespace

Result<std::set<std::string>> parse_words(std::string_view text, std::string_view what,
                                          const std::vector<std::string_view>& known) {
    std::set<std::string> words;
    std::string_view rest = text;
    while (!rest.empty()) {
        const std::size_t comma = std::min(rest.find(','), rest.size());
        const std::string_view word = trimmed(rest.substr(0, comma));
        rest.remove_prefix(std::min(comma + 1, rest.size()));
        const auto found = std::ranges::find_if(
            known, [word](std::string_view one) { return is_same_word(one, word); });
        if (found == known.end()) {
            return refuse(fmt::format("Invalid {} list '{}'. Valid {} are: {}", what, text,
                                      what == "state" ? "states" : what, fmt::join(known, ", ")));
        }
        words.emplace(*found);
    }
    return words;
}

Result<std::set<std::string>> parse_states(std::string_view text) {
    return parse_words(text, "state",
                       {"Stable", "CompletingRebalance", "Assigning", "Empty", "Dead",
                        "Reconciling", "PreparingRebalance"});
}

Result<std::set<std::string>> parse_types(std::string_view text) {
    return parse_words(text, "types", {"Consumer", "Classic"});
}

std::vector<std::string> GroupToolOptions::groups() const {
    std::vector<std::string> names = group.values;
    std::ranges::sort(names);
    names.erase(std::ranges::unique(names).begin(), names.end());
    return names;
}

Result<std::int64_t> GroupToolOptions::number(const Option& option, std::int64_t otherwise) const {
    auto number = parser.number(option, otherwise);
    return number ? number : refuse(number.error().why);
}

std::vector<const Option*> GroupToolOptions::scenarios() const {
    return {&to_offset, &to_datetime, &by_duration, &to_earliest,
            &to_latest, &shift_by,    &from_file,   &to_current};
}

std::optional<int> GroupToolOptions::conflict(const Option& used, const Option& invalid) const {
    if (!used || !invalid) return std::nullopt;
    return parser.wrong_usage(
        fmt::format("Option \"[{}]\" can't be used with option \"[{}]\"", used.name, invalid.name));
}

std::optional<int> GroupToolOptions::check_available() const {
    for (const Option* const option : {&members, &offsets, &verbose, &state, &type}) {
        const bool is_listable = option == &state || option == &type;
        const bool is_describable = option != &type;
        if (!*option || (is_describable && describe) || (is_listable && list)) continue;
        return parser.wrong_usage(
            fmt::format("Option(s) [{}] are unavailable given other options on the command line",
                        option->name));
    }
    return std::nullopt;
}

std::optional<int> GroupToolOptions::check_describe() const {
    if (!group && !all_groups) {
        return parser.wrong_usage(
            "Option [describe] takes one of these options: [group], [all-groups]");
    }
    if (members.is_given + offsets.is_given + state.is_given > 1) {
        return parser.wrong_usage(
            "Option [describe] takes at most one of these options: [members], [offsets], [state]");
    }
    if (state && !state.values.empty())
        return parser.wrong_usage("Option [describe] does not take a value for [state]");
    return std::nullopt;
}

std::optional<int> GroupToolOptions::check_delete() const {
    if (remove && !group && !all_groups) {
        return parser.wrong_usage(
            "Option [delete] takes one of these options: [group], [all-groups]");
    }
    if (remove && topic) {
        return parser.wrong_usage(
            "The consumer does not support topic-specific offset deletion from a consumer group.");
    }
    if (delete_offsets && (!group || !topic)) {
        return parser.wrong_usage(
            "Option [delete-offsets] takes the following options: [group], [topic]");
    }
    return std::nullopt;
}

std::optional<int> GroupToolOptions::check_reset() const {
    if (execute && dry_run)
        return parser.wrong_usage(
            "Option [reset-offsets] only accepts one of [execute] and [dry-run]");
    if (!execute && !dry_run) print_error(kNoExecute);
    if (!group && !all_groups) {
        return parser.wrong_usage(
            "Option [reset-offsets] takes one of these options: [group], [all-groups]");
    }
    const auto all = scenarios();
    for (const Option* const one : all) {
        for (const Option* const other : all) {
            if (one == other) continue;
            if (const auto exit_code = conflict(*one, *other)) return exit_code;
        }
    }
    return std::nullopt;
}

std::optional<int> GroupToolOptions::check_scenario() const {
    const auto all = scenarios();
    if (std::ranges::none_of(all, [](const Option* one) { return one->is_given; })) {
        std::vector<std::string> names;
        for (const Option* const one : all) names.push_back(fmt::format("[{}]", one->name));
        return parser.wrong_usage(
            fmt::format("Option '[reset-offsets]' requires one of the following scenarios: [{}]",
                        fmt::join(names, ", ")));
    }
    if (!from_file && !topic && !all_topics) {
        return parser.wrong_usage(
            "One of the reset scopes should be defined: --all-topics, --topic.");
    }
    return std::nullopt;
}

std::optional<int> GroupToolOptions::check_scopes() const {
    if (const auto exit_code = conflict(group, all_groups)) return exit_code;
    if (const auto exit_code = conflict(group, list)) return exit_code;
    for (const Option* const action : {&list, &describe}) {
        if (const auto exit_code = conflict(topic, *action)) return exit_code;
    }
    return std::nullopt;
}

std::optional<int> GroupToolOptions::check() const {
    if (const auto exit_code = check_available()) return exit_code;
    if (!cluster.brokers)
        return parser.wrong_usage("Missing required argument \"[bootstrap-server]\"");
    if (describe) {
        if (const auto exit_code = check_describe()) return exit_code;
    }
    if (const auto exit_code = check_delete()) return exit_code;
    if (reset) {
        if (const auto exit_code = check_reset()) return exit_code;
    }
    if (const auto exit_code = check_scopes()) return exit_code;
    const std::array actions{&list, &describe, &remove, &reset, &delete_offsets, &validate_regex};
    if (std::ranges::count_if(actions, [](const Option* one) { return one->is_given; }) != 1) {
        return parser.wrong_usage(
            "Command must include exactly one action: --list, --describe, --delete, "
            "--reset-offsets, --delete-offsets, --validate-regex");
    }
    return reset ? check_scenario() : std::nullopt;
}

}  // namespace milena::cli
