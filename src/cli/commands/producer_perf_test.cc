// SPDX-License-Identifier: Apache-2.0
// milena producer-perf-test, kafka-producer-perf-test.sh: sends records as fast as the cluster
// takes them, or at a given rate, and tells throughput and latency.
#include <charconv>
#include <filesystem>

#include "cluster/connect_options.h"
#include "cluster/producer.h"
#include "command_files.h"
#include "console.h"
#include "perf/metric_table.h"
#include "perf/pace.h"
#include "perf/payloads.h"
#include "perf/send_stats.h"
#include "progress.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::string_view kClientId = "perf-producer-client";
constexpr std::size_t kPayloadFileBytesMax = 1U << 30;

struct Options {
    Parser parser{"producer-perf-test",
                  "This tool is used to verify the producer performance. Transactions are not "
                  "coordinated yet: what asks for them is refused. The producer is not idempotent.",
                  Library::argparse4j};
    const RecordClientOptions client{parser, {"producer-props", "producer.config", Takes::several}};
    const Option& topic = parser.required(parser.option("topic", "Produce records to this topic."));
    const Option& records =
        parser.required(parser.option("num-records", "Number of records to produce."));
    const Option& throughput = parser.required(
        parser.option("throughput", "Records a second, approximately; -1 is as many as can be."));
    const Option& record_size = parser.option("record-size", "Bytes of a record's value.");
    const Option& payload_file =
        parser.option("payload-file", "A file with values, of which one is drawn for each record.");
    const Option& monotonic = parser.flag("payload-monotonic", "Values are numbers that count up.");
    const Option& delimiter = parser.option(
        "payload-delimiter", "What stands between the values of --payload-file (\\n).");
    const Option& print_metrics =
        parser.flag("print-metrics", "Print what the producer counted at the end.");
    const Option& transactional_id = parser.option("transactional-id", "Refused.");
    const Option& transaction_duration = parser.option("transaction-duration-ms", "Refused.");
    const Option& warmup = parser.option(
        "warmup-records", "So many first records are left out of the second summary (0).");
    const Option& interval =
        parser.option("reporting-interval", "Milliseconds between two lines of progress (5000).");
    const Option& key_range = parser.option("record-key-range", "Keys are below this number.");
    const Option& keys =
        parser.option("key-distribution", "none (default), range (in turn) or random.");
    const Option& seed = parser.option("random-seed", "What payloads and keys are made of (0).");
};

/// What a run does, as the options say it.
struct Plan {
    std::string topic;
    std::int64_t records = 0;
    std::int64_t warmup = 0;
    std::int64_t interval_ms = 5'000;
    double throughput = -1;
    bool prints_metrics = false;
    Payloads::Plan payloads;
};

/// A whole number, of argparse4j's type `type`, with its bounds.
Result<std::int64_t> number(const Option& option, std::int64_t otherwise, std::int64_t max) {
    if (option.values.empty()) return otherwise;
    const std::string_view text = option.text();
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (text.empty() || error != std::errc() || end != text.data() + text.size() || value > max) {
        return refuse(
            fmt::format("argument --{}: could not convert '{}' to {} (For input string: \"{}\")",
                        option.name, text, max == INT32_MAX ? "Integer" : "Long", text));
    }
    return value;
}

Result<std::int64_t> positive(const Option& option, std::int64_t otherwise, std::int64_t max) {
    TRY(const std::int64_t value, number(option, otherwise, max));
    if (option && value <= 0)
        return refuse(fmt::format("--{} should be greater than zero.", option.name));
    return value;
}

Result<double> rate(const Option& option) {
    const std::string text(option.text());
    char* end = nullptr;
    const double value = std::strtod(text.c_str(), &end);
    if (text.empty() || *end != '\0') {
        return refuse(fmt::format(
            "argument --throughput: could not convert '{}' to Double (For input string: \"{}\")",
            text, text));
    }
    if (value == 0) return refuse("--throughput 0 would never send a record.");
    return value;
}

Result<void> check_source(const Options& options) {
    const std::array sources{&options.record_size, &options.payload_file, &options.monotonic};
    const Option* chosen = nullptr;
    for (const Option* const source : sources) {
        if (!*source) continue;
        if (chosen != nullptr) {
            return refuse(fmt::format("argument --{}: not allowed with argument --{}", source->name,
                                      chosen->name));
        }
        chosen = source;
    }
    if (chosen == nullptr) {
        return refuse(
            "one of the arguments --record-size --payload-file --payload-monotonic is required");
    }
    return ok();
}

