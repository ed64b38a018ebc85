// SPDX-License-Identifier: Apache-2.0
// milena server FILE.properties: runs a node until SIGTERM or SIGINT, then stops it cleanly. A
// second signal ends the process at once, as kill -9 would.
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <string>

#include "command_files.h"
#include "local/startup_pages.h"
#include "milena/env/process.h"
#include "milena/node/node.h"
#include "parser.h"

namespace milena::cli {
namespace {

std::string host_name() {
    std::array<char, 256> name{};
    if (::gethostname(name.data(), name.size() - 1) != 0 || name[0] == '\0') return "localhost";
    return name.data();
}

/// Under the names that Prometheus' own client libraries use.
void write_process(telemetry::Page& page) {
    using telemetry::Kind;
    const auto now = env::process_figures();
    page.add({"process_cpu_seconds_total", Kind::counter, "User and system time in seconds."},
             now.cpu_seconds);
    page.add({"process_resident_memory_bytes", Kind::gauge, "Memory in use."},
             static_cast<double>(now.resident_bytes));
    page.add({"process_open_fds", Kind::gauge, "Open descriptors."},
             static_cast<double>(now.open_descriptors));
    page.add({"process_max_fds", Kind::gauge, "Descriptors that may be open."},
             static_cast<double>(now.descriptors_max));
    page.add({"process_start_time_seconds", Kind::gauge, "Start, in seconds since 1970."},
             now.start_time_seconds);
}

void write_descriptors(telemetry::Page& page, env::FileSystem& files) {
    using telemetry::Kind;
    const env::DescriptorFigures now = env::descriptor_figures(files);
    const auto add = [&](const telemetry::Metric& metric, std::uint64_t value) {
        page.add(metric, static_cast<double>(value));
    };
    add({"milena_files_open", Kind::gauge, "Files of the logs that are open."}, now.open);
    add({"milena_files_open_max", Kind::gauge, "How many are kept open."}, now.open_max);
    add({"milena_files_hits_total", Kind::counter, "Uses of a file that was open."}, now.hits);
    add({"milena_files_misses_total", Kind::counter, "Files that were opened again for a use."},
        now.misses);
    add({"milena_files_evictions_total", Kind::counter, "Files closed to make room for others."},
        now.evictions);
    add({"milena_files_dirty_evictions_total", Kind::counter,
         "Files that were synced to make room for others."},
        now.dirty_evictions);
}

/// The first signal, from before the start on: one that comes while logs are recovered stops the
/// node once they are. The second ends the process at once.
struct Signals {
    explicit Signals(env::RealEnv& env) : came(env, env.control()) {}
    env::Wakeup came;
    int first = 0;
};

env::Task<void> watch_signals(env::RealEnv& env, Signals& signals) {
    signals.first = co_await env.next_signal();
    signals.came.notify();
    co_await env.next_signal();
    std::_Exit(kExitFailed);
}

env::Task<void> run_node(env::RealEnv& env, node::Node& node, Logger log, int& exit_code) {
    const auto began = env.clock().now();
    Signals signals(env);
    env::spawn(env.control(), watch_signals(env, signals));
    auto started = co_await node.start();
    if (started) {
        const auto took =
            std::chrono::duration<double, std::milli>(env.clock().now() - began).count();
        for (const auto& open : node.listeners()) {
            LOG_INFO(log, "listening", kv("listener", open.listener.name),
                     kv("address", open.bound.text()));
        }
        LOG_INFO(log, "started", kv("ms", fmt::format("{:.1f}", took)));
        forget_startup_pages();
        while (signals.first == 0) co_await signals.came.wait_until(env::kNever);
        LOG_INFO(log, "stopping", kv("signal", signals.first));
    } else {
        LOG_ERROR(log, "not started", kv("why", started.error().why));
        exit_code = kExitFailed;
    }
    co_await node.stop();
    LOG_INFO(log, "stopped");
    env.stop();
}

int serve(const std::string& file) {
    Logger log(make_console_sink());
    const auto files = env::make_real_env(1);
    auto loaded = config::load_broker_config(files->files(), file, host_name());
    if (!loaded) {
        LOG_ERROR(log, "not started", kv("why", loaded.error().why));
        return kExitFailed;
    }
    if (loaded->config.log_is_json) log = Logger(make_console_sink(LogFormat::json));
    for (const auto& warning : loaded->warnings)
        LOG_WARN(log, "configuration", kv("what", warning));
    env::raise_descriptor_limit();
    const auto env = env::make_real_env(static_cast<std::size_t>(loaded->config.core_threads));
    const Logger node_log = log.with("node_id", loaded->config.node_id);
    int exit_code = kExitOk;
    node::NodeOptions options;
    options.config = std::move(loaded->config);
    options.log = node_log;
    options.memory_limit = env::process_memory_limit();
    options.process_metrics = [&files = env->files()](telemetry::Page& page) {
        write_process(page);
        write_descriptors(page, files);
    };
    options.make_state_store = storage::open_state_store;
    options.on_failure = [&exit_code](const Error&) {
        exit_code = kExitFailed;
        std::raise(SIGTERM);  // stop as cleanly as it still goes
    };
    const auto node = node::Node::make(*env, std::move(options));
    env::spawn(env->control(), run_node(*env, *node, node_log, exit_code));
    env->run();
    return exit_code;
}

int run(const Arguments& arguments) {
    Parser parser("server", "Runs a node until SIGTERM or SIGINT.");
    const auto& file = parser.positional("FILE", "server.properties of the node");
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    if (!file) return parser.wrong_usage("server.properties is missing");
    return serve(std::string(file.text()));
}

}  // namespace

Command command_server() {
    return {.about = "Run a node", .run = run, .has_kafka_name = false};
}

}  // namespace milena::cli
