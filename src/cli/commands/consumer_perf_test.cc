// SPDX-License-Identifier: Apache-2.0
// milena consumer-perf-test, kafka-consumer-perf-test.sh: reads records as fast as it can and tells
// the throughput. It assigns itself all partitions: there are no groups to join yet.
#include "cluster/assignment.h"
#include "cluster/connect_options.h"
#include "cluster/consumer.h"
#include "command_files.h"
#include "console.h"
#include "perf/metric_table.h"
#include "perf/read_stats.h"
#include "progress.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::string_view kClientId = "perf-consumer-client";

struct Options {
    Parser parser{"consumer-perf-test",
                  "This tool is used to verify the consumer performance. It assigns itself all "
                  "partitions and joins no group: rebalance.time.ms is the time until it knew "
                  "them."};
    const RecordClientOptions client{parser, {"", "consumer.config"}};
    const Option& topic = parser.option("topic", "The topic to consume from.");
    const Option& include = parser.option("include", "A pattern of topics to consume.");
    const Option& group = parser.option("group", "Accepted; no group is joined.");
    const Option& fetch_size =
        parser.option("fetch-size", "Bytes of one partition in one answer (1048576).");
    const Option& from_latest = parser.flag("from-latest", "Begin with what comes from now on.");
    const Option& socket_buffer = parser.option("socket-buffer-size", "Accepted.");
    const Option& records = parser.option("num-records", "The number of records to consume.");
    const Option& messages = parser.option("messages", "The older name of --num-records.");
    const Option& timeout =
        parser.option("timeout", "Milliseconds between two records after which it ends (10000).",
                      Takes::optional);
    const Option& interval =
        parser.option("reporting-interval", "Milliseconds between two detailed lines (5000).");
    const Option& date_format =
        parser.option("date-format", "How times are written (yyyy-MM-dd HH:mm:ss:SSS).");
    const Option& hide_header = parser.flag("hide-header", "Leave the header line out.");
    const Option& detailed =
        parser.flag("show-detailed-stats", "A line for each interval, and no summary.");
    const Option& print_metrics =
        parser.flag("print-metrics", "Print what the consumer counted at the end.");

    std::optional<int> check() const;
};

std::optional<int> Options::check() const {
    if (!client.bootstrap)
        return parser.wrong_usage("Missing required argument \"[bootstrap-server]\"");
    if (records.is_given == messages.is_given) {
        return parser.wrong_usage(
            "Exactly one of the following arguments is required: [messages], [num-records]");
    }
    if (topic.is_given == include.is_given) {
        return parser.wrong_usage(
            "Exactly one of the following arguments is required: [topic], [include]");
    }
    return client.check(parser);
}

struct Plan {
    TopicChoice choice;
    std::int64_t records = 0;
    env::Duration timeout{};
    std::int64_t interval_ms = 0;
    bool is_detailed = false;
    std::int64_t begin = kEarliest;
    ConsumerOptions settings;
    DateFormat dates;
};