Result<Payloads::Keys> keys_of(const Options& options) {
    const std::string_view name = options.keys.text_or("none");
    if (name != "none" && name != "range" && name != "random") {
        return refuse(fmt::format(
            "argument --key-distribution: invalid choice: '{}' (choose from {{none,range,random}})",
            name));
    }
    if (name != "none" && !options.key_range) {
        return refuse(
            "--record-key-range is required when --key-distribution is 'range' or 'random'.");
    }
    if (name == "none" && options.key_range) {
        return refuse(
            "--key-distribution must be 'range' or 'random' when --record-key-range is specified.");
    }
    if (name == "none") return Payloads::Keys::none;
    return name == "range" ? Payloads::Keys::range : Payloads::Keys::random;
}

Result<Plan> plan_of(const Options& options) {
    Plan plan;
    TRY_VOID(check_source(options));
    plan.topic = options.topic.text();
    plan.prints_metrics = options.print_metrics.is_given;
    TRY(plan.records, positive(options.records, 0, INT64_MAX));
    TRY(const auto record_bytes, positive(options.record_size, 0, INT32_MAX));
    plan.payloads.record_bytes = static_cast<std::size_t>(record_bytes);
    TRY(plan.interval_ms, positive(options.interval, plan.interval_ms, INT64_MAX));
    TRY(const auto range, positive(options.key_range, 1, INT32_MAX));
    plan.payloads.key_range = static_cast<std::uint32_t>(range);
    TRY(plan.payloads.keys, keys_of(options));
    TRY(const auto seed, number(options.seed, 0, INT64_MAX));
    plan.payloads.seed = static_cast<std::uint64_t>(seed);
    TRY(plan.warmup, number(options.warmup, 0, INT64_MAX));
    if (plan.warmup >= plan.records) {
        return refuse(
            "The value for --warmup-records must be strictly fewer than the number of records in "
            "the test, --num-records.");
    }
    TRY(plan.throughput, rate(options.throughput));
    const auto& client = options.client;
    if (!client.bootstrap && !client.property && !*client.older_property && !client.config &&
        !client.older_config) {
        return refuse(
            "At least one of --bootstrap-server, --command-property, --producer-props, "
            "--producer.config or --command-config must be specified.");
    }
    if (options.transactional_id || options.transaction_duration) {
        return refuse(
            "no broker coordinates transactions yet: leave --transactional-id and "
            "--transaction-duration-ms out");
    }
    return plan;
}

/// "\\n" as it is typed is a new line.
std::string delimiter_of(const Options& options) {
    const std::string_view text = options.delimiter.text_or("\n");
    return text == "\\n" ? "\n" : std::string(text);
}

Result<void> read_payloads(const Options& options, Plan& plan) {
    if (!options.payload_file) return ok();
    const std::string path(options.payload_file.text());
    print(fmt::format("Reading payloads from: {}\n", std::filesystem::absolute(path).string()));
    const auto env = env::make_real_env(1);
    const auto text = env::read_file(env->files(), path, kPayloadFileBytesMax);
    if (text) plan.payloads.texts = split_payloads(*text, delimiter_of(options));
    if (plan.payloads.texts.empty()) return refuse("File does not exist or empty file provided.");
    print(fmt::format("Number of records read: {}\n", plan.payloads.texts.size()));
    return ok();
}

/// A run under way: what it counts, and when it says so.
class Run {
public:
    Run(Session& session, const Plan& plan)
        : session_(session),
          plan_(plan),
          all_(plan.records, now_ms()),
          progress_("Sending", static_cast<std::uint64_t>(plan.records), "records",
                    Progress::Output::clears) {}

    env::Task<Result<void>> send_all(const ProducerOptions& settings);
    void print_totals(const ProducerFigures& figures);

private:
    env::Instant now() const { return session_.env().clock().now(); }
    std::int64_t now_ms() const {
        return std::chrono::duration_cast<std::chrono::milliseconds>(now().time_since_epoch())
            .count();
    }
    void begin_steady();
    void count(std::span<const RecordReceipt> records, const Error* error);

    Session& session_;
    const Plan& plan_;
    SendStats all_;
    std::optional<SendStats> steady_;
    env::Instant steady_since_ = env::kNever;
    bool has_told_steady_ = false;
    Progress progress_;
    std::uint64_t settled_ = 0;
};

void Run::begin_steady() {
    steady_.emplace(plan_.records - plan_.warmup, now_ms());
    steady_since_ = now();
}

