// SPDX-License-Identifier: Apache-2.0
// milena groups, kafka-groups.sh: all groups of a cluster, whatever their protocol.
#include "cluster/connect_options.h"
#include "command_files.h"
#include "console.h"
#include "groups/group_tables.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr env::Duration kPatience = std::chrono::seconds(60);

struct Options {
    Parser parser{"groups", "This tool helps to list groups of all types."};
    const AdminOptions cluster{parser};
    const Option& list = parser.flag("list", "List the groups.");
    const Option& type =
        parser.option("group-type", "Those of this type: classic, consumer, share or streams.");
    const Option& protocol = parser.option("protocol", "Those of this protocol.");
    const Option& consumer = parser.flag("consumer", "Those of consumers.");
    const Option& share = parser.flag("share", "Share groups.");
    const Option& streams = parser.flag("streams", "Streams groups.");

    std::optional<int> check() const;
    bool wants(const ListedGroup& group) const;
};

std::optional<int> Options::check() const {
    if (!cluster.brokers)
        return parser.wrong_usage("Missing required option(s) [bootstrap-server]");
    if (!list) return parser.wrong_usage("Command must include exactly one action: --list.");
    for (const Option* const kind : {&consumer, &share, &streams}) {
        for (const Option* const other : {&consumer, &share, &streams, &type, &protocol}) {
            if (kind == other || !*kind || !*other) continue;
            return parser.wrong_usage(fmt::format(
                "Option \"[{}]\" can't be used with option \"[{}]\"", kind->name, other->name));
        }
    }
    return std::nullopt;
}

/// "Share" for "share" in any case; empty if there is no such type.
std::string type_called(std::string_view name) {
    for (const std::string_view type : {"Classic", "Consumer", "Share", "Streams"}) {
        if (std::ranges::equal(type, name, [](unsigned char a, unsigned char b) {
                return std::tolower(a) == std::tolower(b);
            }))
            return std::string(type);
    }
    return "";
}

bool Options::wants(const ListedGroup& group) const {
    if (consumer) return group.is_of_consumers();
    if (share) return group.type == "Share";
    if (streams) return group.type == "Streams";
    return (!type || group.type == type_called(type.text())) &&
           (!protocol || group.protocol == protocol.text());
}

env::Task<Result<void>> print_groups(Session& session, const Options& options) {
    CO_TRY(auto groups, co_await list_groups(session, session.env().clock().now() + kPatience));
    std::erase_if(groups, [&options](const ListedGroup& group) { return !options.wants(group); });
    print(all_groups_table(in_hash_order(groups)));
    co_return ok();
}

int run(const Arguments& arguments) {
    Options options;
    if (const auto exit_code = options.parser.parse(arguments)) return *exit_code;
    if (const auto exit_code = options.check()) return *exit_code;
    if (options.type && type_called(options.type.text()).empty()) {
        constexpr std::string_view kWrongType = "--group-type must be a valid group type.";
        print_error(
            fmt::format("{}\n{}: {}\n", kWrongType, exception_class(ErrorCode::none), kWrongType));
        return kExitFailed;
    }
    return run_in_session(options.cluster.connect(),
                          [&options](Session& session) { return print_groups(session, options); });
}

}  // namespace

Command command_groups() {
    return {.about = "The groups of a cluster, of every protocol", .run = run};
}

}  // namespace milena::cli
