// SPDX-License-Identifier: Apache-2.0
// SyncGroup: the leader hands its assignments in, everybody gets its own when they are stored.
#include <map>

#include "classic/group_records.h"
#include "consumer/classic/classic_members.h"
#include "history/classic_history.h"
#include "rebalance.h"
#include "requests.h"

namespace milena::coordinator {
namespace {

bool differ(const std::optional<std::string>& asked, const std::optional<std::string>& known) {
    return asked && known && *asked != *known;
}

ErrorCode check(const ClassicGroup* group, const SyncRequest& request) {
    if (request.group.empty()) return ErrorCode::invalid_group_id;
    if (group == nullptr || group->is(GroupState::empty)) return ErrorCode::unknown_member_id;
    if (const ErrorCode code = group->validate(request.member_id, request.instance_id);
        code != ErrorCode::none) {
        return code;
    }
    if (request.generation != group->generation) return ErrorCode::illegal_generation;
    if (differ(request.protocol_type, group->protocol_type) ||
        differ(request.protocol_name, group->protocol_name)) {
        return ErrorCode::inconsistent_group_protocol;
    }
    if (group->is(GroupState::preparing_rebalance)) return ErrorCode::rebalance_in_progress;
    return ErrorCode::none;
}

/// In the order of the members. Of one that is named twice the last counts.
std::vector<SyncRequest::Assignment> in_order(
    const std::vector<SyncRequest::Assignment>& assignments) {
    std::map<std::string, const SyncRequest::Assignment*> by_member;
    for (const auto& one : assignments) by_member.insert_or_assign(one.member_id, &one);
    std::vector<SyncRequest::Assignment> sorted;
    for (const auto& [id, one] : by_member) sorted.push_back(*one);
    return sorted;
}

void store_assignments(Decision& decision, const ClassicGroup& group, const SyncRequest& request) {
    Sequel::Assignments handed_in{.generation = group.generation,
                                  .assignments = in_order(request.assignments)};
    Record record = group_record(group, handed_in.assignments);
    decision.write(std::move(record), {.group = group.name, .what = std::move(handed_in)});
}

}  // namespace

void sync(Decision& decision, Ticket ticket, const SyncRequest& request) {
    if (ConsumerGroup* const consumers = decision.table.find_consumer(request.group)) {
        sync_with_consumer_group(decision, ticket, request, *consumers);
        return;
    }
    ClassicGroup* const group = decision.table.find(request.group);
    if (const ErrorCode code = check(group, request); code != ErrorCode::none) {
        decision.answer(ticket, refused_sync(code));
        return;
    }
    Member& member = *group->find(request.member_id);
    if (group->is(GroupState::stable)) {
        note_synced(*group, member);
        decision.answer(ticket, synced_reply(*group, member));
        return;
    }
    // Its client has given the first answer up; it gets one all the same.
    if (member.syncing)
        decision.answer(*member.syncing, refused_sync(ErrorCode::rebalance_in_progress));
    member.syncing = ticket;
    note_synced(*group, member);
    if (!group->is_leader(member.id)) return;
    note_assigned(decision, *group, member);
    store_assignments(decision, *group, request);
}

}  // namespace milena::coordinator
