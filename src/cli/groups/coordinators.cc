// SPDX-License-Identifier: Apache-2.0
// FindCoordinator: one request for many groups since version 4, one for each before.
#include "groups/coordinators.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cluster/offsets.h"
#include "milena/protocol/messages/find_coordinator.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

using protocol::FindCoordinatorRequest;
using protocol::FindCoordinatorResponse;

/// The first version that takes more than one key.
constexpr std::int16_t kManyVersion = 4;
constexpr env::Duration kPause = std::chrono::milliseconds(100);

struct Found {
    ByCoordinator coordinators;
    std::vector<std::string> again;
    Error last;  ///< why those have to be asked for again

    Result<void> take(std::string_view group, std::int16_t error_code, std::string_view message,
                      std::int32_t node) {
        const auto code = static_cast<ErrorCode>(error_code);
        if (code == ErrorCode::none) {
            coordinators[BrokerId(node)].emplace_back(group);
        } else if (is_coordinator_moving(code) || is_retriable(code)) {
            again.emplace_back(group);
            last = answered_error(error_code, message);
        } else {
            return std::unexpected(answered_error(error_code, message));
        }
        return ok();
    }
};

env::Task<Result<void>> find_many(Session& session, const std::vector<std::string>& groups,
                                  Found& found) {
    const std::vector<std::string_view> keys(groups.begin(), groups.end());
    FindCoordinatorRequest request;
    request.coordinator_keys = keys;
    CO_TRY(const auto answer,
           co_await session.client().call<FindCoordinatorResponse>(wire::Target::any(), request));
    for (const auto& one : answer->coordinators) {
        CO_TRY_VOID(
            found.take(one.key, one.error_code, one.error_message.value_or(""), one.node_id));
    }
    co_return ok();
}

env::Task<Result<void>> find_one(Session& session, const std::string& group, Found& found) {
    FindCoordinatorRequest request;
    request.key = group;
    CO_TRY(const auto answer, co_await session.client().call<FindCoordinatorResponse>(
                                  wire::Target::any(), request, kManyVersion - 1));
    co_return found.take(group, answer->error_code, answer->error_message.value_or(""),
                         answer->node_id);
}

env::Task<Result<Found>> find(Session& session, const std::vector<std::string>& groups) {
    Found found;
    CO_TRY(const auto version, co_await session.client().version_of(
                                   wire::Target::any(), protocol::ApiKey::find_coordinator));
    if (version.value_or(0) >= kManyVersion) {
        CO_TRY_VOID(co_await find_many(session, groups, found));
    } else {
        for (const std::string& group : groups)
            CO_TRY_VOID(co_await find_one(session, group, found));
    }
    co_return found;
}

std::unexpected<Error> too_late(const std::vector<std::string>& groups, const Error& last) {
    return fail(ErrorCode::request_timed_out,
                fmt::format("the coordinator of {} did not answer in time ({}); see whether the "
                            "brokers run and __consumer_offsets has leaders, or give it more time "
                            "with --timeout",
                            fmt::join(groups, ", "), last.why));
}

}  // namespace

bool is_coordinator_moving(ErrorCode code) {
    return code == ErrorCode::not_coordinator || code == ErrorCode::coordinator_not_available ||
           code == ErrorCode::coordinator_load_in_progress;
}

env::Task<Result<ByCoordinator>> find_coordinators(Session& session,
                                                   std::vector<std::string> groups,
                                                   env::Instant give_up) {
    ByCoordinator coordinators;
    for (;;) {
        Error last;
        auto found = co_await find(session, groups);
        if (found) {
            for (auto& [id, some] : found->coordinators)
                coordinators[id].insert(coordinators[id].end(), some.begin(), some.end());
            groups = std::move(found->again);
            last = found->last;
        } else if (is_out_of_reach(found.error().code)) {
            last = found.error();
        } else {
            co_return std::unexpected(found.error());
        }
        if (groups.empty()) co_return coordinators;
        if (session.env().clock().now() >= give_up) co_return too_late(groups, last);
        co_await session.env().sleep(session.executor(), kPause);
    }
}

env::Task<Result<void>> ask_coordinators(Session& session, std::vector<std::string> groups,
                                         env::Instant give_up, const AskCoordinator& ask) {
    for (;;) {
        CO_TRY(const auto coordinators, co_await find_coordinators(session, groups, give_up));
        groups.clear();
        Error last{ErrorCode::not_coordinator, "it is moving"};
        for (const auto& [coordinator, some] : coordinators) {
            auto again = co_await ask(coordinator, some);
            if (again) {
                groups.insert(groups.end(), again->begin(), again->end());
            } else if (is_out_of_reach(again.error().code)) {
                groups.insert(groups.end(), some.begin(), some.end());
                last = again.error();
            } else {
                co_return std::unexpected(again.error());
            }
        }
        if (groups.empty()) co_return ok();
        if (session.env().clock().now() >= give_up) co_return too_late(groups, last);
        co_await session.env().sleep(session.executor(), kPause);
    }
}

}  // namespace milena::cli
