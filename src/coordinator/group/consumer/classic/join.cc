// SPDX-License-Identifier: Apache-2.0
// JoinGroup to a consumer group.
#include <algorithm>

#include "../../join.h"
#include "../../rebalance.h"
#include "../../requests.h"
#include "../assignment/target.h"
#include "../membership.h"
#include "../migration/consumer_protocol.h"
#include "../migration/migration.h"
#include "classic_members.h"

namespace milena::coordinator {
namespace {

/// A protocol that all members know that speak the classic one, so that they can go back to it.
bool is_protocol_known(const ConsumerGroup& group, const JoinRequest& request) {
    if (request.protocol_type != "consumer") return false;
    return std::ranges::any_of(request.protocols, [&](const MemberProtocol& protocol) {
        return std::ranges::all_of(group.members(), [&](const auto& one) {
            if (!one.second.is_classic()) return true;
            const auto& known = one.second.metadata->classic->protocols;
            return std::ranges::find(known, protocol.name, &MemberProtocol::name) != known.end();
        });
    });
}

std::unexpected<ErrorCode> refused(ErrorCode code) {
    return std::unexpected(code);
}

std::expected<ConsumerSubscription, ErrorCode> check(const Decision& decision,
                                                     const JoinRequest& request,
                                                     const ConsumerGroup& group) {
    if (!check_room(decision.table, group, {request.member_id, request.instance_id}))
        return refused(ErrorCode::group_max_size_reached);
    if (!is_protocol_known(group, request)) return refused(ErrorCode::inconsistent_group_protocol);
    auto subscription = read_consumer_subscription(request.protocols.front().metadata);
    if (!subscription) return refused(ErrorCode::inconsistent_group_protocol);
    if (request.member_id.empty()) return *std::move(subscription);
    if (!request.instance_id) return *std::move(subscription);
    // An instance that says an id must be that.
    const auto found = find_member(group, {request.member_id, request.instance_id});
    if (!found) return refused(found.error().code);
    return *std::move(subscription);
}

MemberMetadata metadata_of(const JoinRequest& request, const ConsumerSubscription& subscription) {
    MemberMetadata out;
    out.instance_id = request.instance_id;
    out.rack_id = subscription.rack;
    out.client_id = request.client_id;
    out.client_host = request.client_host;
    out.topics = subscription.topics;
    std::ranges::sort(out.topics);
    out.topics.erase(std::ranges::unique(out.topics).begin(), out.topics.end());
    out.rebalance_timeout_ms = request.rebalance_timeout_ms;
    out.classic = ClassicSide{request.session_timeout_ms, request.protocols};
    return out;
}

void await_sync(Decision& decision, const ConsumerGroup& group, const std::string& member_id) {
    ConsumerTable& consumers = decision.table.consumers;
    consumers.cancel(&MemberTimers::join, group.name, member_id);
    consumers.set(&MemberTimers::sync,
                  {.kind = Due::Kind::consumer_sync, .group = group.name, .member_id = member_id},
                  decision.in_ms(group.find(member_id)->metadata->rebalance_timeout_ms));
}

void admit(Decision& decision, Ticket ticket, const JoinRequest& request, ConsumerGroup& group,
           const ConsumerSubscription& subscription) {
    std::string member_id = request.member_id;
    if (member_id.empty()) member_id = env::random_uuid(decision.table.random).text();
    const auto holder =
        request.instance_id ? group.find_instance(*request.instance_id) : std::nullopt;
    if (holder && *holder != member_id) replace_static(decision, group, *holder, member_id);
    const bool is_new = group.find(member_id) == nullptr;
    std::optional<RebalanceReason> why;
    if (update_metadata(decision, group, member_id, metadata_of(request, subscription))) {
        why = {
            .cause = is_new ? RebalanceCause::member_joined : RebalanceCause::subscription_changed,
            .member = name_of(member_id, *group.find(member_id)->metadata),
            .said = kept_words(request.reason)};
    }
    const PartitionSet owned =
        partitions_of(with_ids(subscription.owned, decision.table.consumers.topics()));
    advance_epoch(decision, group, std::move(why));
    assign_if_due(decision, group);
    reconcile_member(decision, group, member_id, {.owned = &owned}, true);
    extend_consumer_session(decision, group, member_id);
    await_sync(decision, group, member_id);
    JoinReply reply;
    reply.member_id = member_id;
    reply.generation = group.find(member_id)->epoch();
    reply.protocol_type = request.protocol_type;
    reply.protocol_name = request.protocols.front().name;
    decision.answer(ticket, std::move(reply));
}

/// The last member of the consumer protocol comes back with the classic one: the group goes back
/// with it.
bool goes_back(const Decision& decision, const JoinRequest& request, const ConsumerGroup& group) {
    if (!request.instance_id || !request.member_id.empty()) return false;
    const auto holder = group.find_instance(*request.instance_id);
    return holder && !group.find(*holder)->is_classic() &&
           may_downgrade(decision.table, group, {*holder});
}

}  // namespace

void join_consumer_group(Decision& decision, Ticket ticket, const JoinRequest& request,
                         ConsumerGroup& group) {
    const auto subscription = check(decision, request, group);
    if (!subscription) {
        const ErrorCode code = subscription.error();
        const bool tells_id = code != ErrorCode::group_max_size_reached &&
                              code != ErrorCode::inconsistent_group_protocol;
        decision.answer(ticket,
                        refused_join(code, tells_id ? request.member_id : std::string_view()));
        return;
    }
    if (goes_back(decision, request, group)) {
        downgrade(decision, group, {*group.find_instance(*request.instance_id)});
        join_classic_group(decision, ticket, request, *decision.table.find(request.group));
        return;
    }
    if (request.member_id.empty() && !request.instance_id && request.must_know_its_id) {
        decision.answer(ticket, refused_join(ErrorCode::member_id_required,
                                             env::random_uuid(decision.table.random).text()));
        return;
    }
    admit(decision, ticket, request, group, *subscription);
}

}  // namespace milena::coordinator
