// SPDX-License-Identifier: Apache-2.0
// milena metadata-quorum, kafka-metadata-quorum.sh: describes the quorum of the metadata log.
#include "cluster/connect_options.h"
#include "command_files.h"
#include "console.h"
#include "milena/protocol/messages/describe_cluster.h"
#include "text/exceptions.h"
#include "text/quorum_text.h"

namespace milena::cli {
namespace {

struct Options {
    Parser parser{"metadata-quorum", "This tool describes kraft metadata quorum status.",
                  Library::argparse4j};
    const Option& command = parser.positional("COMMAND", "describe");
    const AdminOptions cluster{parser, AdminOptions::To::brokers_or_controllers};
    const Option& status = parser.flag("status", "A summary of the quorum.");
    const Option& replication = parser.flag("replication", "The replicas of the quorum's log.");
    const Option& human_readable =
        parser.flag("human-readable", "Times of --replication as an age.");
};

env::Task<Result<void>> describe(Session& session, const Options& options) {
    using protocol::DescribeQuorumRequest;
    std::array<DescribeQuorumRequest::PartitionData, 1> partitions;
    std::array<DescribeQuorumRequest::TopicData, 1> topics;
    topics[0].topic_name = "__cluster_metadata";
    topics[0].partitions = partitions;
    DescribeQuorumRequest request;
    request.topics = topics;
    CO_TRY(const auto answer,
           co_await session.ask<protocol::DescribeQuorumResponse>(session.decider(), request));
    if (options.replication) {
        std::optional<std::int64_t> now_ms;
        if (options.human_readable) now_ms = session.env().clock().wall().value;
        CO_TRY(const auto text, quorum_replication(*answer, now_ms));
        print(text);
        co_return ok();
    }
    protocol::DescribeClusterRequest cluster_request;
    cluster_request.endpoint_type = session.to_controllers() ? 2 : 1;
    CO_TRY(const auto cluster, co_await session.ask<protocol::DescribeClusterResponse>(
                                   wire::Target::any(), cluster_request));
    CO_TRY(const auto text, quorum_status(*answer, cluster->cluster_id));
    print(text);
    co_return ok();
}

std::optional<int> check(const Options& options) {
    if (!options.cluster.says_one()) {
        return options.parser.wrong_usage(
            "one of the arguments --bootstrap-server "
            "--bootstrap-controller is required");
    }
    if (!options.command) return options.parser.wrong_usage("too few arguments");
    if (options.command.text() != "describe") {
        return options.parser.wrong_usage(
            fmt::format("there is no {} here yet", options.command.text()));
    }
    if (options.status.is_given == options.replication.is_given) {
        print_error(options.status ? "Only one of --status or --replication should be specified "
                                     "with describe sub-command\n"
                                   : "One of --status or --replication must be specified with "
                                     "describe sub-command\n");
        return kExitFailed;
    }
    return std::nullopt;
}

int run(const Arguments& arguments) {
    Options options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    if (const auto exit_code = check(options)) return *exit_code;
    return run_in_session(options.cluster.connect(),
                          [&options](Session& session) { return describe(session, options); });
}

}  // namespace

Command command_metadata_quorum() {
    return {.about = "The quorum of the metadata log", .run = run};
}

}  // namespace milena::cli
