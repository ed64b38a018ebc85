// SPDX-License-Identifier: Apache-2.0
// ConsumerGroupHeartbeat: a member joins, says what is new, hears what is new, or leaves. All of
// the consumer protocol is in this one request (KIP-848).
#include "heartbeat.h"

#include <algorithm>

#include <fmt/format.h>

#include "../classic/group_records.h"
#include "../requests.h"
#include "assignment/target.h"
#include "membership.h"
#include "migration/migration.h"
#include "regexes.h"

namespace milena::coordinator {
namespace {

ConsumerHeartbeatReply refused_heartbeat(Error why) {
    ConsumerHeartbeatReply reply;
    reply.code = why.code;
    reply.why = std::move(why.why);
    return reply;
}

bool says_everything(const ConsumerHeartbeatRequest& request) {
    return request.rebalance_timeout_ms != -1 && (request.topics || request.regex) && request.owned;
}

/// Its answer, or several, may have been lost: it comes with an epoch since the last one that it is
/// known to have heard of, and has nothing that it should not have.
bool may_have_missed_answer(const MemberCurrent& current, const ConsumerHeartbeatRequest& request,
                            const PartitionSet* owned) {
    // With none before its own it has joined, and has heard of none or of that one.
    const bool has_one_before = current.previous_epoch > 0;
    if (!has_one_before || request.member_epoch < current.previous_epoch || owned == nullptr)
        return false;
    return std::ranges::all_of(
        *owned, [&](const GroupPartition& one) { return find(current.assigned, one) != nullptr; });
}

Result<void> check_member_epoch(const ConsumerMember& member,
                                const ConsumerHeartbeatRequest& request,
                                const PartitionSet* owned) {
    const MemberCurrent current = member.current.value_or(MemberCurrent());
    const auto fenced = [&](std::string_view than) {
        return fail(ErrorCode::fenced_member_epoch,
                    fmt::format("The consumer group member has a {} member epoch ({}) than the one "
                                "known by the group coordinator ({}). The member must abandon all "
                                "its partitions and rejoin.",
                                than, request.member_epoch, current.epoch));
    };
    if (request.member_epoch > current.epoch) return fenced("greater");
    if (request.member_epoch < current.epoch && !may_have_missed_answer(current, request, owned))
        return fenced("smaller");
    return ok();
}

/// The instance is free: its process has said that it is away, or speaks the classic protocol.
Result<void> check_instance(const ConsumerGroup& group, const ConsumerHeartbeatRequest& request) {
    if (!request.instance_id) return ok();
    const auto holder = group.find_instance(*request.instance_id);
    if (!holder) return ok();
    // Its answer may have been lost, or it has been fenced: it has the instance already.
    if (*holder == request.member_id) return ok();
    const ConsumerMember& member = *group.find(*holder);
    if (member.is_classic() || member.epoch() == kAwayEpoch) return ok();
    return fail(ErrorCode::unreleased_instance_id,
                fmt::format("Static member {} with instance id {} cannot join the group because "
                            "the instance id is owned by {} member.",
                            request.member_id, *request.instance_id, *holder));
}

MemberMetadata metadata_of(const ConsumerGroup& group, const ConsumerHeartbeatRequest& request,
                           const std::string& member_id) {
    const ConsumerMember* const member = group.find(member_id);
    MemberMetadata out = member == nullptr ? MemberMetadata() : *member->metadata;
    if (request.instance_id) out.instance_id = request.instance_id;
    if (request.rack_id) out.rack_id = request.rack_id;
    if (request.rebalance_timeout_ms != -1) out.rebalance_timeout_ms = request.rebalance_timeout_ms;
    if (request.assignor) out.assignor = request.assignor;
    if (request.topics) {
        out.topics = *request.topics;
        std::ranges::sort(out.topics);
        out.topics.erase(std::ranges::unique(out.topics).begin(), out.topics.end());
    }
    if (request.regex) out.regex = *request.regex;
    out.client_id = request.client_id;
    out.client_host = request.client_host;
    out.classic.reset();
    return out;
}

/// The group that it joins; one of another protocol that may go becomes one.
Result<ConsumerGroup*> group_to_join(Decision& decision, const ConsumerHeartbeatRequest& request) {
    Table& table = decision.table;
    if (ConsumerGroup* const found = table.find_consumer(request.group)) {
        TRY_VOID(check_room(table, *found, {request.member_id, request.instance_id}));
        TRY_VOID(check_instance(*found, request));
        return found;
    }
    const OtherGroup* const other = table.find_other(request.group);
    if (other != nullptr && (!other->is_empty() || other->kind() == GroupKind::share))
        return std::unexpected(not_of_consumers(request.group));
    if (other != nullptr) {
        for (Record& record : other->tombstones()) decision.write(std::move(record));
    }
    ClassicGroup* const classic = table.find(request.group);
    if (classic == nullptr) return &table.consumers.make(request.group);
    return upgraded(decision, *classic);
}

/// It may be in the group by another id, if it is static.
void take_place(Decision& decision, ConsumerGroup& group, const ConsumerHeartbeatRequest& request,
                const std::string& member_id) {
    if (!request.instance_id) return;
    const auto holder = group.find_instance(*request.instance_id);
    if (holder && *holder != member_id) replace_static(decision, group, *holder, member_id);
}

ConsumerHeartbeatReply reply_to(const Decision& decision, const ConsumerGroup& group,
                                const std::string& member_id, bool with_assignment) {
    const MemberCurrent& current = *group.find(member_id)->current;
    ConsumerHeartbeatReply reply;
    reply.member_id = member_id;
    reply.member_epoch = current.epoch;
    reply.heartbeat_interval_ms = settings_of(decision, group.name).heartbeat_interval_ms;
    if (with_assignment) reply.assignment = by_topic(partitions_of(current.assigned));
    return reply;
}

/// All is checked: from here on it happens.
ConsumerHeartbeatReply beat(Decision& decision, ConsumerGroup& group,
                            const ConsumerHeartbeatRequest& request, const PartitionSet* owned) {
    std::string member_id = request.member_id;
    if (member_id.empty()) member_id = env::random_uuid(decision.table.random).text();
    take_place(decision, group, request, member_id);
    const ConsumerMember* const before = group.find(member_id);
    const bool is_new = before == nullptr;
    const PartitionSet had = before != nullptr && before->current
                                 ? partitions_of(before->current->assigned)
                                 : PartitionSet();
    const MemberMetadata metadata = metadata_of(group, request, member_id);
    const bool says_new = is_new || *before->metadata != metadata;
    std::optional<RebalanceReason> why;
    if (update_metadata(decision, group, member_id, metadata)) {
        why = {
            .cause = is_new ? RebalanceCause::member_joined : RebalanceCause::subscription_changed,
            .member = name_of(member_id, metadata)};
    }
    resolve_if_due(decision, group);
    advance_epoch(decision, group, std::move(why));
    assign_if_due(decision, group);
    reconcile_member(decision, group, member_id, {owned, request.member_epoch}, says_new);
    extend_consumer_session(decision, group, member_id);
    // Who spoke the classic protocol before is waited for no more.
    decision.table.consumers.cancel(&MemberTimers::join, group.name, member_id);
    decision.table.consumers.cancel(&MemberTimers::sync, group.name, member_id);
    const bool is_other = partitions_of(group.find(member_id)->current->assigned) != had;
    return reply_to(decision, group, member_id,
                    request.member_epoch == 0 || says_everything(request) || is_other);
}

Result<ConsumerHeartbeatReply> answer(Decision& decision, const ConsumerHeartbeatRequest& request) {
    TRY_VOID(check_heartbeat(decision.table, request));
    if (request.member_epoch < 0) return leave_by_epoch(decision, request);
    std::optional<PartitionSet> owned;
    if (request.owned) owned = partitions_of(*request.owned);
    const PartitionSet* const told = owned ? &*owned : nullptr;
    if (request.member_epoch == 0) {
        TRY(ConsumerGroup* const group, group_to_join(decision, request));
        return beat(decision, *group, request, told);
    }
    TRY(ConsumerGroup* const group, consumer_group_of(decision.table, request.group));
    TRY(const ConsumerMember* const member,
        find_member(*group, {request.member_id, request.instance_id}));
    TRY_VOID(check_member_epoch(*member, request, told));
    return beat(decision, *group, request, told);
}

}  // namespace

void consumer_heartbeat(Decision& decision, Ticket ticket,
                        const ConsumerHeartbeatRequest& request) {
    auto reply = answer(decision, request);
    decision.answer(ticket,
                    reply ? *std::move(reply) : refused_heartbeat(std::move(reply).error()));
}

}  // namespace milena::coordinator
