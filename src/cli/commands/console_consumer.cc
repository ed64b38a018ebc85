// SPDX-License-Identifier: Apache-2.0
// milena console-consumer, kafka-console-consumer.sh: records to standard output, as a member of
// the group that --group or group.id names. Without one it reads all partitions itself and joins
// no group, where Kafka's tool makes one of its own: it starts sooner, and needs no coordinator.
#include <charconv>
#include <set>

#include <fmt/ranges.h>

#include "cluster/assignment.h"
#include "cluster/connect_options.h"
#include "cluster/consumer.h"
#include "command_files.h"
#include "console.h"
#include "interrupt.h"
#include "membership/group_consumer.h"
#include "records/coordinator_format.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::string_view kNoOutput = "org.apache.kafka.tools.consumer.NoOpMessageFormatter";
constexpr std::string_view kDefault = "org.apache.kafka.tools.consumer.DefaultMessageFormatter";
/// Prints as the default one, and logs at a level that Kafka's tools leave out.
constexpr std::string_view kLogging = "org.apache.kafka.tools.consumer.LoggingMessageFormatter";

constexpr std::string_view kLogger = "org.apache.kafka.tools.consumer.ConsoleConsumer";
constexpr const char* kDeserializers =
    "A class of org.apache.kafka.common.serialization: StringDeserializer, "
    "ByteArrayDeserializer (printed as text), Short, Integer, Long, Float, Double, Boolean, UUID, "
    "Bytes, ByteBuffer or Void.";

struct Options {
    Parser parser{"console-consumer",
                  "This tool helps to read data from Kafka topics and outputs it to standard "
                  "output."};
    const Option& topic = parser.option("topic", "The topic to consume from.");
    const Option& include = parser.option("include", "A pattern of topics to consume.");
    const Option& partition = parser.option("partition", "The partition to consume from.");
    const Option& offset =
        parser.option("offset", "The offset to begin at, or earliest, or latest (default).");
    const RecordClientOptions client{parser, {"consumer-property", "consumer.config"}};
    const Option& group = parser.option("group", "The consumer group to join. Default: none.");
    const Option& from_beginning = parser.flag("from-beginning", "Begin with the earliest record.");
    const Option& max_messages =
        parser.option("max-messages", "How many messages to consume before exiting.");
    const Option& timeout = parser.option("timeout-ms", "Exit if no message comes for so long.");
    const Option& skip =
        parser.flag("skip-message-on-error", "Go on after a message that can't be printed.");
    const Option& isolation =
        parser.option("isolation-level", "read_uncommitted (default) or read_committed.");
    const Option& formatter =
        parser.option("formatter",
                      "A class of org.apache.kafka.tools.consumer: DefaultMessageFormatter, "
                      "LoggingMessageFormatter, NoOpMessageFormatter, OffsetsMessageFormatter, "
                      "GroupMetadataMessageFormatter, TransactionLogMessageFormatter, "
                      "ShareGroupMessageFormatter, group.share.ShareGroupStateMessageFormatter.");
    const Option& formatter_property = parser.option(
        "formatter-property",
        "key=value: print.timestamp, print.key, print.offset, print.epoch, print.partition, "
        "print.headers, print.value, key.separator, line.separator, headers.separator, "
        "null.literal, key.deserializer, value.deserializer, headers.deserializer.",
        Takes::many);
    const Option& property =
        parser.option("property", "The older name of --formatter-property.", Takes::many);
    const Option& formatter_config =
        parser.option("formatter-config", "A file of such properties.");
    const Option& key_deserializer = parser.option("key-deserializer", kDeserializers);
    const Option& value_deserializer = parser.option("value-deserializer", kDeserializers);

    std::optional<int> check() const;
    std::optional<int> check_offset() const;
};

/// The number an --offset means, among the special ones of ListOffsets.
std::optional<std::int64_t> parse_offset(std::string_view text) {
    if (text == "earliest") return kEarliest;
    if (text == "latest") return kLatest;
    std::int64_t offset = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), offset);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || offset < 0)
        return std::nullopt;
    return offset;
}

std::optional<int> Options::check_offset() const {
    if (partition && !topic)
        return parser.wrong_usage("The topic is required when partition is specified.");
    if (offset && !partition)
        return parser.wrong_usage("The partition is required when offset is specified.");
    if (from_beginning && offset) {
        return parser.wrong_usage(
            "Options from-beginning and offset cannot be specified together.");
    }
    if (!parse_offset(offset.text_or("latest"))) {
        return parser.wrong_usage(
            fmt::format("The provided offset value '{}' is incorrect. Valid values are "
                        "'earliest', 'latest', or a non-negative long.",
                        offset.text()));
    }
    return std::nullopt;
}

