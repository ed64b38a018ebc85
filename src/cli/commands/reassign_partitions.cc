// SPDX-License-Identifier: Apache-2.0
// milena reassign-partitions, kafka-reassign-partitions.sh: moves partitions between brokers and
// their directories. Failures are said on standard output, as Kafka's tool does.
#include <algorithm>

#include <fmt/ranges.h>

#include "cluster/connect_options.h"
#include "command_files.h"
#include "console.h"
#include "moves/execute.h"
#include "moves/generate.h"
#include "moves/move_text.h"
#include "moves/reassignments.h"
#include "moves/verify.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::size_t kFileBytesMax = 256U << 20;

struct Options {
    Parser parser{"reassign-partitions",
                  "This tool helps to move topic partitions between replicas."};
    const Option& generate =
        parser.flag("generate", "Print a plan for topics and brokers; nothing is changed.");
    const Option& execute = parser.flag("execute", "Begin to move what the plan says.");
    const Option& verify =
        parser.flag("verify", "Say how far the plan is, and take throttles away when it is done.");
    const Option& cancel = parser.flag("cancel", "Cancel the moves of the plan.");
    const Option& list = parser.flag("list", "List all moves that are under way.");
    const AdminOptions cluster{parser, AdminOptions::To::brokers_or_controllers};
    const Option& plan_file = parser.option(
        "reassignment-json-file",
        R"(The plan: {"version": 1, "partitions": [{"topic": "t", "partition": 0, "replicas": )"
        R"([1, 2], "log_dirs": ["any", "/data/2"]}]}; log_dirs may be left out.)");
    const Option& topics_file =
        parser.option("topics-to-move-json-file", R"({"version": 1, "topics": [{"topic": "t"}]})");
    const Option& broker_list = parser.option("broker-list", "Where to move the topics: 1,2,3.");
    const Option& disable_rack_aware =
        parser.flag("disable-rack-aware", "Do not spread replicas over racks.");
    const Option& throttle =
        parser.option("throttle", "Bytes a second that moves between brokers may take of each.");
    const Option& directory_throttle =
        parser.option("replica-alter-log-dirs-throttle",
                      "Bytes a second that moves between directories may take of each broker.");
    const Option& timeout =
        parser.option("timeout", "How many ms to wait until moves between directories have begun.");
    const Option& additional = parser.flag(
        "additional", "Execute beside moves that are under way, or change their throttle.");
    const Option& preserve_throttles =
        parser.flag("preserve-throttles", "Leave throttles of brokers and topics as they are.");
    const Option& keep_factor =
        parser.flag("disallow-replication-factor-change",
                    "Refuse a plan that changes how many replicas a partition has.");

    std::optional<int> check() const;
    std::optional<int> check_one(const Option& action) const;
};

using OptionList = std::vector<const Option*>;

struct Rule {
    const Option* action;
    OptionList required;
    OptionList allowed;
};

std::optional<int> Options::check_one(const Option& action) const {
    const Option* const controllers = cluster.controllers;
    const std::array rules{
        Rule{&verify, {&plan_file}, {&preserve_throttles}},
        Rule{&generate, {&topics_file, &broker_list}, {&disable_rack_aware}},
        Rule{&execute,
             {&plan_file},
             {&additional, &throttle, &directory_throttle, &timeout, &keep_factor}},
        Rule{&cancel, {&plan_file}, {controllers, &preserve_throttles, &timeout}},
        Rule{&list, {}, {controllers}},
    };
    const auto& rule = *std::ranges::find(rules, &action, &Rule::action);
    for (const Option* option : rule.required) {
        if (!*option)
            return parser.wrong_usage(
                fmt::format("Missing required argument \"[{}]\"", option->name));
    }
    const OptionList all{controllers, &plan_file,          &topics_file,        &broker_list,
                         &throttle,   &disable_rack_aware, &directory_throttle, &timeout,
                         &additional, &preserve_throttles, &keep_factor};
    for (const Option* option : all) {
        const auto is_in = [option](const OptionList& options) {
            return std::ranges::find(options, option) != options.end();
        };
        if (!*option || is_in(rule.required) || is_in(rule.allowed)) continue;
        return parser.wrong_usage(fmt::format("Option \"[{}]\" can't be used with action \"[{}]\"",
                                              option->name, action.name));
    }
    return std::nullopt;
}

