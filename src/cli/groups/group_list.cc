// SPDX-License-Identifier: Apache-2.0
// ListGroups, of every broker. Filters are the caller's: old brokers know none.
#include "groups/group_list.h"

#include <fmt/format.h>

#include "cluster/offsets.h"
#include "milena/protocol/messages/list_groups.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

using protocol::ListGroupsRequest;
using protocol::ListGroupsResponse;

constexpr env::Duration kPause = std::chrono::milliseconds(100);

/// "classic" as it is shown. Brokers that don't tell know no other.
std::string type_of(std::string_view told) {
    std::string type(told.empty() ? "classic" : told);
    if (type[0] >= 'a' && type[0] <= 'z') type[0] = static_cast<char>(type[0] - 'a' + 'A');
    return type;
}

/// False if the broker has to be asked again.
Result<bool> take(const ListGroupsResponse& answer, std::vector<ListedGroup>& groups) {
    const auto code = static_cast<ErrorCode>(answer.error_code);
    if (is_retriable(code)) return false;
    if (code != ErrorCode::none) return std::unexpected(answered_error(answer.error_code, ""));
    for (const auto& group : answer.groups) {
        groups.push_back({std::string(group.group_id), type_of(group.group_type),
                          std::string(group.protocol_type), std::string(group.group_state)});
    }
    return true;
}

env::Task<Result<void>> list_of(Session& session, BrokerId broker, env::Instant give_up,
                                std::vector<ListedGroup>& groups) {
    for (;;) {
        const ListGroupsRequest request;
        const auto answer = co_await session.client().call<ListGroupsResponse>(
            wire::Target::broker(broker), request);
        // One that has left the cluster coordinates nothing.
        if (!answer && answer.error().code == ErrorCode::broker_not_available) co_return ok();
        if (!answer && !is_out_of_reach(answer.error().code))
            co_return std::unexpected(answer.error());
        if (answer) {
            CO_TRY(const bool is_taken, take(**answer, groups));
            if (is_taken) co_return ok();
        }
        if (session.env().clock().now() >= give_up) {
            co_return fail(ErrorCode::request_timed_out,
                           fmt::format("broker {} did not list its groups in time", broker));
        }
        co_await session.env().sleep(session.executor(), kPause);
    }
}

}  // namespace

bool ListedGroup::is_of_consumers() const {
    return type == "Consumer" ||
           (type == "Classic" && (protocol == "consumer" || protocol.empty()));
}

env::Task<Result<std::vector<ListedGroup>>> list_groups(Session& session, env::Instant give_up) {
    CO_TRY_VOID(co_await session.client().refresh_nodes());
    const auto nodes = session.client().nodes();
    std::vector<ListedGroup> groups;
    for (const auto& [id, node] : nodes)
        CO_TRY_VOID(co_await list_of(session, id, give_up, groups));
    co_return groups;
}

env::Task<Result<std::vector<std::string>>> list_consumer_groups(Session& session,
                                                                 env::Instant give_up) {
    CO_TRY(const auto groups, co_await list_groups(session, give_up));
    std::vector<std::string> names;
    for (const ListedGroup& group : groups) {
        if (group.is_of_consumers()) names.push_back(group.name);
    }
    co_return names;
}

}  // namespace milena::cli