std::optional<int> Options::check() const {
    if (topic.is_given == include.is_given) {
        return parser.wrong_usage(
            "Exactly one of the following arguments is required: [topic], [include]");
    }
    if (const auto exit_code = check_offset()) return exit_code;
    if (!client.bootstrap)
        return parser.wrong_usage("Missing required argument \"[bootstrap-server]\"");
    if (const auto exit_code = parser.only_one_name(formatter_property, property)) return exit_code;
    if (const auto exit_code = client.check(parser)) return exit_code;
    if (group && partition)
        return parser.wrong_usage("Options group and partition cannot be specified together.");
    const std::string_view format = formatter.text_or(kDefault);
    if (format != kDefault && format != kLogging && format != kNoOutput &&
        !CoordinatorFormat::of_class(format))
        return parser.wrong_usage(fmt::format("There is no formatter {} here", format));
    return std::nullopt;
}

/// A failure with the class that Kafka's tool shows: what can't be printed has one of its own.
std::string failure_text(const Error& error) {
    if (error.code != ErrorCode::corrupt_message) return exception_text(error) + "\n";
    return fmt::format("org.apache.kafka.common.errors.SerializationException: {}\n", error.why);
}

/// One run of the tool: what it has to print, and when it is over.
struct Run {
    const Options& options;
    RecordFormat format;
    std::optional<CoordinatorFormat> coordinator_format;
    std::int64_t messages_max = -1;
    env::Duration timeout = env::Duration::max();
    std::int64_t messages = 0;
    env::Instant last_message{};
    std::string text{};
    std::optional<Interrupt> interrupt{};  ///< once there is something to finish

    bool is_late(env::Instant now) const { return now - last_message >= timeout; }
    Result<void> append(const ConsumedRecord& record) {
        if (options.formatter.text() == kNoOutput) return ok();
        if (coordinator_format) return coordinator_format->append(record.record, text);
        return format.append(record, text);
    }
};

env::Task<Result<RecordFormat>> format_of(Session& session, const Options& options) {
    CO_TRY(auto properties, read_client_properties(session.env().files(),
                                                   std::string(options.formatter_config.text())));
    CO_TRY_VOID(add_properties(properties, options.formatter_property
                                               ? options.formatter_property.values
                                               : options.property.values));
    if (options.key_deserializer) properties["key.deserializer"] = options.key_deserializer.text();
    if (options.value_deserializer)
        properties["value.deserializer"] = options.value_deserializer.text();
    co_return RecordFormat::make(properties);
}

/// The partitions to read; none when time is up.
env::Task<Result<std::vector<TopicPartition>>> partitions_of(Session& session, const Run& run) {
    if (run.options.partition) {
        CO_TRY(const auto number, run.options.parser.number(run.options.partition, 0));
        std::vector<TopicPartition> partitions;
        partitions.emplace_back(std::string(run.options.topic.text()),
                                static_cast<std::int32_t>(number));
        co_return partitions;
    }
    const TopicChoice choice{std::string(run.options.topic.text()),
                             std::string(run.options.include.text())};
    const env::Instant give_up =
        run.timeout == env::Duration::max() ? env::kNever : run.last_message + run.timeout;
    co_return co_await find_partitions(session, choice, give_up);
}

std::int64_t begin_of(const Options& options) {
    if (options.from_beginning) return kEarliest;
    return parse_offset(options.offset.text_or("latest")).value_or(0);
}

ConsumerOptions reading_of(const Run& run) {
    ConsumerOptions settings;
    settings.read_committed = run.options.isolation.text() == "read_committed";
    settings.reset_to_earliest = run.options.from_beginning.is_given;
    const auto timeout_ms =
        std::chrono::duration_cast<std::chrono::milliseconds>(run.timeout).count();
    settings.wait_ms = static_cast<std::int32_t>(std::min<std::int64_t>(500, timeout_ms));
    return settings;
}

/// Takes one record; false ends the run, with `printed` if that is an error.
bool take(Run& run, const ConsumedRecord& record, Result<void>& printed) {
    ++run.messages;
    const std::size_t before = run.text.size();
    if (auto appended = run.append(record); !appended) {
        run.text.resize(before);
        if (!run.options.skip) {
            printed = std::unexpected(appended.error());
            return false;
        }
        print_error(
            log_line("ERROR", "Error processing message, skipping this message: ", kLogger));
        print_error(failure_text(appended.error()));
    }
    return run.messages != run.messages_max;
}

/// Asks for records once.
using Poll = std::function<env::Task<Result<bool>>(const Consumer::OnRecord&)>;

/// Prints what `poll` gives until the run is over. Whoever takes the output may be slow: what the
/// tool has to do meanwhile (to stay in its group) goes on.
env::Task<Result<void>> print_all(Session& session, Run& run, const Poll& poll) {
    run.interrupt.emplace(session);
    Result<void> printed;
    const Consumer::OnRecord on_record = [&](const TopicPartition&, const ConsumedRecord& record) {
        return take(run, record, printed);
    };
    while (run.messages != run.messages_max && run.interrupt->signal() == 0) {
        const std::int64_t before = run.messages;
        CO_TRY(const bool goes_on, co_await poll(on_record));
        bool is_taken = true;
        co_await session.env().offload(env::Pool::disk, [&run, &is_taken] {
            print(std::exchange(run.text, {}));
            is_taken = flush_output();
        });
        CO_TRY_VOID(printed);
        if (!goes_on || !is_taken) co_return ok();
        const env::Instant now = session.env().clock().now();
        if (run.messages != before) run.last_message = now;
        if (run.is_late(now)) co_return fail(ErrorCode::request_timed_out, "");
    }
    co_return ok();
}