std::optional<int> Options::check() const {
    const Option* action = nullptr;
    std::size_t given = 0;
    for (const Option* one : {&generate, &execute, &verify, &cancel, &list}) {
        if (!*one) continue;
        action = one;
        ++given;
    }
    if (given != 1) {
        return parser.wrong_usage(
            "Command must include exactly one action: --generate, --execute, --verify, --cancel, "
            "--list");
    }
    if (cluster.brokers && cluster.has_controllers()) {
        return parser.wrong_usage(
            "Please don't specify both --bootstrap-server and --bootstrap-controller");
    }
    if (!cluster.says_one()) {
        return parser.wrong_usage(
            "Please specify either --bootstrap-server or --bootstrap-controller");
    }
    return check_one(*action);
}

Result<std::string> read_json(Session& session, const Option& file) {
    auto text = env::read_file(session.env().files(), std::string(file.text()), kFileBytesMax);
    if (!text) return refuse_file(file.text());
    return text;
}

Result<ReassignmentPlan> plan_of(Session& session, const Options& options) {
    TRY(const std::string text, read_json(session, options.plan_file));
    return parse_plan(text);
}

Result<env::Duration> patience_of(const Options& options) {
    TRY(const std::int64_t ms, options.parser.number(options.timeout, 10'000));
    constexpr std::int64_t kMsMax = std::int64_t{1} << 40;
    return std::chrono::milliseconds(std::clamp<std::int64_t>(ms, 0, kMsMax));
}

env::Task<Result<int>> generate(Session& session, const Options& options) {
    CO_TRY(const std::string text, read_json(session, options.topics_file));
    GenerateWish wish;
    CO_TRY(wish.brokers, parse_broker_list(options.broker_list.text()));
    CO_TRY(wish.topics, parse_topics_to_move(text));
    wish.rack_aware = !options.disable_rack_aware.is_given;
    co_return co_await generate_plan(session, wish);
}

env::Task<Result<int>> execute(Session& session, const Options& options) {
    CO_TRY(const auto plan, plan_of(session, options));
    ExecuteWish wish{options.additional.is_given, !options.keep_factor.is_given};
    CO_TRY(wish.bytes_per_s, options.parser.number(options.throttle, -1));
    CO_TRY(wish.directory_bytes_per_s, options.parser.number(options.directory_throttle, -1));
    CO_TRY(wish.patience, patience_of(options));
    co_return co_await execute_plan(session, plan, wish);
}

env::Task<Result<int>> cancel(Session& session, const Options& options) {
    CO_TRY(const auto plan, plan_of(session, options));
    CancelWish wish{options.preserve_throttles.is_given};
    CO_TRY(wish.patience, patience_of(options));
    co_return co_await cancel_plan(session, plan, wish);
}

env::Task<Result<int>> verify(Session& session, const Options& options) {
    CO_TRY(const auto plan, plan_of(session, options));
    CO_TRY_VOID(co_await verify_plan(session, plan, options.preserve_throttles.is_given));
    co_return kExitOk;
}

env::Task<Result<int>> list(Session& session) {
    CO_TRY(const auto reassignments, co_await list_reassignments(session));
    print(list_text(reassignments) + "\n");
    co_return kExitOk;
}

env::Task<Result<int>> act(Session& session, const Options& options) {
    if (options.verify) co_return co_await verify(session, options);
    if (options.generate) co_return co_await generate(session, options);
    if (options.execute) co_return co_await execute(session, options);
    if (options.cancel) co_return co_await cancel(session, options);
    co_return co_await list(session);
}

env::Task<Result<void>> act_and_keep(Session& session, const Options& options, int& exit_code) {
    CO_TRY(exit_code, co_await act(session, options));
    co_return ok();
}

int run(const Arguments& arguments) {
    Options options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    if (const auto exit_code = options.check()) return *exit_code;
    Connect connect = options.cluster.connect();
    connect.client_id = "reassign-partitions-tool";
    int exit_code = kExitOk;
    const auto done = in_session(
        connect, [&](Session& session) { return act_and_keep(session, options, exit_code); });
    if (done) return exit_code;
    print(failure_text(done.error()));
    return kExitFailed;
}

}  // namespace

Command command_reassign_partitions() {
    return {.about = "Move partitions between brokers and directories", .run = run};
}

}  // namespace milena::cli
