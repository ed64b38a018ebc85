// SPDX-License-Identifier: Apache-2.0
// Membership, votes and states of one group.
#include "classic_group.h"

#include <algorithm>

#include "member_ids.h"
#include "milena/base/invariant.h"
#include "subscription.h"

namespace milena::coordinator {
namespace {

constexpr std::string_view kConsumers = "consumer";

std::set<std::string_view> names_of(const std::vector<MemberProtocol>& protocols) {
    std::set<std::string_view> names;
    for (const MemberProtocol& protocol : protocols) names.insert(protocol.name);
    return names;
}

bool is_possible(GroupState from, GroupState to) {
    switch (to) {
        case GroupState::preparing_rebalance:
            return from != GroupState::preparing_rebalance && from != GroupState::dead;
        case GroupState::completing_rebalance: return from == GroupState::preparing_rebalance;
        case GroupState::stable: return from == GroupState::completing_rebalance;
        case GroupState::empty: return from == GroupState::preparing_rebalance;
        case GroupState::dead: return true;
    }
    return false;
}

}  // namespace

std::string_view text(GroupState state) {
    switch (state) {
        case GroupState::preparing_rebalance: return "PreparingRebalance";
        case GroupState::completing_rebalance: return "CompletingRebalance";
        case GroupState::stable: return "Stable";
        case GroupState::dead: return "Dead";
        case GroupState::empty: return "Empty";
    }
    return {};
}

GroupMemberName name_of(const Member& member) {
    return kept_name(member.id, member.instance_id.value_or(""), member.client_id,
                     member.client_host);
}

std::size_t bytes_of(const std::vector<MemberProtocol>& protocols) {
    std::size_t bytes = 0;
    for (const MemberProtocol& one : protocols)
        bytes += sizeof one + one.name.size() + one.metadata.size();
    return bytes;
}

const Bytes* Member::metadata(std::string_view protocol) const {
    const auto found = std::ranges::find(protocols, protocol, &MemberProtocol::name);
    return found == protocols.end() ? nullptr : &found->metadata;
}

bool Member::says_the_same(const std::vector<MemberProtocol>& others) const {
    return std::ranges::equal(protocols, others, [](const auto& a, const auto& b) {
        return a.name == b.name && a.metadata == b.metadata;
    });
}

void ClassicGroup::become(GroupState state, std::int64_t now_ms) {
    INVARIANT(is_possible(state_, state), "a classic group takes a way that there is not");
    previous_state_ = state_;
    state_ = state;
    state_since_ms = now_ms;
}

void ClassicGroup::load_state(GroupState state, std::int64_t since_ms) {
    state_ = state;
    state_since_ms = since_ms;
}

bool ClassicGroup::can_rebalance() const {
    return is_possible(state_, GroupState::preparing_rebalance);
}

bool ClassicGroup::is_simple() const {
    return !protocol_type && is(GroupState::empty) && pending.empty();
}

bool ClassicGroup::is_of_consumers() const {
    return protocol_type == kConsumers;
}

Member* ClassicGroup::find(std::string_view member_id) {
    const auto found = members_.find(member_id);
    return found == members_.end() ? nullptr : &found->second;
}

const Member* ClassicGroup::find(std::string_view member_id) const {
    const auto found = members_.find(member_id);
    return found == members_.end() ? nullptr : &found->second;
}

Member* ClassicGroup::find_instance(std::string_view instance_id) {
    const auto found = instances_.find(instance_id);
    return found == instances_.end() ? nullptr : find(found->second);
}

const Member* ClassicGroup::find_instance(std::string_view instance_id) const {
    const auto found = instances_.find(instance_id);
    return found == instances_.end() ? nullptr : find(found->second);
}

ErrorCode ClassicGroup::validate(std::string_view member_id,
                                 const std::optional<std::string>& instance_id) const {
    if (instance_id) {
        const auto now_in_place = instances_.find(*instance_id);
        if (now_in_place == instances_.end()) return ErrorCode::unknown_member_id;
        if (now_in_place->second != member_id) {
            return is_given_after(member_id, now_in_place->second) ? ErrorCode::unknown_member_id
                                                                   : ErrorCode::fenced_instance_id;
        }
    }
    return members_.contains(member_id) ? ErrorCode::none : ErrorCode::unknown_member_id;
}

Member& ClassicGroup::add(Member member, std::string_view type) {
    if (members_.empty()) protocol_type = type;
    INVARIANT(protocol_type == type, "members of two types in one group");
    if (!leader) leader = member.id;
    pending.erase(member.id);
    std::string id = member.id;
    const auto [place, is_new] = members_.try_emplace(std::move(id), std::move(member));
    INVARIANT(is_new, "a member joins twice");
    Member& added = place->second;
    if (added.instance_id) instances_.insert_or_assign(*added.instance_id, added.id);
    count_protocols(added, 1);
    return added;
}

void ClassicGroup::remove(std::string_view member_id) {
    if (const auto waiting = pending.find(member_id); waiting != pending.end())
        pending.erase(waiting);
    const auto found = members_.find(member_id);
    if (found == members_.end()) return;
    const auto gone = members_.extract(found);
    const Member& member = gone.mapped();
    INVARIANT(!member.joining && !member.syncing, "a member that waits is told before it goes");
    count_protocols(member, -1);
    if (member.instance_id) instances_.erase(*member.instance_id);
    if (!is_leader(member.id)) return;
    leader.reset();
    if (!members_.empty()) leader = members_.begin()->first;
}

Member& ClassicGroup::rename(Member& member, std::string id) {
    INVARIANT(member.instance_id, "only members with an instance id get another id");
    INVARIANT(!member.joining && !member.syncing, "a member that waits is told before its end");
    const bool leads = is_leader(member.id);
    auto node = members_.extract(member.id);
    node.key() = id;
    node.mapped().id = id;
    instances_.insert_or_assign(*member.instance_id, id);
    if (leads) leader = id;
    return members_.insert(std::move(node)).position->second;
}

void ClassicGroup::set_protocols(Member& member, std::vector<MemberProtocol> protocols) {
    count_protocols(member, -1);
    member.protocols = std::move(protocols);
    count_protocols(member, 1);
}

void ClassicGroup::count_protocols(const Member& member, int change) {
    protocol_bytes_ += static_cast<std::size_t>(change) * bytes_of(member.protocols);
    for (const std::string_view protocol : names_of(member.protocols)) {
        const auto count = knowing_.try_emplace(std::string(protocol), 0).first;
        count->second += static_cast<std::size_t>(change);
        if (count->second == 0) knowing_.erase(count);
    }
}

std::size_t ClassicGroup::joined_count() const {
    return static_cast<std::size_t>(std::ranges::count_if(
        members_, [](const auto& m) { return m.second.joining.has_value(); }));
}

bool ClassicGroup::all_have_joined() const {
    return pending.empty() && joined_count() == members_.size();
}

bool ClassicGroup::elect_joined_leader() {
    if (!leader) return false;
    if (find(*leader)->joining) return true;
    const auto first =
        std::ranges::find_if(members_, [](const auto& m) { return m.second.joining.has_value(); });
    if (first == members_.end()) return false;
    leader = first->first;
    return true;
}

std::int32_t ClassicGroup::rebalance_timeout_ms() const {
    std::int32_t most = 0;
    for (const auto& [id, member] : members_) most = std::max(most, member.rebalance_timeout_ms);
    return most;
}

bool ClassicGroup::accepts(std::string_view type,
                           const std::vector<MemberProtocol>& protocols) const {
    if (is(GroupState::empty)) return !type.empty() && !protocols.empty();
    return protocol_type == type && std::ranges::any_of(protocols, [&](const auto& protocol) {
               const auto known = knowing_.find(protocol.name);
               return (known == knowing_.end() ? 0 : known->second) == members_.size();
           });
}

std::string ClassicGroup::vote() const {
    INVARIANT(!members_.empty(), "a vote without members");
    std::map<std::string_view, std::size_t> votes;
    std::vector<std::string_view> in_order;
    for (const auto& [id, member] : members_) {
        const auto liked = std::ranges::find_if(member.protocols, [&](const auto& protocol) {
            return knowing_.at(protocol.name) == members_.size();
        });
        INVARIANT(liked != member.protocols.end(), "members that have no protocol in common");
        if (++votes[liked->name] == 1) in_order.push_back(liked->name);
    }
    return std::string(*std::ranges::max_element(
        in_order, {}, [&](std::string_view name) { return votes.at(name); }));
}

bool ClassicGroup::is_subscribed_to(std::string_view topic) const {
    if (!subscribed_topics) return is_of_consumers();
    return std::ranges::binary_search(*subscribed_topics, topic);
}

void ClassicGroup::learn_subscriptions() {
    subscribed_topics.reset();
    if (!is_of_consumers()) return;
    std::set<std::string> topics;
    for (const auto& [id, member] : members_) {
        const Bytes* const metadata = protocol_name ? member.metadata(*protocol_name) : nullptr;
        if (metadata == nullptr || !read_subscription(*metadata, topics)) return;
    }
    subscribed_topics.emplace(topics.begin(), topics.end());
}

}  // namespace milena::coordinator