env::Task<Result<void>> consume_alone(Session& session, Run& run) {
    CO_TRY(auto partitions, co_await partitions_of(session, run));
    CO_TRY(auto positions,
           co_await positions_at(session, std::move(partitions), begin_of(run.options)));
    Consumer consumer(session, reading_of(run));
    consumer.assign(std::move(positions));
    co_return co_await print_all(session, run, [&consumer](const Consumer::OnRecord& on_record) {
        return consumer.poll(on_record);
    });
}

env::Task<Result<void>> consume_in_group(Session& session, Run& run, std::string group) {
    CO_TRY(auto options, group_consumer_options(session.properties(), std::move(group),
                                                run.options.from_beginning.is_given));
    options.topics = {std::string(run.options.topic.text()),
                      std::string(run.options.include.text())};
    GroupConsumer consumer(session, std::move(options), reading_of(run));
    const auto done = co_await print_all(
        session, run,
        [&consumer](const Consumer::OnRecord& on_record) { return consumer.poll(on_record); });
    co_await consumer.close();
    co_return done;
}

/// The group that is named, in one place or the same in several. INVALID_REQUEST, which is wrong
/// usage, if they differ.
Result<std::string> group_of(const Session& session, const Options& options) {
    std::set<std::string> names;
    if (options.group) names.emplace(options.group.text());
    const std::string property = text_property(session.properties(), "group.id", "");
    if (!property.empty()) names.insert(property);
    if (names.size() > 1) {
        return fail(ErrorCode::invalid_request,
                    fmt::format("The group ids provided in different places (directly using "
                                "'--group', via '--consumer-property', or via "
                                "'--consumer.config') do not match. Detected group ids: '{}'",
                                fmt::join(names, "', '")));
    }
    return names.empty() ? "" : *names.begin();
}

env::Task<Result<void>> consume(Session& session, Run& run) {
    CO_TRY(auto group, group_of(session, run.options));
    const std::string reset = text_property(session.properties(), "auto.offset.reset", "earliest");
    if (run.options.from_beginning && reset != "earliest") {
        co_return refuse(
            fmt::format("Can't simultaneously specify --from-beginning and "
                        "'auto.offset.reset={}', please remove one option",
                        reset));
    }
    if (group.empty() || run.options.partition) co_return co_await consume_alone(session, run);
    co_return co_await consume_in_group(session, run, std::move(group));
}

/// How a run has ended.
struct Outcome {
    std::int64_t messages = 0;
    int signal = 0;
};

env::Task<Result<void>> prepare_and_consume(Session& session, const Options& options,
                                            Outcome& outcome) {
    CO_TRY(auto format, co_await format_of(session, options));
    Run run{.options = options,
            .format = std::move(format),
            .coordinator_format = CoordinatorFormat::of_class(options.formatter.text())};
    CO_TRY(run.messages_max, options.parser.number(options.max_messages, -1));
    CO_TRY(const auto timeout_ms, options.parser.number(options.timeout, -1));
    if (timeout_ms >= 0) run.timeout = std::chrono::milliseconds(timeout_ms);
    run.last_message = session.env().clock().now();
    const auto done = co_await consume(session, run);
    outcome = {run.messages, run.interrupt ? run.interrupt->signal() : 0};
    co_return done;
}

int run(const Arguments& arguments) {
    Options options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    if (const auto exit_code = options.check()) return *exit_code;
    Connect connect = options.client.connect("console-consumer");
    connect.broker_timeout = kBrokerTimeout;
    Outcome outcome;
    const auto done = in_session(
        connect, [&](Session& session) { return prepare_and_consume(session, options, outcome); });
    if (!done && done.error().code == ErrorCode::invalid_request)
        return options.parser.wrong_usage(done.error().why);
    const bool is_late = !done && done.error().code == ErrorCode::request_timed_out;
    if (!done) {
        print_error(
            log_line("ERROR", "Error processing message, terminating consumer process: ", kLogger));
        print_error(is_late ? exception_class(done.error().code) + "\n"
                            : failure_text(done.error()));
    }
    print_error(fmt::format("Processed a total of {} messages\n", outcome.messages));
    if (outcome.signal != 0) return exit_code_of(outcome.signal);
    return done || is_late ? kExitOk : kExitFailed;
}

}  // namespace

Command command_console_consumer() {
    return {.about = "Records to standard output", .run = run};
}

}  // namespace milena::cli
