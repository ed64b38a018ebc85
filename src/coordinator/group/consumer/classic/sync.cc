// SPDX-License-Identifier: Apache-2.0
// SyncGroup and Heartbeat to a consumer group: what a member has, and whether it has to join again.
#include <algorithm>

#include "../../rebalance.h"
#include "../membership.h"
#include "../migration/consumer_protocol.h"
#include "classic_members.h"

namespace milena::coordinator {
namespace {

struct Claim {
    std::string_view member_id;
    const std::optional<std::string>& instance_id;
    std::int32_t generation;
};

/// Somebody who speaks the other protocol is unknown to this one.
ErrorCode check_claim(const ConsumerGroup& group, const Claim& claim) {
    const auto found = find_member(group, {claim.member_id, claim.instance_id});
    if (!found) return found.error().code;
    if (!(*found)->is_classic()) return ErrorCode::unknown_member_id;
    return claim.generation == (*found)->epoch() ? ErrorCode::none : ErrorCode::illegal_generation;
}

/// It has to join again within its rebalance timeout.
void await_join(Decision& decision, const ConsumerGroup& group, const std::string& member_id) {
    ConsumerTable& consumers = decision.table.consumers;
    if (consumers.is_set(&MemberTimers::join, group.name, member_id)) return;
    consumers.set(&MemberTimers::join,
                  {.kind = Due::Kind::consumer_join, .group = group.name, .member_id = member_id},
                  decision.in_ms(group.find(member_id)->metadata->rebalance_timeout_ms));
}

/// Partitions that it is to have, and could have now.
bool can_be_given_more(const ConsumerGroup& group, const std::string& member_id,
                       const ConsumerMember& member) {
    return std::ranges::none_of(member.wanted(), [&](const GroupPartition& one) {
        const std::string* const owner = group.owner(one);
        return owner != nullptr && *owner != member_id;
    });
}

bool has_to_join(const ConsumerGroup& group, const std::string& member_id,
                 const ConsumerMember& member) {
    const MemberState state = member.current ? member.current->state : MemberState::stable;
    if (member.epoch() < group.epoch() || state == MemberState::unrevoked) return true;
    return state == MemberState::unreleased && can_be_given_more(group, member_id, member);
}

ErrorCode check_sync(const ConsumerGroup& group, const SyncRequest& request) {
    if (request.group.empty()) return ErrorCode::invalid_group_id;
    const ErrorCode code =
        check_claim(group, {request.member_id, request.instance_id, request.generation});
    if (code != ErrorCode::none) return code;
    const auto& protocols = group.find(request.member_id)->metadata->classic->protocols;
    const bool is_other_type = request.protocol_type && *request.protocol_type != "consumer";
    const bool is_other_name =
        protocols.empty() ||
        (request.protocol_name && protocols.front().name != *request.protocol_name);
    return is_other_type || is_other_name ? ErrorCode::inconsistent_group_protocol
                                          : ErrorCode::none;
}

}  // namespace

void sync_with_consumer_group(Decision& decision, Ticket ticket, const SyncRequest& request,
                              ConsumerGroup& group) {
    if (const ErrorCode code = check_sync(group, request); code != ErrorCode::none) {
        decision.answer(ticket, refused_sync(code));
        return;
    }
    const std::string& id = request.member_id;
    const ConsumerMember& member = *group.find(id);
    decision.table.consumers.cancel(&MemberTimers::sync, group.name, id);
    extend_consumer_session(decision, group, id);
    const bool is_revoking = member.current && member.current->state == MemberState::unrevoked;
    if (group.epoch() > member.epoch() && !is_revoking) {
        await_join(decision, group, id);
        decision.answer(ticket, refused_sync(ErrorCode::rebalance_in_progress));
        return;
    }
    const MemberProtocol& protocol = member.metadata->classic->protocols.front();
    const auto subscription = read_consumer_subscription(protocol.metadata);
    SyncReply reply;
    reply.protocol_type = "consumer";
    reply.protocol_name = protocol.name;
    reply.assignment = consumer_assignment(
        subscription ? subscription->version : std::int16_t{0},
        by_topic(member.current ? partitions_of(member.current->assigned) : PartitionSet()),
        decision.table.consumers.topics());
    decision.answer(ticket, std::move(reply));
}

void heartbeat_to_consumer_group(Decision& decision, Ticket ticket, const HeartbeatRequest& request,
                                 ConsumerGroup& group) {
    ErrorCode code =
        request.group.empty()
            ? ErrorCode::invalid_group_id
            : check_claim(group, {request.member_id, request.instance_id, request.generation});
    if (code == ErrorCode::none) {
        extend_consumer_session(decision, group, request.member_id);
        if (has_to_join(group, request.member_id, *group.find(request.member_id))) {
            await_join(decision, group, request.member_id);
            code = ErrorCode::rebalance_in_progress;
        }
    }
    decision.answer(ticket, HeartbeatReply{.code = code});
}

}  // namespace milena::coordinator
