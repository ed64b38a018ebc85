// SPDX-License-Identifier: Apache-2.0
// milena cluster, kafka-cluster.sh: the cluster's id, its nodes, the APIs they serve, and the end
// of a broker's or controller's registration. And, of Milena's own, a cluster on this machine:
// start, stop and status.
#include "cluster/connect_options.h"
#include "command_files.h"
#include "console.h"
#include "local/commands.h"
#include "milena/protocol/messages/describe_cluster.h"
#include "milena/protocol/messages/unregister_broker.h"
#include "milena/protocol/messages/unregister_controller.h"
#include "text/api_text.h"
#include "text/exceptions.h"
#include "text/table.h"

namespace milena::cli {
namespace {

using protocol::DescribeClusterRequest;
using protocol::DescribeClusterResponse;

struct Options {
    Parser parser{"cluster", "The Kafka cluster tool.", Library::argparse4j};
    const Option& command = parser.positional(
        "COMMAND", "cluster-id, list-endpoints, unregister, unregister-controller or api-versions");
    const AdminOptions cluster{parser, AdminOptions::To::brokers_or_controllers, true};
    const Option& config = parser.option("config", "The older name of --command-config.");
    const Option& id = parser.option("id,i", "The id of the node to unregister.");
    const Option& fenced =
        parser.flag("include-fenced-brokers", "List brokers that are fenced too.");
};

env::Task<Result<wire::Answer<DescribeClusterResponse>>> describe(Session& session,
                                                                  bool with_fenced) {
    DescribeClusterRequest request;
    request.endpoint_type = session.to_controllers() ? 2 : 1;
    request.include_fenced_brokers = with_fenced;
    CO_TRY(auto answer,
           co_await session.ask<DescribeClusterResponse>(wire::Target::any(), request));
    if (answer->error_code != 0) {
        co_return std::unexpected(
            answered_error(answer->error_code, answer->error_message.value_or("")));
    }
    co_return answer;
}

env::Task<Result<void>> print_endpoints(Session& session, bool with_fenced) {
    CO_TRY(const auto answer, co_await describe(session, with_fenced));
    const bool of_controllers = session.to_controllers();
    // The tool's widths: as wide as the widest host and rack, but ten where no rack is known.
    std::size_t host_width = 0;
    std::size_t rack_width = 0;
    std::vector<std::vector<std::string>> rows{{"ID", "HOST", "PORT", "RACK"}};
    for (const auto& node : answer->brokers) {
        host_width = std::max(host_width, node.host.size());
        rack_width = std::max(rack_width, node.rack.value_or("").size());
        rows.push_back({std::to_string(node.broker_id), std::string(node.host),
                        std::to_string(node.port), std::string(node.rack.value_or("null"))});
        if (!of_controllers) rows.back().emplace_back(node.is_fenced ? "fenced" : "unfenced");
        rows.back().emplace_back(of_controllers ? "controller" : "broker");
    }
    if (!of_controllers) rows[0].emplace_back("STATE");
    rows[0].emplace_back("ENDPOINT_TYPE");
    std::vector<std::size_t> widths{10, host_width, 10, rack_width == 0 ? 10 : rack_width};
    if (!of_controllers) widths.push_back(10);
    widths.push_back(15);
    print(space_table(rows, widths));
    co_return ok();
}

env::Task<Result<void>> print_id(Session& session) {
    CO_TRY(const auto answer, co_await describe(session, false));
    print(fmt::format("Cluster ID: {}\n", answer->cluster_id));
    co_return ok();
}

template <class Response, class Request>
env::Task<Result<void>> send_unregister(Session& session, const Request& request) {
    CO_TRY(const auto answer, co_await session.ask<Response>(session.decider(), request));
    if (answer->error_code != 0) {
        co_return std::unexpected(
            answered_error(answer->error_code, answer->error_message.value_or("")));
    }
    co_return ok();
}

env::Task<Result<void>> unregister(Session& session, std::int32_t id, bool is_controller) {
    Result<void> done;
    if (is_controller) {
        protocol::UnregisterControllerRequest request;
        request.controller_id = id;
        done = co_await send_unregister<protocol::UnregisterControllerResponse>(session, request);
    } else {
        protocol::UnregisterBrokerRequest request;
        request.broker_id = id;
        done = co_await send_unregister<protocol::UnregisterBrokerResponse>(session, request);
    }
    const std::string_view kind = is_controller ? "controller" : "broker";
    if (!done) {
        print_error(log_line(
            "ERROR",
            fmt::format("[AdminClient clientId=adminclient-1] Unregister {} request for {} ID {} "
                        "failed: {}",
                        kind, kind, id, done.error().why),
            "org.apache.kafka.clients.admin.KafkaAdminClient"));
        co_return done;
    }
    print(fmt::format("{} {} is no longer registered.\n", is_controller ? "Controller" : "Broker",
                      id));
    co_return ok();
}

env::Task<Result<void>> act(Session& session, const Options& options) {
    const std::string_view command = options.command.text();
    if (command == "cluster-id") co_return co_await print_id(session);
    if (command == "list-endpoints")
        co_return co_await print_endpoints(session, options.fenced.is_given);
    if (command == "api-versions") co_return co_await print_api_versions(session);
    CO_TRY(const auto id, options.parser.number(options.id, -1));
    co_return co_await unregister(session, static_cast<std::int32_t>(id),
                                  command == "unregister-controller");
}

std::optional<int> check(const Options& options) {
    constexpr std::array<std::string_view, 5> kCommands{
        "cluster-id", "list-endpoints", "unregister", "unregister-controller", "api-versions"};
    const std::string_view command = options.command.text();
    if (!options.command) return options.parser.wrong_usage("too few arguments");
    if (std::ranges::find(kCommands, command) == kCommands.end()) {
        return options.parser.wrong_usage(fmt::format("invalid choice: '{}'", command));
    }
    if (!options.cluster.says_one()) {
        return options.parser.wrong_usage(
            "one of the arguments --bootstrap-server/-b "
            "--bootstrap-controller/-C is required");
    }
    if (command.starts_with("unregister") && !options.id)
        return options.parser.wrong_usage("argument --id/-i is required");
    return std::nullopt;
}

int run(const Arguments& arguments) {
    if (!arguments.empty() && is_local_action(arguments.front()))
        return run_local_action(arguments);
    Options options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    if (const auto exit_code = check(options)) return *exit_code;
    Connect connect = options.cluster.connect();
    if (options.config) connect.config_file = options.config.text();
    return run_in_session(connect, [&options](Session& session) { return act(session, options); });
}

}  // namespace

Command command_cluster() {
    return {.about = "Start one on this machine; a cluster's id, its nodes and their registrations",
            .run = run};
}

}  // namespace milena::cli
