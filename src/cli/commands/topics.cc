// SPDX-License-Identifier: Apache-2.0
// milena topics, kafka-topics.sh: creates, lists, describes, changes and deletes topics. Failures
// are said on standard output and standard error, as Kafka's tool does.
#include "cluster/connect_options.h"
#include "cluster/topic_actions.h"
#include "command_files.h"
#include "console.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::string_view kLogger = "org.apache.kafka.tools.TopicCommand";

struct Options {
    Parser parser{"topics", "This tool helps to create, delete, describe, or change a topic."};
    const AdminOptions cluster{parser};
    const Option& list = parser.flag("list", "List all available topics.");
    const Option& create = parser.flag("create", "Create a new topic.");
    const Option& remove = parser.flag("delete", "Delete a topic.");
    const Option& alter = parser.flag("alter", "Alter the number of partitions.");
    const Option& describe = parser.flag("describe", "List details for the given topics.");
    const Option& topic =
        parser.option("topic", "The topic; but for --create it may be a regular expression.");
    const Option& topic_id = parser.option("topic-id", "The id of the topic to describe.");
    const Option& config =
        parser.option("config", "name=value, a config of the topic being created.", Takes::many);
    const Option& delete_config =
        parser.option("delete-config", "Not supported since 4.0.", Takes::many);
    const Option& partitions = parser.option("partitions", "The number of partitions.");
    const Option& replication_factor =
        parser.option("replication-factor", "Replicas of each partition.");
    const Option& replica_assignment = parser.option(
        "replica-assignment", "Brokers of each partition: 1:2,2:3 is two of two replicas.");
    const Option& under_replicated = parser.flag(
        "under-replicated-partitions", "Describe only partitions whose ISR lacks replicas.");
    const Option& unavailable =
        parser.flag("unavailable-partitions", "Describe only partitions whose leader is gone.");
    const Option& under_min_isr =
        parser.flag("under-min-isr-partitions",
                    "Describe only partitions whose ISR is smaller than min.insync.replicas.");
    const Option& at_min_isr = parser.flag(
        "at-min-isr-partitions", "Describe only partitions whose ISR is just min.insync.replicas.");
    const Option& with_overrides =
        parser.flag("topics-with-overrides", "Describe only topics that override a config.");
    const Option& if_exists = parser.flag("if-exists", "Do nothing if the topic does not exist.");
    const Option& if_not_exists = parser.flag("if-not-exists", "Do not fail if the topic exists.");
    const Option& exclude_internal = parser.flag("exclude-internal", "Leave internal topics out.");
    const Option& page = parser.option("partition-size-limit-per-response",
                                       "Partitions that are asked for at once.");

    std::optional<int> check() const;
    std::optional<int> check_required() const;
    std::optional<int> only_with(const Option& option,
                                 const std::vector<const Option*>& actions) const;
    std::optional<int> conflict(const Option& used, const Option& invalid) const;
};

std::optional<int> Options::conflict(const Option& used, const Option& invalid) const {
    if (!used || !invalid) return std::nullopt;
    return parser.wrong_usage(
        fmt::format("Option \"[{}]\" can't be used with option \"[{}]\"", used.name, invalid.name));
}

/// Says which of the other actions the option does not go with.
std::optional<int> Options::only_with(const Option& option,
                                      const std::vector<const Option*>& actions) const {
    for (const Option* action : {&alter, &create, &describe, &list, &remove}) {
        if (std::ranges::find(actions, action) != actions.end()) continue;
        if (const auto exit_code = conflict(option, *action)) return exit_code;
    }
    return std::nullopt;
}

std::optional<int> Options::check_required() const {
    if (!cluster.brokers) {
        print_error("--bootstrap-server must be specified\n");
        return kExitFailed;
    }
    if (describe && if_exists && !topic && !topic_id)
        return parser.wrong_usage("--topic or --topic-id is required to describe a topic");
    if (!list && !describe && !topic)
        return parser.wrong_usage("Missing required argument \"[topic]\"");
    if (alter && config) {
        return parser.wrong_usage(
            "Option combination \"[[bootstrap-server], [config]]\" can't be used with option "
            "\"[alter]\" (To alter topic configurations, the kafka-configs tool can be used.)");
    }
    if (alter && !partitions)
        return parser.wrong_usage("Missing required argument \"[partitions]\"");
    return std::nullopt;
}

