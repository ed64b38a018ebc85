// SPDX-License-Identifier: Apache-2.0
// JoinGroup: who may come in, under which id, and whether the group rebalances for it.
#include "join.h"

#include <utility>

#include "classic/group_records.h"
#include "classic/member_ids.h"
#include "consumer/classic/classic_members.h"
#include "consumer/membership.h"
#include "history/classic_history.h"
#include "milena/base/invariant.h"
#include "rebalance.h"
#include "requests.h"

namespace milena::coordinator {
namespace {

/// Ids that were given and not yet come with, of one group: clients can make them for nothing.
constexpr std::size_t kPendingMax = 100'000;
/// What the protocols of a member may take, and of a group: of the chosen one all members' are in
/// one record, which a log takes about 1 MiB of.
constexpr std::size_t kMemberBytesMax = 1UL << 20;
constexpr std::size_t kGroupBytesMax = 64UL << 20;

ErrorCode check(const Table& table, const JoinRequest& request) {
    if (request.group.empty()) return ErrorCode::invalid_group_id;
    if (request.session_timeout_ms < table.options.group_min_session_timeout_ms ||
        request.session_timeout_ms > table.options.group_max_session_timeout_ms) {
        return ErrorCode::invalid_session_timeout;
    }
    if (bytes_of(request.protocols) > kMemberBytesMax) return ErrorCode::invalid_request;
    const std::size_t id_bytes =
        request.instance_id.value_or(request.client_id).size() + kMemberIdSuffixBytes;
    return id_bytes > protocol::kStringBytesMax ? ErrorCode::invalid_request : ErrorCode::none;
}

/// Whose place it has, or takes: an instance that comes back has one. Null: it is new.
const Member* place_of(const ClassicGroup& group, const JoinRequest& request) {
    const bool comes_back = request.member_id.empty() && request.instance_id;
    return comes_back ? group.find_instance(*request.instance_id) : group.find(request.member_id);
}

/// Before it is as large as it may be. While it waits for members those that came count: who comes
/// last is out.
bool has_room(const Table& table, const ClassicGroup& group, const JoinRequest& request) {
    const auto most = static_cast<std::size_t>(table.options.group_max_size);
    const Member* const member = place_of(group, request);
    switch (group.state()) {
        case GroupState::empty:
        case GroupState::dead: return true;
        case GroupState::preparing_rebalance:
            return (member != nullptr && member->joining) || group.joined_count() < most;
        case GroupState::completing_rebalance:
        case GroupState::stable: return member != nullptr || group.members().size() < most;
    }
    return false;
}

/// Of memory, for what the member says from now on.
bool has_room_for(const ClassicGroup& group, const JoinRequest& request) {
    const Member* const before = place_of(group, request);
    const std::size_t freed = before == nullptr ? 0 : bytes_of(before->protocols);
    return group.protocol_bytes() - freed + bytes_of(request.protocols) <= kGroupBytesMax;
}

/// It is told an id and has to come with it, or nobody would know a member that never heard its
/// answer (KIP-394).
void tell_id(Decision& decision, Ticket ticket, const JoinRequest& request, ClassicGroup& group) {
    if (group.pending.size() >= kPendingMax) {
        decision.answer(ticket, refused_join(ErrorCode::coordinator_load_in_progress, {}));
        return;
    }
    const std::string member_id = new_member_id(decision, request);
    group.pending[member_id].set(
        decision.table.due, decision.in_ms(request.session_timeout_ms),
        {.kind = Due::Kind::session, .group = group.name, .member_id = member_id});
    decision.answer(ticket, refused_join(ErrorCode::member_id_required, member_id));
}

void join_as_new(Decision& decision, Ticket ticket, const JoinRequest& request,
                 ClassicGroup& group) {
    if (!group.accepts(request.protocol_type, request.protocols)) {
        decision.answer(ticket, refused_join(ErrorCode::inconsistent_group_protocol, {}));
        return;
    }
    Member* const before =
        request.instance_id ? group.find_instance(*request.instance_id) : nullptr;
    if (before != nullptr) {
        return_static(decision, ticket, request, group, *before);
    } else if (!request.instance_id && request.must_know_its_id) {
        tell_id(decision, ticket, request, group);
    } else {
        add_member(decision, ticket, request, group, new_member_id(decision, request));
    }
}

void join_again(Decision& decision, Ticket ticket, const JoinRequest& request,
                ClassicGroup& group) {
    if (!group.accepts(request.protocol_type, request.protocols)) {
        decision.answer(ticket,
                        refused_join(ErrorCode::inconsistent_group_protocol, request.member_id));
        return;
    }
    if (group.pending.contains(request.member_id)) {
        // Only who has no instance id is told an id.
        if (request.instance_id) {
            decision.answer(ticket, refused_join(ErrorCode::unknown_server_error, {}));
        } else {
            add_member(decision, ticket, request, group, request.member_id);
        }
        return;
    }
    if (const ErrorCode code = group.validate(request.member_id, request.instance_id);
        code != ErrorCode::none) {
        decision.answer(ticket, refused_join(code, request.member_id));
        return;
    }
    Member& member = *group.find(request.member_id);
    INVARIANT(!group.is(GroupState::empty), "a member in an empty group");
    if (group.is_assignment_too_large && member.says_the_same(request.protocols)) {
        decision.answer(ticket, refused_join(ErrorCode::message_too_large, request.member_id));
        return;
    }
    // The leader's coming again makes a rebalance also where it says the same: partitions may have
    // been added. A follower that says the same has missed its answer.
    const bool is_answered_at_once =
        member.says_the_same(request.protocols) &&
        (group.is(GroupState::completing_rebalance) ||
         (group.is(GroupState::stable) && !group.is_leader(member.id)));
    if (is_answered_at_once) {
        decision.answer(ticket, joined_reply(group, member, group.is_leader(member.id)));
    } else {
        update_member(decision, ticket, request, group, member);
    }
}

/// The group, made if somebody new comes to it. A group of another protocol that nobody is in makes
/// way for it.
ClassicGroup* find_or_make(Decision& decision, const JoinRequest& request) {
    if (ClassicGroup* const found = decision.table.find(request.group)) return found;
    if (!request.member_id.empty()) return nullptr;
    if (const OtherGroup* const other = decision.table.find_other(request.group)) {
        for (Record& record : other->tombstones()) decision.write(std::move(record));
    }
    if (ConsumerGroup* const consumers = decision.table.find_consumer(request.group))
        erase_group(decision, *consumers);
    ClassicGroup& made = decision.table.make(request.group, decision.wall_ms());
    decision.write(group_record(made), {.group = made.name, .what = Sequel::Creation{}});
    return &made;
}

}  // namespace

std::string new_member_id(const Decision& decision, const JoinRequest& request,
                          const Member* before) {
    const Uuid random = env::random_uuid(decision.table.random);
    if (!request.instance_id) return member_id(request.client_id, random);
    return static_member_id(*request.instance_id, random, decision.wall_ms(),
                            before == nullptr ? std::string_view() : before->id);
}

JoinReply refused_join(ErrorCode code, std::string_view member_id) {
    JoinReply reply;
    reply.code = code;
    reply.member_id = member_id;
    return reply;
}

void join(Decision& decision, Ticket ticket, const JoinRequest& request) {
    if (const ErrorCode code = check(decision.table, request); code != ErrorCode::none) {
        decision.answer(ticket, refused_join(code, request.member_id));
        return;
    }
    const OtherGroup* const other = decision.table.find_other(request.group);
    if (other != nullptr && (!other->is_empty() || other->kind() == GroupKind::share)) {
        decision.answer(ticket, refused_join(ErrorCode::inconsistent_group_protocol, {}));
        return;
    }
    ConsumerGroup* const consumers = decision.table.find_consumer(request.group);
    if (consumers != nullptr && !consumers->is_empty()) {
        join_consumer_group(decision, ticket, request, *consumers);
        return;
    }
    if (ClassicGroup* const group = find_or_make(decision, request)) {
        join_classic_group(decision, ticket, request, *group);
    } else {
        decision.answer(ticket, refused_join(ErrorCode::unknown_member_id, request.member_id));
    }
}

void join_classic_group(Decision& decision, Ticket ticket, const JoinRequest& request,
                        ClassicGroup& group) {
    if (!has_room(decision.table, group, request)) {
        drop(decision, group, request.member_id);
        decision.answer(ticket, refused_join(ErrorCode::group_max_size_reached, {}));
    } else if (!has_room_for(group, request)) {
        decision.answer(ticket, refused_join(ErrorCode::group_max_size_reached, request.member_id));
    } else if (request.member_id.empty()) {
        join_as_new(decision, ticket, request, group);
    } else {
        join_again(decision, ticket, request, group);
    }
}

void add_member(Decision& decision, Ticket ticket, const JoinRequest& request, ClassicGroup& group,
                std::string member_id) {
    Member member;
    member.id = std::move(member_id);
    member.instance_id = request.instance_id;
    member.client_id = request.client_id;
    member.client_host = request.client_host;
    member.session_timeout_ms = request.session_timeout_ms;
    member.rebalance_timeout_ms = request.rebalance_timeout_ms;
    member.protocols = request.protocols;
    member.joining = ticket;
    member.is_new = true;
    if (group.first_rebalance) group.first_rebalance->somebody_came = true;
    group.churn.member_came();
    group.is_assignment_too_large = false;
    Member& added = group.add(std::move(member), request.protocol_type);
    extend_session(decision, group, added, kNewMemberJoinTimeoutMs);
    note_joined(decision, group, added);
    rebalance_or_complete(decision, group,
                          {.cause = RebalanceCause::member_joined,
                           .member = name_of(added),
                           .said = kept_words(request.reason)});
}

void update_member(Decision& decision, Ticket ticket, const JoinRequest& request,
                   ClassicGroup& group, Member& member) {
    // Its client has given the first answer up; it gets one all the same.
    if (member.joining)
        decision.answer(*member.joining, refused_join(ErrorCode::rebalance_in_progress, member.id));
    const bool says_the_same = member.says_the_same(request.protocols);
    group.is_assignment_too_large = false;
    group.set_protocols(member, request.protocols);
    member.rebalance_timeout_ms = request.rebalance_timeout_ms;
    member.session_timeout_ms = request.session_timeout_ms;
    member.joining = ticket;
    note_joined(decision, group, member);
    rebalance_or_complete(decision, group,
                          {.cause = says_the_same ? RebalanceCause::leader_rejoined
                                                  : RebalanceCause::subscription_changed,
                           .member = name_of(member),
                           .said = kept_words(request.reason)});
}

}  // namespace milena::coordinator
