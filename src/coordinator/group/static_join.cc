// SPDX-License-Identifier: Apache-2.0
// A static member that comes back (KIP-345). In a stable group that needs no rebalance: it gets the
// assignment of its instance, once its new id is stored. Its leader is told to assign nothing
// (KIP-814), if it can be.
#include <utility>

#include "classic/group_records.h"
#include "history/classic_history.h"
#include "join.h"
#include "milena/base/invariant.h"
#include "rebalance.h"
#include "requests.h"

namespace milena::coordinator {
namespace {

/// The member under its other id, with its session.
Member& rename(Decision& decision, ClassicGroup& group, Member& member, std::string id) {
    member.session.cancel();
    Member& renamed = group.rename(member, std::move(id));
    extend_session(decision, group, renamed);
    return renamed;
}

void set_wishes(ClassicGroup& group, Member& member, std::vector<MemberProtocol> protocols,
                std::int32_t session_timeout_ms, std::int32_t rebalance_timeout_ms) {
    group.set_protocols(member, std::move(protocols));
    member.session_timeout_ms = session_timeout_ms;
    member.rebalance_timeout_ms = rebalance_timeout_ms;
}

}  // namespace

void return_static(Decision& decision, Ticket ticket, const JoinRequest& request,
                   ClassicGroup& group, Member& member) {
    INVARIANT(!group.is(GroupState::empty), "a member in an empty group");
    const std::string new_id = new_member_id(decision, request, &member);
    Sequel::Return back{.instance_id = *member.instance_id,
                        .old_id = member.id,
                        .old_leader = group.leader,
                        .old_protocols = member.protocols,
                        .old_session_timeout_ms = member.session_timeout_ms,
                        .old_rebalance_timeout_ms = member.rebalance_timeout_ms,
                        .new_id = new_id,
                        .can_skip_assignment = request.can_skip_assignment};
    tell_waiting(decision, member, ErrorCode::fenced_instance_id, ErrorCode::fenced_instance_id);
    Member& returned = rename(decision, group, member, new_id);
    set_wishes(group, returned, request.protocols, request.session_timeout_ms,
               request.rebalance_timeout_ms);
    returned.joining = ticket;
    returned.is_new = false;
    note_joined(decision, group, returned);
    group.is_assignment_too_large = false;

    if (group.is(GroupState::stable)) {
        if (group.protocol_name == group.vote()) {
            decision.write(group_record(group), {.group = group.name, .what = std::move(back)});
        } else {
            rebalance_or_complete(decision, group,
                                  {.cause = RebalanceCause::subscription_changed,
                                   .member = name_of(returned),
                                   .said = kept_words(request.reason)});
        }
    } else if (group.is(GroupState::completing_rebalance)) {
        // The leader may assign to the old id already: it must do it again.
        begin_rebalance(decision, group,
                        {.cause = RebalanceCause::instance_returned,
                         .member = name_of(returned),
                         .said = kept_words(request.reason)});
    } else {
        complete_if_all_joined(decision, group);
    }
}

void welcome_back(Decision& decision, ClassicGroup& group, const Sequel::Return& back) {
    Member* const member = group.find(back.new_id);
    // If a rebalance has begun meanwhile, that is what it waits for now.
    if (member == nullptr || !member->joining || !group.is(GroupState::stable)) return;
    const bool leads = group.is_leader(member->id);
    JoinReply reply = joined_reply(group, *member, back.can_skip_assignment && leads);
    reply.skip_assignment = back.can_skip_assignment && leads;
    // One that can't be told not to assign must not think that it leads: it would assign, and
    // nobody would listen.
    if (!back.can_skip_assignment) reply.leader = back.old_leader.value_or("");
    decision.answer(*std::exchange(member->joining, std::nullopt), std::move(reply));
    // While it waited its session may have ended without a consequence.
    extend_session(decision, group, *member);
}

void take_return_back(Decision& decision, ClassicGroup& group, Sequel::Return&& back,
                      ErrorCode code) {
    Member* const member = group.find(back.new_id);
    INVARIANT(member != nullptr && member->joining, "a member is gone before it was stored");
    JoinReply reply = refused_join(code, {});
    reply.generation = group.generation;
    reply.protocol_type = group.protocol_type;
    reply.protocol_name = group.protocol_name;
    reply.leader = back.old_leader.value_or("");
    decision.answer(*std::exchange(member->joining, std::nullopt), std::move(reply));
    set_wishes(group, *member, std::move(back.old_protocols), back.old_session_timeout_ms,
               back.old_rebalance_timeout_ms);
    rename(decision, group, *member, std::move(back.old_id));
}

}  // namespace milena::coordinator
