// SPDX-License-Identifier: Apache-2.0
// LeaveGroup to a consumer group: members of both protocols can be sent away so.
#include <algorithm>

#include "../membership.h"
#include "classic_members.h"

namespace milena::coordinator {
namespace {

std::expected<std::string, ErrorCode> id_of(const ConsumerGroup& group,
                                            const LeaveRequest::Member& who) {
    if (who.member_id.empty()) {
        const auto holder = who.instance_id ? group.find_instance(*who.instance_id) : std::nullopt;
        if (!holder) return std::unexpected(ErrorCode::unknown_member_id);
        return *holder;
    }
    const auto found = find_member(group, {who.member_id, who.instance_id});
    if (!found) return std::unexpected(found.error().code);
    return who.member_id;
}

}  // namespace

void leave_consumer_group(Decision& decision, Ticket ticket, const LeaveRequest& request,
                          ConsumerGroup& group) {
    LeaveReply reply;
    std::vector<std::string> gone;
    RebalanceReason why{.cause = RebalanceCause::member_left};
    for (const LeaveRequest::Member& who : request.members) {
        auto id = id_of(group, who);
        const bool is_named_again = id && std::ranges::find(gone, *id) != gone.end();
        if (is_named_again) id = std::unexpected(ErrorCode::unknown_member_id);
        reply.members.push_back(id ? ErrorCode::none : id.error());
        if (!id) continue;
        why.member = name_of(*id, *group.find(*id)->metadata);
        why.said = kept_words(who.reason);
        gone.push_back(*std::move(id));
    }
    remove_members(decision, group, gone, std::move(why));
    decision.answer(ticket, std::move(reply));
}

}  // namespace milena::coordinator
