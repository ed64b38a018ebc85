// SPDX-License-Identifier: Apache-2.0
// milena explain group NAME: what a consumer group is up to, who holds it up, and what to do.
#include "cluster/connect_options.h"
#include "command_files.h"
#include "console.h"
#include "groups/explain_text.h"
#include "groups/group_list.h"
#include "groups/group_tables.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr env::Duration kPatience = std::chrono::seconds(30);

env::Task<Result<std::string>> explain(Session& session, std::string name) {
    const env::Instant give_up = session.env().clock().now() + kPatience;
    const std::vector<std::string> names(1, name);
    CO_TRY(const auto groups,
           co_await describe_groups(session, names, give_up, Telling::with_facts));
    const auto& group = groups.at(name);
    const bool is_missing =
        group ? group->state == "Dead" : group.error().code == ErrorCode::group_id_not_found;
    if (is_missing) {
        CO_TRY(const auto existing, co_await list_consumer_groups(session, give_up));
        co_return refuse(explain_missing_group(name, existing));
    }
    if (!group) co_return std::unexpected(group.error());
    CO_TRY(const auto committed, co_await committed_offsets(session, names, give_up));
    const auto partitions = partitions_in(*group, committed.at(name));
    PartitionEnds ends;
    CO_TRY(ends.earliest, co_await offsets_of_present(session, partitions, kEarliest));
    CO_TRY(ends.latest, co_await offsets_of_present(session, partitions, kLatest));
    co_return explain_group(*group, committed.at(name), ends);
}

int run(const Arguments& arguments) {
    Parser parser("explain",
                  "Says in plain words what a consumer group is up to: explain group NAME.");
    const AdminOptions cluster(parser);
    const Option& what = parser.positional("WHAT", "group, and its name", Takes::several);
    if (const auto exit_code = parser.parse(arguments)) return *exit_code;
    if (what.values.size() != 2 || what.values[0] != "group")
        return parser.wrong_usage("What is to be explained? explain group NAME");
    if (!cluster.brokers)
        return parser.wrong_usage("Missing required argument \"[bootstrap-server]\"");
    std::string text;
    Connect connect = cluster.connect();
    connect.broker_timeout = kBrokerTimeout;
    const auto done = in_session(connect, [&](Session& session) -> env::Task<Result<void>> {
        CO_TRY(text, co_await explain(session, what.values[1]));
        co_return ok();
    });
    print(text);
    if (done) return kExitOk;
    print_error(done.error().code == ErrorCode::none ? done.error().why
                                                     : exception_text(done.error()) + "\n");
    return kExitFailed;
}

}  // namespace

Command command_explain() {
    return {.about = "What a consumer group is up to, and what to do about it",
            .run = run,
            .has_kafka_name = false};
}

}  // namespace milena::cli
