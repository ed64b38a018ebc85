// SPDX-License-Identifier: Apache-2.0
// From the coordinator's facts to the message, whose version stands before it.
#include "facts.h"

#include "milena/base/invariant.h"
#include "milena/protocol/codec.h"
#include "milena/protocol/messages/milena.h"

namespace milena::server {
namespace {

using protocol::MilenaGroupFacts;

constexpr std::int16_t kVersion = 0;

/// Views of `member`.
MilenaGroupFacts::Member message_of(const coordinator::GroupMemberName& member) {
    MilenaGroupFacts::Member out;
    out.member_id = member.member_id;
    out.instance_id = member.instance_id;
    out.client_id = member.client_id;
    out.client_host = member.client_host;
    return out;
}

void fill(const coordinator::GroupFacts::Rebalance& told, MilenaGroupFacts::Rebalance& out) {
    out.cause = name_of(told.reason.cause);
    out.caused_by = message_of(told.reason.member);
    out.said = told.reason.said;
    out.began_ago_ms = told.began_ago_ms;
    out.rounds = told.rounds;
    out.took_ms = told.took_ms;
    out.slowest = message_of(told.slowest);
    out.slowest_ms = told.slowest_ms;
}

}  // namespace

BytesView facts_blob(protocol::Arena& arena, const coordinator::GroupFacts& facts,
                     const std::function<bool(std::string_view topic)>& may_see) {
    std::vector<MilenaGroupFacts::AwaitedMember> awaited;
    for (const coordinator::AwaitedMember& one : facts.awaited.named) {
        auto& out = awaited.emplace_back();
        out.member = message_of(one.member);
        out.step = name_of(one.step);
        out.removed_in_ms = one.removed_in_ms;
    }
    std::vector<MilenaGroupFacts::ExpiringTopic> expiring;
    for (const coordinator::ExpiringOffsets& one : facts.expiring) {
        if (!may_see(one.topic)) continue;
        auto& out = expiring.emplace_back();
        out.topic_name = one.topic;
        out.partitions = one.partitions;
        out.first_in_ms = one.first_in_ms;
        out.last_in_ms = one.last_in_ms;
    }
    MilenaGroupFacts message;
    message.state_age_ms = facts.state_age_ms;
    message.is_since_take_over = facts.is_since_take_over;
    if (facts.rebalance) fill(*facts.rebalance, message.rebalance.emplace());
    message.awaited_count = static_cast<std::int32_t>(facts.awaited.count);
    message.awaited = awaited;
    message.expiring = expiring;
    std::vector<std::byte> blob(sizeof kVersion);
    store(blob.data(), kVersion);
    const auto appended = protocol::append(message, kVersion, blob);
    INVARIANT(appended.has_value(), "facts of a group that can't be written");
    return arena.copy(BytesView(blob));
}

}  // namespace milena::server
