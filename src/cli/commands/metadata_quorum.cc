// SPDX-License-Identifier: Apache-2.0
// milena metadata-quorum, kafka-metadata-quorum.sh: describes the quorum of the metadata log, and
// adds and removes its voters.
#include "cluster/connect_options.h"
#include "command_files.h"
#include "console.h"
#include "milena/env/env.h"
#include "milena/protocol/messages/add_raft_voter.h"
#include "milena/protocol/messages/describe_cluster.h"
#include "milena/protocol/messages/remove_raft_voter.h"
#include "quorum/controller_file.h"
#include "text/exceptions.h"
#include "text/quorum_text.h"

namespace milena::cli {
namespace {

struct Options {
    Parser parser{"metadata-quorum", "This tool describes kraft metadata quorum status.",
                  Library::argparse4j};
    const Option& command =
        parser.positional("COMMAND", "describe, add-controller or remove-controller");
    const AdminOptions cluster{parser, AdminOptions::To::brokers_or_controllers};
    const Option& status = parser.flag("status", "A summary of the quorum.");
    const Option& replication = parser.flag("replication", "The replicas of the quorum's log.");
    const Option& human_readable =
        parser.flag("human-readable", "Times of --replication as an age.");
    const Option& controller_id =
        parser.option("controller-id,i", "The node.id of the controller to remove.");
    const Option& directory_id =
        parser.option("controller-directory-id,d", "The directory id of the controller to remove.");
    const Option& dry_run = parser.flag("dry-run", "Only say what would be done.");
    const Option& unregister =
        parser.flag("unregister", "Not served by this version of add- and remove-controller.");

    bool is(std::string_view name) const { return command.text() == name; }
};

int failed(std::string_view why) {
    print_error(fmt::format("{}\n", why));
    return kExitFailed;
}

/// The answer's own error.
template <class Answer>
Result<void> check_answer(const Answer& answer) {
    if (answer.error_code == 0) return ok();
    return std::unexpected(answered_error(answer.error_code, answer.error_message.value_or("")));
}

/// Asks the leader, which may change meanwhile, or not be known yet, for as long as a call may
/// take.
template <class Answer, class Message>
env::Task<Result<void>> ask_leader(Session& session, const Message& request) {
    const env::Instant give_up = session.env().clock().now() + std::chrono::seconds(60);
    for (;;) {
        const auto answer = co_await session.ask<Answer>(session.decider(), request);
        const Result<void> done =
            answer ? check_answer(**answer) : Result<void>(std::unexpected(answer.error()));
        const bool is_elsewhere =
            !done && (done.error().code == ErrorCode::not_controller ||
                      done.error().code == ErrorCode::not_leader_or_follower ||
                      done.error().code == ErrorCode::broker_not_available);
        if (!is_elsewhere || session.env().clock().now() >= give_up) co_return done;
        session.client().forget_controller();
        co_await session.env().sleep(session.executor(), std::chrono::milliseconds(100));
    }
}

env::Task<Result<void>> add(Session& session, const ControllerFile& controller) {
    using protocol::AddRaftVoterRequest;
    std::vector<AddRaftVoterRequest::Listener> listeners;
    for (const auto& one : controller.voter.endpoints)
        listeners.push_back({one.listener, one.host, one.port});
    AddRaftVoterRequest request;
    request.cluster_id = std::nullopt;
    request.timeout_ms = 60'000;
    request.voter_id = controller.voter.key.id.value;
    request.voter_directory_id = controller.voter.key.directory;
    request.listeners = listeners;
    CO_TRY_VOID(co_await ask_leader<protocol::AddRaftVoterResponse>(session, request));
    print(fmt::format("Added {}\n", controller.text()));
    co_return ok();
}

int run_add(const Options& options) {
    if (!options.cluster.config) {
        return failed(
            "You must supply the configuration file of the controller you are adding when using "
            "add-controller.");
    }
    const auto env = env::make_real_env(1);
    const auto controller =
        read_controller_file(env->files(), std::string(options.cluster.config.text()));
    if (!controller) return failed(controller.error().why);
    if (options.dry_run) {
        print(fmt::format("DRY RUN of adding {}\n", controller->text()));
        return kExitOk;
    }
    return run_in_session(options.cluster.connect(),
                          [&](Session& session) { return add(session, *controller); });
}

env::Task<Result<void>> remove(Session& session, const raft::ReplicaKey& controller) {
    protocol::RemoveRaftVoterRequest request;
    request.cluster_id = std::nullopt;
    request.voter_id = controller.id.value;
    request.voter_directory_id = controller.directory;
    CO_TRY_VOID(co_await ask_leader<protocol::RemoveRaftVoterResponse>(session, request));
    print(fmt::format("Removed KRaft controller {} with directory id {}\n", controller.id,
                      controller.directory));
    co_return ok();
}

int run_remove(const Options& options) {
    if (!options.controller_id)
        return options.parser.wrong_usage("argument --controller-id/-i is required");
    if (!options.directory_id)
        return options.parser.wrong_usage("argument --controller-directory-id/-d is required");
    if (options.unregister) return failed("--unregister is not served by this version");
    const auto id = options.parser.number(options.controller_id, -1);
    if (!id || *id > INT32_MAX || *id < INT32_MIN) {
        return options.parser.wrong_usage(
            fmt::format("argument --controller-id/-i: could not convert '{}' to Integer",
                        options.controller_id.text()));
    }
    if (*id < 0) return failed(fmt::format("Invalid negative --controller-id: {}", *id));
    const auto directory = Uuid::parse(options.directory_id.text());
    if (!directory) {
        return failed(fmt::format("Failed to parse --controller-directory-id: {}",
                                  options.directory_id.text()));
    }
    const raft::ReplicaKey controller{BrokerId(static_cast<std::int32_t>(*id)), *directory};
    if (options.dry_run) {
        print(fmt::format("DRY RUN of removing KRaft controller {} with directory id {}\n",
                          controller.id, controller.directory));
        return kExitOk;
    }
    return run_in_session(options.cluster.connect(),
                          [&](Session& session) { return remove(session, controller); });
}

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
    if (options.is("add-controller") || options.is("remove-controller")) return std::nullopt;
    if (!options.is("describe")) {
        return options.parser.wrong_usage(
            fmt::format("invalid choice: '{}' (choose from 'describe', 'add-controller', "
                        "'remove-controller')",
                        options.command.text()));
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
    if (options.is("add-controller")) return run_add(options);
    if (options.is("remove-controller")) return run_remove(options);
    return run_in_session(options.cluster.connect(),
                          [&options](Session& session) { return describe(session, options); });
}

}  // namespace

Command command_metadata_quorum() {
    return {.about = "The quorum of the metadata log", .run = run};
}

}  // namespace milena::cli
