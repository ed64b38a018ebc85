// SPDX-License-Identifier: Apache-2.0
// What a ConsumerGroupHeartbeat must say, by the epoch that it says. The words are Kafka's.
#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "heartbeat.h"
#include "regexes.h"

namespace milena::coordinator {
namespace {

std::unexpected<Error> invalid(std::string why) {
    return fail(ErrorCode::invalid_request, std::move(why));
}

Result<void> check_texts(const ConsumerHeartbeatRequest& request) {
    if (request.group.empty()) return invalid("GroupId can't be empty.");
    const bool needs_id = request.makes_its_id || request.member_epoch != 0;
    if (request.member_id.empty() && needs_id) return invalid("MemberId can't be empty.");
    if (request.instance_id && request.instance_id->empty())
        return invalid("InstanceId can't be empty.");
    if (request.rack_id && request.rack_id->empty()) return invalid("RackId can't be empty.");
    return ok();
}

Result<void> check_join(const ConsumerHeartbeatRequest& request) {
    if (request.rebalance_timeout_ms == -1)
        return invalid("RebalanceTimeoutMs must be provided in first request.");
    if (!request.owned || !request.owned->empty())
        return invalid("TopicPartitions must be empty when (re-)joining.");
    if (!request.topics && !request.regex) {
        return invalid(
            "Either SubscribedTopicNames or SubscribedTopicRegex must be non-null when "
            "(re-)joining.");
    }
    return ok();
}

Result<void> check_epoch(const ConsumerHeartbeatRequest& request) {
    if (request.member_epoch == 0) return check_join(request);
    if (request.member_epoch == kAwayEpoch && !request.instance_id)
        return invalid("InstanceId can't be null.");
    if (request.member_epoch < kAwayEpoch) return invalid("MemberEpoch is invalid.");
    return ok();
}

}  // namespace

Result<void> check_heartbeat(const Table& table, const ConsumerHeartbeatRequest& request) {
    TRY_VOID(check_texts(request));
    TRY_VOID(check_epoch(request));
    const auto& assignors = table.options.consumer.assignors;
    if (request.assignor && std::ranges::find(assignors, *request.assignor) == assignors.end()) {
        return fail(ErrorCode::unsupported_assignor,
                    fmt::format("ServerAssignor {} is not supported. Supported assignors: {}.",
                                *request.assignor, fmt::join(assignors, ", ")));
    }
    if (request.regex && !request.regex->empty()) TRY_VOID(check_regex(*request.regex));
    return ok();
}

}  // namespace milena::coordinator