void Run::count(std::span<const RecordReceipt> records, const Error* error) {
    settled_ += records.size();
    progress_.at(settled_);
    if (error != nullptr) {
        progress_.clear();
        for (std::size_t i = 0; i < records.size(); ++i) print_error(exception_text(*error) + "\n");
        return;
    }
    const env::Instant time = now();
    for (const RecordReceipt& record : records) {
        const auto ms =
            std::chrono::duration_cast<std::chrono::milliseconds>(time - record.taken_at).count();
        all_.record(ms, record.value_bytes);
        if (record.taken_at >= steady_since_) steady_->record(ms, record.value_bytes);
    }
    SendStats& told = steady_ ? *steady_ : all_;
    if (now_ms() - told.window_start_ms() < plan_.interval_ms) return;
    progress_.clear();
    if (steady_ && !std::exchange(has_told_steady_, true)) print("In steady state.\n");
    print(told.take_window(now_ms()));
    flush_output();
}

env::Task<Result<void>> Run::send_all(const ProducerOptions& settings) {
    Producer producer(session_, plan_.topic, settings,
                      [this](auto records, const Error* error) { count(records, error); });
    CO_TRY_VOID(co_await producer.open());
    Payloads payloads(plan_.payloads);
    const Pace pace(plan_.throughput);
    const env::Instant begin = now();
    all_ = SendStats(plan_.records, now_ms());
    for (std::int64_t i = 0; i < plan_.records; ++i) {
        if (i == plan_.warmup && i != 0) begin_steady();
        payloads.advance();
        co_await producer.send(
            {payloads.key(), payloads.value(), {}, session_.env().clock().wall().value});
        const env::Duration pause = pace.pause(i + 1, now() - begin);
        if (pause > env::Duration::zero())
            co_await session_.env().sleep(session_.executor(), pause);
    }
    co_await producer.close();
    print_totals(producer.figures());
    co_return ok();
}

void Run::print_totals(const ProducerFigures& figures) {
    progress_.clear();
    print(all_.total(now_ms(), ""));
    if (steady_) print(steady_->total(now_ms(), " steady state"));
    if (!plan_.prints_metrics) return;
    const auto of = [](auto sum, auto count) {
        return count == 0 ? 0 : static_cast<double>(sum) / static_cast<double>(count);
    };
    const auto ms = [](env::Duration duration) {
        return std::chrono::duration<double, std::milli>(duration).count();
    };
    constexpr std::string_view kGroup = "producer-metrics";
    print(metric_table(
        {{kGroup, "batch-size-avg", of(figures.batch_bytes, figures.batches)},
         {kGroup, "batch-size-max", static_cast<double>(figures.batch_bytes_max)},
         {kGroup, "compression-rate-avg", of(figures.batch_bytes, figures.uncompressed_bytes)},
         {kGroup, "record-error-total", static_cast<double>(figures.records_failed)},
         {kGroup, "record-retry-total", static_cast<double>(figures.retries)},
         {kGroup, "record-send-total", static_cast<double>(figures.records)},
         {kGroup, "records-per-request-avg", of(figures.records, figures.requests)},
         {kGroup, "request-latency-avg", of(ms(figures.latency), figures.requests)},
         {kGroup, "request-latency-max", ms(figures.latency_max)},
         {kGroup, "request-total", static_cast<double>(figures.requests)}},
        text_property(session_.properties(), "client.id", kClientId)));
}

env::Task<Result<void>> test(Session& session, const Plan& plan) {
    if (session.properties().contains("transactional.id"))
        co_return refuse("no broker coordinates transactions yet: leave transactional.id out");
    CO_TRY(const auto settings, producer_options(session.properties(), {}));
    if (plan.warmup > 0) {
        print(fmt::format(
            "Warmup first {} records. Steady state results will print after the complete test "
            "summary.\n",
            plan.warmup));
    }
    Run run(session, plan);
    co_return co_await run.send_all(settings);
}

int run(const Arguments& arguments) {
    Options options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    if (const auto exit_code = options.client.check(options.parser)) return *exit_code;
    auto plan = plan_of(options);
    if (!plan) return options.parser.wrong_usage(plan.error().why);
    if (const auto read = read_payloads(options, *plan); !read) {
        print_error(exception_text(read.error()) + "\n");
        return kExitFailed;
    }
    const auto done = in_session(options.client.connect(kClientId),
                                 [&plan](Session& session) { return test(session, *plan); });
    if (done) return kExitOk;
    print_error(exception_text(done.error()) + "\n");
    return kExitFailed;
}

}  // namespace

Command command_producer_perf_test() {
    return {.about = "Throughput and latency of producing", .run = run};
}

}  // namespace milena::cli
