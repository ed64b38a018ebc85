// SPDX-License-Identifier: Apache-2.0
// milena consumer-groups, kafka-consumer-groups.sh: groups of consumers, how far behind they are,
// and their offsets. What goes wrong at the cluster is said on standard output and ends with exit
// code 0, as Kafka's tool does; wrong usage ends with 1.
#include "command_files.h"
#include "console.h"
#include "groups/group_actions.h"
#include "groups/pattern_text.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::int64_t kTimeoutMs = 5000;

/// What is wrong with the options' values, as one sentence of wrong usage.
Result<void> check_values(const GroupToolOptions& options) {
    if (options.list) {
        TRY_VOID(parse_states(options.state.text()));
        TRY_VOID(parse_types(options.type.text()));
    }
    return ok();
}

env::Task<Result<void>> act(Session& session, const GroupToolOptions& options,
                            std::int64_t timeout_ms) {
    const GroupTool tool{session, options,
                         session.env().clock().now() + std::chrono::milliseconds(timeout_ms)};
    if (options.list) co_return co_await print_group_list(tool);
    if (options.describe) co_return co_await print_group_descriptions(tool);
    if (options.remove) co_return co_await delete_groups_and_print(tool);
    if (options.delete_offsets) co_return co_await delete_offsets_and_print(tool);
    co_return co_await reset_offsets_and_print(tool);
}

Result<void> act_in_session(const GroupToolOptions& options) {
    TRY(const auto timeout_ms, options.number(options.timeout, kTimeoutMs));
    Connect connect = options.cluster.connect();
    connect.broker_timeout = kBrokerTimeout;
    connect.call_timeout = std::chrono::milliseconds(std::max<std::int64_t>(timeout_ms, 0));
    return in_session(connect, [&](Session& session) { return act(session, options, timeout_ms); });
}

/// As Kafka's tool does: the message alone of what it refuses itself, with the exception's name
/// what a broker has answered.
int say(const Error& error) {
    const bool is_own =
        error.code == ErrorCode::none || error.code == ErrorCode::unknown_topic_or_partition;
    print(fmt::format("\nError: Executing consumer group command failed due to {}\n",
                      is_own ? error.why : exception_text(error)));
    print_error(is_own ? exception_text(error) + "\n" : stack_trace(error));
    return kExitOk;
}

int run(const Arguments& arguments) {
    GroupToolOptions options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    if (const auto exit_code = options.check()) return *exit_code;
    if (const auto checked = check_values(options); !checked)
        return options.parser.wrong_usage(checked.error().why);
    if (options.validate_regex) {
        print(validity_of_pattern(options.validate_regex.text()));
        return kExitOk;
    }
    const auto done = act_in_session(options);
    if (done) return kExitOk;
    // What can't be done with these options.
    if (done.error().code == ErrorCode::invalid_request)
        return options.parser.wrong_usage(done.error().why);
    return say(done.error());
}

}  // namespace

Command command_consumer_groups() {
    return {.about = "Consumer groups, their lag and their offsets", .run = run};
}

}  // namespace milena::cli
