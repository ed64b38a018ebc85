// SPDX-License-Identifier: Apache-2.0
// First what is there and what would be lost; the deed only with the long flag.
#include "storage/recover_quorum.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include "console.h"
#include "milena/node/recover_quorum.h"
#include "storage/node_config.h"

namespace milena::cli {
namespace {

constexpr std::string_view kAccept = "yes-i-accept-that-metadata-may-be-lost";

int failed(std::string_view why) {
    print_error(fmt::format("{}\n", why));
    return kExitFailed;
}

std::string voter_text(const raft::Voter& voter) {
    std::string text = voter.key.text();
    for (const auto& endpoint : voter.endpoints)
        text += fmt::format(" ({}:{})", endpoint.host, endpoint.port);
    return text;
}

std::string time_text(env::Timestamp time) {
    const std::chrono::sys_seconds seconds{std::chrono::seconds(time.value / 1000)};
    return fmt::format("{:%Y-%m-%d %H:%M:%S} UTC", seconds);
}

std::string report_text(const node::QuorumRecovery& recovery) {
    const raft::DirectoryReport& found = recovery.found();
    std::string text;
    const auto line = [&](std::string_view what, std::string_view value) {
        text += fmt::format("{:<20}{}\n", what, value);
    };
    line("Cluster id", recovery.cluster_id());
    line("Directory", recovery.directory());
    line("This node", voter_text(recovery.self()));
    line("Log", fmt::format("from {} to {}, last epoch {}", found.log_start_offset,
                            found.log_end_offset, found.last_epoch));
    if (found.last_timestamp) line("Last record", time_text(*found.last_timestamp));
    if (found.torn_bytes != 0) {
        line("Torn end", fmt::format("{} bytes that are no whole batch; a start cuts them off",
                                     found.torn_bytes));
    }
    if (found.snapshot) {
        line("Newest snapshot",
             fmt::format("{} in epoch {}", found.snapshot->end_offset, found.snapshot->epoch));
    }
    line("quorum-state",
         fmt::format(
             "epoch {}, leader {}, vote {}", found.quorum.epoch,
             found.quorum.leader == kNoBroker ? "unknown" : fmt::format("{}", found.quorum.leader),
             found.quorum.voted ? found.quorum.voted->text() : "for nobody"));
    line("Voters", fmt::format("{} of which {} would do", found.voters.voters.size(),
                               found.voters.voters.majority()));
    for (const raft::Voter& voter : recovery.lost()) line("  taken out", voter_text(voter));
    if (found.voters.voters.find(recovery.self().key.id) == nullptr)
        line("  put in", fmt::format("{}, so far an observer", voter_text(recovery.self())));
    return text;
}

std::string warning_text(const node::QuorumRecovery& recovery) {
    const raft::DirectoryReport& found = recovery.found();
    return fmt::format(
        "\nWhat this gives up:\n"
        "* Changes that the other voters committed and this node has not got are lost: whatever "
        "there was at {0}\n  and behind it. Nobody can tell from here whether there was any.\n"
        "* What this node has at the end of its log and the others never confirmed becomes part of "
        "the metadata.\n"
        "* Of partitions whose replicas are all on lost nodes the records are lost.\n"
        "\nBefore you go on:\n"
        "* If {1} of the {2} voters can be started with their directories, start them: nothing is "
        "lost then.\n"
        "* Look at every node that is left with this command, and go on with the one whose last "
        "epoch is highest,\n  and among those the one whose log ends last.\n"
        "* Never start a lost node with its old directory again: it would take itself for a voter "
        "of the old quorum.\n  Format it anew (--no-initial-controllers), then add it as a "
        "controller.\n",
        found.log_end_offset, found.voters.voters.majority(), found.voters.voters.size());
}

int recover(env::Env& env, const Option& file, const Option& accepted) {
    const auto config = load_node_config(env, file);
    if (!config) return failed(config.error().why);
    const auto recovery =
        node::QuorumRecovery::open(env, Logger(make_console_sink(), LogLevel::error), *config);
    if (!recovery) return failed(recovery.error().why);
    print(report_text(**recovery));
    if (!accepted) {
        print(warning_text(**recovery));
        print(fmt::format("\nNothing was changed. To make node {} the only voter, add --{}\n",
                          (*recovery)->self().key.id, kAccept));
        return kExitFailed;
    }
    const auto done = (*recovery)->run();
    if (!done) return failed(done.error().why);
    print(fmt::format(
        "\nNode {} is the only voter since offset {}, in epoch {}. What there was before is in {}\n"
        "Start it, and add other controllers with: milena metadata-quorum add-controller\n",
        (*recovery)->self().key.id, done->voter.offset, done->voter.epoch, done->backup));
    return kExitOk;
}

}  // namespace

int run_recover_quorum(const Arguments& arguments) {
    Parser parser("storage recover-quorum",
                  "Makes this node the only voter of a quorum whose majority is lost for good.",
                  Library::argparse4j);
    const auto& file =
        parser.required(parser.option("config,c", "The server.properties of the node."));
    const auto& accepted =
        parser.flag(std::string(kAccept), "Do it; without this flag it only tells what there is.");
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    const auto env = env::make_real_env(1);
    return recover(*env, file, accepted);
}

}  // namespace milena::cli
