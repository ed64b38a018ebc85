// SPDX-License-Identifier: Apache-2.0
// From a group to its record and back. Of a member's protocols only the chosen one is written.
#include "group_records.h"

#include <algorithm>

#include "../epochs.h"
#include "milena/base/invariant.h"
#include "milena/protocol/records/group.h"

namespace milena::coordinator {
namespace {

using protocol::GroupMetadataKey;
using protocol::GroupMetadataValue;

constexpr std::int16_t kVersion = 3;

protocol::NullableString nullable(const std::optional<std::string>& text) {
    return text ? protocol::NullableString(*text) : protocol::NullableString();
}

std::optional<std::string> owned(const protocol::NullableString& text) {
    return text ? std::optional<std::string>(*text) : std::nullopt;
}

BytesView chosen_metadata(const ClassicGroup& group, const Member& member) {
    const Bytes* const chosen =
        group.protocol_name ? member.metadata(*group.protocol_name) : nullptr;
    return chosen == nullptr ? BytesView() : BytesView(*chosen);
}

/// `assignment_of` has the bytes of a member.
template <class AssignmentOf>
Record record_of(const ClassicGroup& group, AssignmentOf assignment_of) {
    std::vector<GroupMetadataValue::MemberMetadata> members;
    for (const auto& [id, member] : group.members()) {
        auto& out = members.emplace_back();
        out.member_id = id;
        out.group_instance_id = nullable(member.instance_id);
        out.client_id = member.client_id;
        out.client_host = member.client_host;
        out.rebalance_timeout = member.rebalance_timeout_ms;
        out.session_timeout = member.session_timeout_ms;
        out.subscription = chosen_metadata(group, member);
        out.assignment = assignment_of(member);
    }
    GroupMetadataValue value;
    value.protocol_type = group.protocol_type ? std::string_view(*group.protocol_type) : "";
    value.generation = group.generation;
    value.protocol = nullable(group.protocol_name);
    value.leader = nullable(group.leader);
    value.current_state_timestamp = group.state_since();
    value.members = members;
    auto record = make_record(GroupMetadataKey{.group = group.name}, value, kVersion);
    INVARIANT(record.has_value(), "a group that can't be written");
    return *std::move(record);
}

}  // namespace

Record group_record(const ClassicGroup& group) {
    return record_of(group, [](const Member& member) { return BytesView(member.assignment); });
}

Record group_record(const ClassicGroup& group,
                    const std::vector<SyncRequest::Assignment>& assignments) {
    return record_of(group, [&](const Member& member) {
        const auto found = std::ranges::lower_bound(assignments, member.id, {},
                                                    &SyncRequest::Assignment::member_id);
        const bool is_found = found != assignments.end() && found->member_id == member.id;
        return is_found ? BytesView(found->assignment) : BytesView();
    });
}

Record group_tombstone(std::string_view group) {
    auto record = make_tombstone(GroupMetadataKey{.group = group});
    INVARIANT(record.has_value(), "a group's name that can't be written");
    return *std::move(record);
}

Result<std::string> read_group_key(BytesView key) {
    protocol::Arena arena;
    TRY(const auto read, decode_after_number<GroupMetadataKey>(key, arena));
    return std::string(read.group);
}

Result<void> load_group(BytesView value, ClassicGroup& group) {
    protocol::Arena arena;
    TRY(const auto read, decode_after_number<GroupMetadataValue>(value, arena));
    if (read.generation > kLoadedEpochMax)
        return fail(ErrorCode::corrupt_message, "a generation that no group comes to");
    group.generation = read.generation;
    group.protocol_name = owned(read.protocol);
    for (const auto& told : read.members) {
        if (group.find(told.member_id) != nullptr) continue;
        Member member;
        member.id = told.member_id;
        member.instance_id = owned(told.group_instance_id);
        member.client_id = told.client_id;
        member.client_host = told.client_host;
        member.session_timeout_ms = told.session_timeout;
        member.rebalance_timeout_ms =
            told.rebalance_timeout < 0 ? told.session_timeout : told.rebalance_timeout;
        member.protocols.push_back({group.protocol_name.value_or(""),
                                    {told.subscription.begin(), told.subscription.end()}});
        member.assignment.assign(told.assignment.begin(), told.assignment.end());
        group.add(std::move(member), read.protocol_type);
    }
    if (group.members().empty() && !read.protocol_type.empty())
        group.protocol_type = read.protocol_type;
    // A leader who is no member would never join again.
    const auto leader = owned(read.leader);
    if (leader && group.find(*leader) != nullptr) group.leader = leader;
    group.load_state(group.members().empty() ? GroupState::empty : GroupState::stable,
                     read.current_state_timestamp);
    group.learn_subscriptions();
    return ok();
}

}  // namespace milena::coordinator
