// SPDX-License-Identifier: Apache-2.0
// From a group of the consumer protocol whose members all speak the classic one to a classic group.
// They are to have what the last assignment said; the rebalance that begins has their leader assign
// anew.
#include <algorithm>

#include "../../classic/group_records.h"
#include "../../rebalance.h"
#include "../membership.h"
#include "consumer_protocol.h"
#include "migration.h"

namespace milena::coordinator {
namespace {

bool is_among(const std::vector<std::string>& ids, std::string_view id) {
    return std::ranges::find(ids, id) != ids.end();
}

/// They can vote for one of them.
bool have_one_in_common(const std::vector<const std::vector<MemberProtocol>*>& members) {
    return std::ranges::any_of(*members.front(), [&](const MemberProtocol& protocol) {
        return std::ranges::all_of(members, [&](const std::vector<MemberProtocol>* known) {
            return std::ranges::find(*known, protocol.name, &MemberProtocol::name) != known->end();
        });
    });
}

Member classic_of(const Table& table, const std::string& id, const ConsumerMember& member) {
    const MemberMetadata& metadata = *member.metadata;
    Member out;
    out.id = id;
    out.instance_id = metadata.instance_id;
    out.client_id = metadata.client_id;
    out.client_host = metadata.client_host;
    out.session_timeout_ms = metadata.classic->session_timeout_ms;
    out.rebalance_timeout_ms = metadata.rebalance_timeout_ms;
    out.protocols = metadata.classic->protocols;
    const auto subscription = read_consumer_subscription(out.protocols.front().metadata);
    out.assignment = consumer_assignment(subscription ? subscription->version : std::int16_t{0},
                                         by_topic(member.wanted()), table.consumers.topics());
    return out;
}

}  // namespace

bool may_downgrade(const Table& table, const ConsumerGroup& group,
                   const std::vector<std::string>& without) {
    if (!table.options.consumer.may_downgrade) return false;
    std::vector<const std::vector<MemberProtocol>*> classic;
    for (const auto& [id, member] : group.members()) {
        if (!member.metadata || is_among(without, id)) continue;
        if (!member.is_classic()) return false;
        classic.push_back(&member.metadata->classic->protocols);
    }
    // Among classic members only a classic one can leave: the group is on its way out anyway.
    const bool had_others = std::ranges::any_of(without, [&](const std::string& id) {
        const ConsumerMember* const member = group.find(id);
        return member != nullptr && !member->is_classic();
    });
    return had_others && !classic.empty() &&
           std::cmp_less_equal(classic.size(), table.options.group_max_size) &&
           have_one_in_common(classic);
}

void downgrade(Decision& decision, ConsumerGroup& group, const std::vector<std::string>& without) {
    Table& table = decision.table;
    const std::string name = group.name;
    const std::int32_t epoch = group.epoch();
    RebalanceReason why{.cause = RebalanceCause::protocol_changed,
                        .member = name_of(without.front(), *group.find(without.front())->metadata)};
    std::vector<Member> members;
    for (const auto& [id, member] : group.members()) {
        if (!member.metadata) continue;
        if (!is_among(without, id)) members.push_back(classic_of(table, id, member));
        table.consumers.cancel_all(name, id);
    }
    erase_group(decision, group);
    ClassicGroup& classic = table.make(name, decision.wall_ms());
    classic.generation = epoch;
    for (Member& member : members) classic.add(std::move(member), "consumer");
    classic.load_state(GroupState::stable, decision.wall_ms());
    classic.protocol_name = classic.vote();
    classic.learn_subscriptions();
    decision.write(group_record(classic), {.group = name, .what = Sequel::Creation{}});
    for (auto& [id, member] : classic.members()) extend_session(decision, classic, member);
    begin_rebalance(decision, classic, std::move(why));
}

}  // namespace milena::coordinator
