// SPDX-License-Identifier: Apache-2.0
// milena leader-election, kafka-leader-election.sh: elects the preferred leaders of partitions, or
// any leader where there is none.
#include <algorithm>

#include <fmt/ranges.h>

#include "cluster/connect_options.h"
#include "command_files.h"
#include "console.h"
#include "moves/elections.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::size_t kFileBytesMax = 256U << 20;

struct Options {
    Parser parser{
        "leader-election",
        "This tool attempts to elect a new leader for a set of topic partitions. The type "
        "of elections supported are preferred replicas and unclean replicas."};
    const AdminOptions cluster{parser};
    const Option& older_config =
        parser.option("admin.config", "The older name of --command-config.");
    const Option& type = parser.option(
        "election-type",
        "preferred: where the first replica does not lead, it shall. unclean: where nobody leads, "
        "a replica shall that may lack records that were acknowledged.");
    const Option& file =
        parser.option("path-to-json-file", R"({"partitions": [{"topic": "foo", "partition": 1}]})");
    const Option& topic = parser.option("topic", "One topic.");
    const Option& partition = parser.option("partition", "A partition of it.");
    const Option& all = parser.flag("all-topic-partitions", "All that may be elected.");
};

/// What has to be there.
Result<void> check_required(const Options& options) {
    std::vector<std::string> missing;
    for (const Option* option : {&options.cluster.brokers, &options.type}) {
        if (!*option) missing.push_back(option->name);
    }
    if (missing.empty()) return ok();
    return refuse_command(fmt::format("Missing required option(s): {}", fmt::join(missing, ", ")));
}

/// Which partitions.
Result<void> check_partitions(const Options& options) {
    const int given = options.topic.is_given + options.all.is_given + options.file.is_given;
    if (given != 1) {
        return refuse_command(
            "One and only one of the following options is required: topic, all-topic-partitions, "
            "path-to-json-file");
    }
    if (options.topic && !options.partition)
        return refuse_command("Missing required option(s): partition");
    if (!options.topic && options.partition)
        return refuse_command("Option partition is only allowed if topic is used");
    return ok();
}

struct Outcomes {
    std::vector<std::string> elected;
    std::vector<std::string> unneeded;
    std::vector<const ElectionOutcome*> failed;
};

Outcomes sorted(const std::vector<ElectionOutcome>& outcomes) {
    Outcomes by_kind;
    for (const ElectionOutcome& outcome : outcomes) {
        switch (outcome.error.code) {
            case ErrorCode::none: by_kind.elected.push_back(outcome.partition.text()); break;
            case ErrorCode::election_not_needed:
                by_kind.unneeded.push_back(outcome.partition.text());
                break;
            default: by_kind.failed.push_back(&outcome);
        }
    }
    return by_kind;
}

/// On standard error: a message, and the lines of a stack trace.
int failed(std::string_view message, std::string_view trace) {
    print_error(fmt::format("{}\n{}\n", message, trace));
    return kExitFailed;
}

int failed(const Error& error) {
    return failed(error.why, stack_trace(error));
}

/// Prints what became of each; gives the exit code.
int print_outcomes(const std::vector<ElectionOutcome>& outcomes, ElectionType type) {
    const Outcomes by_kind = sorted(outcomes);
    if (!by_kind.elected.empty()) {
        print(fmt::format("Successfully completed leader election ({}) for partitions {}\n",
                          name_of(type), fmt::join(by_kind.elected, ", ")));
    }
    if (!by_kind.unneeded.empty()) {
        print(fmt::format("Valid replica already elected for partitions {}\n",
                          fmt::join(by_kind.unneeded, ", ")));
    }
    if (by_kind.failed.empty()) return kExitOk;
    std::string suppressed;
    for (const ElectionOutcome* outcome : by_kind.failed) {
        const std::string text = exception_text(outcome->error);
        print(fmt::format("Error completing leader election ({}) for partition: {}: {}\n",
                          name_of(type), outcome->partition.text(), text));
        suppressed += fmt::format("\tSuppressed: {}\n", text);
    }
    const std::unexpected<Error> error =
        refuse_command(fmt::format("{} replica(s) could not be elected", by_kind.failed.size()));
    return failed(error.error().why, stack_trace(error.error()) + suppressed);
}