std::optional<int> Options::check() const {
    const std::array actions{&list, &describe, &create, &alter, &remove};
    if (std::ranges::count_if(actions, [](const Option* one) { return one->is_given; }) != 1) {
        return parser.wrong_usage(
            "Command must include exactly one action: --list, --describe, --create, --alter or "
            "--delete");
    }
    if (const auto exit_code = check_required()) return exit_code;
    const std::vector<std::pair<const Option*, std::vector<const Option*>>> rules{
        {&config, {&create}},
        {&partitions, {&alter, &create}},
        {&replication_factor, {&create}},
        {&replica_assignment, {&alter, &create}},
        {&under_replicated, {&describe}},
        {&under_min_isr, {&describe}},
        {&at_min_isr, {&describe}},
        {&unavailable, {&describe}},
        {&with_overrides, {&describe}},
        {&if_exists, {&alter, &remove, &describe}},
        {&if_not_exists, {&create}},
        {&exclude_internal, {&list, &describe}},
    };
    if (const auto exit_code = only_with(config, rules[0].second)) return exit_code;
    if (create) {
        for (const Option* number : {&partitions, &replication_factor}) {
            if (const auto exit_code = conflict(replica_assignment, *number)) return exit_code;
        }
    }
    for (const auto& [option, allowed] : rules) {
        if (const auto exit_code = only_with(*option, allowed)) return exit_code;
    }
    return std::nullopt;
}

Result<NewTopic> new_topic(const Options& options) {
    NewTopic topic;
    topic.name = options.topic.text();
    topic.may_exist = options.if_not_exists.is_given;
    TRY(topic.partitions, options.parser.number(options.partitions, -1));
    TRY(topic.replication_factor, options.parser.number(options.replication_factor, -1));
    TRY(topic.assignment, parse_replica_assignment(options.replica_assignment.text()));
    TRY(topic.configs, parse_topic_configs(options.config.values));
    if (options.partitions && topic.partitions < 1)
        return refuse("The partitions must be greater than 0");
    if (options.replication_factor &&
        (topic.replication_factor < 1 || topic.replication_factor > 32767))
        return refuse("The replication factor must be between 1 and 32767 inclusive");
    return topic;
}

Result<TopicChoice> choice_of(const Options& options) {
    TopicChoice choice;
    choice.pattern = options.topic.text();
    choice.has_pattern = options.topic.is_given;
    choice.may_be_absent = options.if_exists.is_given;
    choice.with_internal = !options.exclude_internal.is_given;
    TRY(const std::int64_t page, options.parser.number(options.page, choice.page));
    choice.page = static_cast<std::int32_t>(page);
    if (!options.topic_id) return choice;
    choice.id = Uuid::parse(options.topic_id.text());
    if (!choice.id)
        return refuse(
            fmt::format("Input string `{}` decoded as {} bytes, which is not equal to "
                        "the expected 16 bytes of a base64-encoded UUID",
                        options.topic_id.text(), options.topic_id.text().size() * 3 / 4));
    return choice;
}

DescribeFilter filter_of(const Options& options) {
    return {options.under_replicated.is_given, options.unavailable.is_given,
            options.under_min_isr.is_given, options.at_min_isr.is_given,
            options.with_overrides.is_given};
}

env::Task<Result<void>> act(Session& session, const Options& options) {
    if (options.create) {
        CO_TRY(const auto topic, new_topic(options));
        co_return co_await create_topic(session, topic);
    }
    CO_TRY(const auto choice, choice_of(options));
    if (options.list) co_return co_await print_topics(session, choice);
    if (options.describe)
        co_return co_await print_descriptions(session, choice, filter_of(options));
    if (options.remove) co_return co_await delete_topics(session, choice);
    CO_TRY(const auto count, options.parser.number(options.partitions, -1));
    CO_TRY(const auto assignment, parse_replica_assignment(options.replica_assignment.text()));
    co_return co_await add_partitions(session, choice, count, assignment);
}

int run(const Arguments& arguments) {
    Options options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    if (const auto exit_code = options.check()) return *exit_code;
    const auto done = in_session(options.cluster.connect(),
                                 [&options](Session& session) { return act(session, options); });
    if (done) return kExitOk;
    print(fmt::format("Error while executing topic command : {}\n", done.error().why));
    print_error(log_line("ERROR", exception_text(done.error()) + "\n", kLogger));
    return kExitFailed;
}

}  // namespace

Command command_topics() {
    return {.about = "Create, list, describe, change and delete topics", .run = run};
}

}  // namespace milena::cli