Result<Plan> plan_of(const Options& options, DateFormat dates) {
    const auto number = [&options](const Option& option, std::int64_t otherwise) {
        return options.parser.number(option, otherwise);
    };
    Plan plan{.choice = {std::string(options.topic.text()), std::string(options.include.text())},
              .is_detailed = options.detailed.is_given,
              .begin = options.from_latest ? kLatest : kEarliest,
              .settings = {},
              .dates = std::move(dates)};
    TRY(plan.records, number(options.records ? options.records : options.messages, 0));
    TRY(const auto timeout_ms, number(options.timeout, 10'000));
    plan.timeout = std::chrono::milliseconds(timeout_ms);
    TRY(plan.interval_ms, number(options.interval, 5'000));
    if (plan.interval_ms <= 0)
        return fail(ErrorCode::invalid_request, "Reporting interval must be greater than 0.");
    TRY(const auto fetch_bytes, number(options.fetch_size, 1 << 20));
    if (fetch_bytes <= 0 || fetch_bytes > INT32_MAX)
        return fail(ErrorCode::invalid_request, "--fetch-size must be between 1 and 2147483647");
    plan.settings.partition_bytes_max = static_cast<std::int32_t>(fetch_bytes);
    plan.settings.reset_to_earliest = !options.from_latest.is_given;
    plan.settings.wait_ms =
        static_cast<std::int32_t>(std::clamp<std::int64_t>(timeout_ms, 1, plan.settings.wait_ms));
    return plan;
}

/// Reads until it has all records, or none came for too long, which it says.
env::Task<Result<void>> read(Session& session, const Plan& plan, ReadStats& stats) {
    const auto wall_ms = [&session] { return session.env().clock().wall().value; };
    const auto now = [&session] { return session.env().clock().now(); };
    env::Instant last_record = now();
    CO_TRY(auto partitions,
           co_await find_partitions(session, plan.choice, last_record + plan.timeout));
    CO_TRY(auto positions, co_await positions_at(session, std::move(partitions), plan.begin));
    stats.assigned(wall_ms());
    Consumer consumer(session, plan.settings);
    consumer.assign(std::move(positions));
    const auto on_record = [&](const TopicPartition&, const ConsumedRecord& consumed) {
        const auto size = [](const record::NullableBytes& bytes) {
            return bytes ? bytes->size() : 0;
        };
        stats.record(size(consumed.record.key) + size(consumed.record.value));
        return stats.records() < plan.records;
    };
    Progress progress("Reading", static_cast<std::uint64_t>(plan.records), "records",
                      Progress::Output::clears);
    while (stats.records() < plan.records) {
        const std::int64_t before = stats.records();
        CO_TRY_VOID(co_await consumer.poll(on_record));
        progress.at(static_cast<std::uint64_t>(stats.records()));
        if (stats.records() != before) last_record = now();
        if (plan.is_detailed && wall_ms() - stats.reported_ms() >= plan.interval_ms) {
            progress.clear();
            print(stats.take_interval(wall_ms(), plan.dates));
            flush_output();
        }
        if (now() - last_record < plan.timeout || stats.records() >= plan.records) continue;
        progress.clear();
        print(fmt::format(
            "WARNING: Exiting before consuming the expected number of records: timeout ({} ms) "
            "exceeded. You can use the --timeout option to increase the timeout.\n",
            std::chrono::duration_cast<std::chrono::milliseconds>(plan.timeout).count()));
        break;
    }
    co_return ok();
}

env::Task<Result<void>> test(Session& session, const Options& options, const Plan& plan) {
    if (!options.hide_header) print(ReadStats::header(plan.is_detailed));
    flush_output();
    ReadStats stats(session.env().clock().wall().value);
    CO_TRY_VOID(co_await read(session, plan, stats));
    if (!plan.is_detailed) print(stats.total(session.env().clock().wall().value, plan.dates));
    if (options.print_metrics) {
        constexpr std::string_view kGroup = "consumer-fetch-manager-metrics";
        print(
            metric_table({{kGroup, "bytes-consumed-total", static_cast<double>(stats.bytes())},
                          {kGroup, "records-consumed-total", static_cast<double>(stats.records())}},
                         text_property(session.properties(), "client.id", kClientId)));
    }
    co_return ok();
}

int run(const Arguments& arguments) {
    Options options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    if (const auto exit_code = options.check()) return *exit_code;
    auto dates = DateFormat::parse(options.date_format.text_or("yyyy-MM-dd HH:mm:ss:SSS"));
    if (!dates) return options.parser.wrong_usage(dates.error().why);
    const auto plan = plan_of(options, *std::move(dates));
    if (!plan) return options.parser.wrong_usage(plan.error().why);
    const auto done = in_session(options.client.connect(kClientId),
                                 [&](Session& session) { return test(session, options, *plan); });
    if (done) return kExitOk;
    print_error(exception_text(done.error()) + "\n");
    return kExitFailed;
}

}  // namespace

Command command_consumer_perf_test() {
    return {.about = "Throughput of consuming", .run = run};
}

}  // namespace milena::cli