/// The request itself was refused, or nobody answered.
int failed_request(const Error& error) {
    std::string_view said;
    if (error.code == ErrorCode::request_timed_out) said = "Timeout waiting for election results";
    if (error.code == ErrorCode::cluster_authorization_failed)
        said = "Not authorized to perform leader election";
    const std::string text = exception_text(error);
    if (said.empty()) {
        const std::string of_future =
            fmt::format("java.util.concurrent.ExecutionException: {}", text);
        return failed(of_future, fmt::format("java.lang.RuntimeException: {0}\nCaused by: {0}\n"
                                             "Caused by: {1}\n",
                                             of_future, text));
    }
    print(fmt::format("{}\n", said));
    const std::unexpected<Error> refused = refuse_command(std::string(said));
    return failed(said, fmt::format("{}Caused by: {}\n", stack_trace(refused.error()), text));
}

/// Kafka's tool wraps it once more.
int failed_file(std::string_view path) {
    const std::unexpected<Error> error = refuse_file(path);
    const std::string text = exception_text(error.error());
    return failed(text, fmt::format("java.lang.RuntimeException: {}\nCaused by: {}", text,
                                    stack_trace(error.error())));
}

int cannot_parse(const Option& option, std::string_view cause) {
    const std::string message =
        fmt::format("Cannot parse argument '{}' of option {}", option.text(), option.name);
    return failed(message, fmt::format("joptsimple.OptionArgumentConversionException: {}\n"
                                       "Caused by: {}\n",
                                       message, cause));
}

std::optional<ElectionType> type_of(std::string_view text) {
    std::string name(text);
    for (char& c : name) {
        if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
    }
    for (const ElectionType type : {ElectionType::preferred, ElectionType::unclean}) {
        if (name == name_of(type)) return type;
    }
    return std::nullopt;
}

env::Task<Result<void>> elect(Session& session, const Options& options, WantedElection election,
                              int& exit_code) {
    if (options.file) {
        const auto text =
            env::read_file(session.env().files(), std::string(options.file.text()), kFileBytesMax);
        if (!text) {
            exit_code = failed_file(options.file.text());
            co_return ok();
        }
        CO_TRY(election.partitions, parse_partitions_to_elect(*text));
    }
    const auto outcomes = co_await elect_leaders(session, election);
    exit_code =
        outcomes ? print_outcomes(*outcomes, election.type) : failed_request(outcomes.error());
    co_return ok();
}

int run_election(const Options& options, const WantedElection& election) {
    Connect connect = options.cluster.connect();
    if (options.older_config) {
        print(
            "Option --admin.config has been deprecated and will be removed in a future version. "
            "Use --command-config instead.\n");
        connect.config_file = options.older_config.text();
    }
    int exit_code = kExitOk;
    const auto done = in_session(
        connect, [&](Session& session) { return elect(session, options, election, exit_code); });
    return done ? exit_code : failed(done.error());
}

int run(const Arguments& arguments) {
    Options options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    if (const auto checked = check_required(options); !checked) return failed(checked.error());
    if (options.older_config && options.cluster.config) {
        return options.parser.wrong_usage(
            "Option \"[admin.config]\" can't be used with option \"[command-config]\"");
    }
    if (const auto checked = check_partitions(options); !checked) return failed(checked.error());
    WantedElection election;
    const auto type = type_of(options.type.text());
    if (!type) {
        return cannot_parse(options.type,
                            fmt::format("joptsimple.ValueConversionException: Value [{}] is not "
                                        "one of [[PREFERRED,UNCLEAN]]",
                                        options.type.text()));
    }
    election.type = *type;
    if (options.topic) {
        const auto number = options.parser.number(options.partition, 0);
        if (!number || !std::in_range<std::int32_t>(*number)) {
            return cannot_parse(options.partition, fmt::format("java.lang.NumberFormatException: "
                                                               "For input string: \"{}\"",
                                                               options.partition.text()));
        }
        election.partitions = {
            {std::string(options.topic.text()), static_cast<std::int32_t>(*number)}};
    }
    return run_election(options, election);
}

}  // namespace

Command command_leader_election() {
    return {.about = "Elect the leaders of partitions", .run = run};
}

}  // namespace milena::cli
