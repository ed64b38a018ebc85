// SPDX-License-Identifier: Apache-2.0
// Which options go together: the first line of what kafka-consumer-groups of Apache Kafka 4.4 says.
#include "groups/group_tool_options.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

struct Usage {
    std::optional<int> exit_code;
    std::string first_line;
};

Usage usage_of(const std::string& line) {
    Arguments arguments{"--bootstrap-server", "localhost:1"};
    for (std::size_t at = 0; at < line.size();) {
        const std::size_t end = std::min(line.find(' ', at), line.size());
        arguments.push_back(line.substr(at, end - at));
        at = end + 1;
    }
    GroupToolOptions options;
    testing::internal::CaptureStderr();
    Usage usage{options.parser.parse(arguments), ""};
    if (!usage.exit_code) usage.exit_code = options.check();
    const std::string said = testing::internal::GetCapturedStderr();
    usage.first_line = said.substr(0, said.find('\n'));
    return usage;
}

TEST(GroupToolOptions, GoTogetherAsInKafkasTool) {
    for (const char* const line :
         {"--list", "--list --state", "--list --state stable --type", "--describe --group g",
          "--describe --all-groups --members --verbose", "--describe --group a --group b --state",
          "--delete --group g", "--delete-offsets --group g --topic t", "--validate-regex x",
          "--list --export", "--reset-offsets --group g --topic t --to-offset 1 --dry-run",
          "--reset-offsets --group g --from-file f --execute"})
        EXPECT_EQ(usage_of(line).exit_code, std::nullopt)
            << line << ": " << usage_of(line).first_line;
}

TEST(GroupToolOptions, SayWhatDoesNotGoTogether) {
    const std::vector<std::pair<const char*, const char*>> cases{
        {"--state", "Option(s) [state] are unavailable given other options on the command line"},
        {"--list --members",
         "Option(s) [members] are unavailable given other options on the command line"},
        {"--describe", "Option [describe] takes one of these options: [group], [all-groups]"},
        {"--list --describe",
         "Option [describe] takes one of these options: [group], [all-groups]"},
        {"--describe --group g --members --state",
         "Option [describe] takes at most one of these options: [members], [offsets], [state]"},
        {"--describe --group g --state foo", "Option [describe] does not take a value for [state]"},
        {"--describe --group g --all-groups",
         "Option \"[group]\" can't be used with option \"[all-groups]\""},
        {"--describe --group g --topic t",
         "Option \"[topic]\" can't be used with option \"[describe]\""},
        {"--list --group g", "Option \"[group]\" can't be used with option \"[list]\""},
        {"--delete", "Option [delete] takes one of these options: [group], [all-groups]"},
        {"--delete --group g --topic t",
         "The consumer does not support topic-specific offset deletion from a consumer group."},
        {"--delete-offsets --group g",
         "Option [delete-offsets] takes the following options: [group], [topic]"},
        {"--reset-offsets --group g --topic t --to-earliest --execute --dry-run",
         "Option [reset-offsets] only accepts one of [execute] and [dry-run]"},
        {"--reset-offsets --topic t --to-offset 1 --dry-run",
         "Option [reset-offsets] takes one of these options: [group], [all-groups]"},
        {"--reset-offsets --group g --topic t --to-earliest --to-latest --dry-run",
         "Option \"[to-earliest]\" can't be used with option \"[to-latest]\""},
        {"--reset-offsets --group g --to-earliest --execute",
         "One of the reset scopes should be defined: --all-topics, --topic."},
        {"--verbose --validate-regex x",
         "Option(s) [verbose] are unavailable given other options on the command line"},
        {"--timeout 5",
         "Command must include exactly one action: --list, --describe, --delete, --reset-offsets, "
         "--delete-offsets, --validate-regex"}};
    for (const auto& [line, said] : cases) {
        EXPECT_EQ(usage_of(line).exit_code, kExitFailed) << line;
        EXPECT_EQ(usage_of(line).first_line, said) << line;
    }
}

TEST(ParseStates, TakesThemInAnyCase) {
    EXPECT_EQ(parse_states("stable, EMPTY"), (std::set<std::string>{"Stable", "Empty"}));
    EXPECT_EQ(parse_states("dead,"), (std::set<std::string>{"Dead"}));
    EXPECT_EQ(parse_states(""), std::set<std::string>{});
    EXPECT_EQ(
        parse_states("wrong").error().why,
        "Invalid state list 'wrong'. Valid states are: Stable, CompletingRebalance, Assigning, "
        "Empty, Dead, Reconciling, PreparingRebalance");
    EXPECT_EQ(parse_types("share").error().why,
              "Invalid types list 'share'. Valid types are: Consumer, Classic");
}

}  // namespace
}  // namespace milena::cli
