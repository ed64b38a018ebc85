// SPDX-License-Identifier: Apache-2.0
// Each change, its inverse, and what is counted along with it.
#include "consumer_group.h"

#include <algorithm>
#include <set>
#include <utility>

#include "milena/base/invariant.h"

namespace milena::coordinator {
namespace {

void add_to(std::map<std::string, std::size_t, std::less<>>& counts, const std::string& name,
            std::int64_t by) {
    const auto place = counts.try_emplace(name, 0).first;
    INVARIANT(by > 0 || place->second > 0, "something is counted less than never");
    place->second += static_cast<std::size_t>(by);
    if (place->second == 0) counts.erase(place);
}

}  // namespace

void TopicSubscribers::add(const std::string& topic, ConsumerGroup& group) {
    groups_[topic].emplace(group.name, &group);
}

void TopicSubscribers::remove(const std::string& topic, ConsumerGroup& group) {
    const auto found = groups_.find(topic);
    INVARIANT(found != groups_.end(), "a topic is left that nobody subscribed to");
    found->second.erase(group.name);
    if (found->second.empty()) groups_.erase(found);
}

ConsumerChange ConsumerGroup::apply(ConsumerChange change) {
    return std::visit([this](auto&& one) { return take(std::forward<decltype(one)>(one)); },
                      std::move(change));
}

ConsumerMember& ConsumerGroup::part_of(const std::string& member_id) {
    return members_[member_id];
}

void ConsumerGroup::drop_if_gone(const std::string& member_id) {
    const auto found = members_.find(member_id);
    const ConsumerMember& member = found->second;
    if (!member.metadata && !member.current && !member.target) members_.erase(found);
}

ConsumerChange ConsumerGroup::take(GroupEpochChange change) {
    return GroupEpochChange{std::exchange(epoch_, change.value)};
}

ConsumerChange ConsumerGroup::take(AssignmentEpochChange change) {
    return AssignmentEpochChange{std::exchange(assignment_epoch_, change.value)};
}

ConsumerChange ConsumerGroup::take(PartitionMetadataChange change) {
    return PartitionMetadataChange{std::exchange(has_partition_metadata_, change.is_there)};
}

ConsumerChange ConsumerGroup::take(MetadataChange change) {
    ConsumerMember& member = part_of(change.member_id);
    count_epoch(member, -1);
    if (member.metadata) {
        count(*member.metadata, -1);
        const auto& instance = member.metadata->instance_id;
        if (instance) {
            const auto held = instances_.find(*instance);
            if (held != instances_.end() && held->second == change.member_id)
                instances_.erase(held);
        }
    }
    std::swap(member.metadata, change.value);
    if (member.metadata) {
        count(*member.metadata, 1);
        if (member.metadata->instance_id)
            instances_.insert_or_assign(*member.metadata->instance_id, change.member_id);
    }
    count_epoch(member, 1);
    drop_if_gone(change.member_id);
    return change;
}

ConsumerChange ConsumerGroup::take(TargetChange change) {
    std::swap(part_of(change.member_id).target, change.value);
    drop_if_gone(change.member_id);
    return change;
}

ConsumerChange ConsumerGroup::take(CurrentChange change) {
    ConsumerMember& member = part_of(change.member_id);
    let_go(change.member_id, member);
    count_epoch(member, -1);
    std::swap(member.current, change.value);
    count_epoch(member, 1);
    hold(change.member_id, member);
    drop_if_gone(change.member_id);
    return change;
}

ConsumerChange ConsumerGroup::take(RegexChange change) {
    std::optional<ResolvedRegex> before;
    if (const auto found = resolved_.find(change.regex); found != resolved_.end()) {
        count_topics(found->second.topics, -1);
        before = std::move(found->second);
        resolved_.erase(found);
    }
    if (change.value) {
        count_topics(change.value->topics, 1);
        resolved_.emplace(change.regex, *std::move(change.value));
    }
    return RegexChange{.regex = std::move(change.regex), .value = std::move(before)};
}

void ConsumerGroup::count(const MemberMetadata& member, std::int64_t by) {
    member_count_ += static_cast<std::size_t>(by);
    if (member.classic) classic_count_ += static_cast<std::size_t>(by);
    count_topics(member.topics, by);
    if (!member.regex.empty()) add_to(regexes_, member.regex, by);
    if (member.assignor) add_to(assignors_, *member.assignor, by);
}

void ConsumerGroup::count_epoch(const ConsumerMember& member, std::int64_t by) {
    if (!member.metadata || !member.current || member.current->state != MemberState::stable) return;
    const auto place = settled_.try_emplace(member.current->epoch, 0).first;
    INVARIANT(by > 0 || place->second > 0, "a member is settled less than never");
    place->second += static_cast<std::size_t>(by);
    if (place->second == 0) settled_.erase(place);
}

void ConsumerGroup::count_topics(const std::vector<std::string>& topics, std::int64_t by) {
    for (const std::string& topic : topics) {
        const bool was_subscribed = subscribed_.contains(topic);
        add_to(subscribed_, topic, by);
        const bool is_subscribed = subscribed_.contains(topic);
        if (is_subscribed && !was_subscribed) subscribers_.add(topic, *this);
        if (!is_subscribed && was_subscribed) subscribers_.remove(topic, *this);
    }
}

void ConsumerGroup::hold(const std::string& member_id, const ConsumerMember& member) {
    for (const GroupPartition& one : member.held()) owners_.insert_or_assign(one, member_id);
}

/// While records are loaded that the store has too, an older owner may be told of after a newer.
void ConsumerGroup::let_go(const std::string& member_id, const ConsumerMember& member) {
    for (const GroupPartition& one : member.held()) {
        const auto found = owners_.find(one);
        if (found != owners_.end() && found->second == member_id) owners_.erase(found);
    }
}

const ConsumerMember* ConsumerGroup::find(std::string_view member_id) const {
    const auto found = members_.find(member_id);
    return found == members_.end() || !found->second.metadata ? nullptr : &found->second;
}

std::optional<std::string> ConsumerGroup::find_instance(std::string_view instance_id) const {
    const auto found = instances_.find(instance_id);
    return found == instances_.end() ? std::nullopt : std::optional(found->second);
}

const std::string* ConsumerGroup::owner(const GroupPartition& partition) const {
    const auto found = owners_.find(partition);
    return found == owners_.end() ? nullptr : &found->second;
}

std::string_view ConsumerGroup::state() const {
    if (is_empty()) return "Empty";
    if (epoch() > assignment_epoch()) return "Assigning";
    const auto settled = settled_.find(assignment_epoch());
    const std::size_t count = settled == settled_.end() ? 0 : settled->second;
    return count == member_count_ ? "Stable" : "Reconciling";
}

bool ConsumerGroup::is_settled(const ConsumerMember& member) const {
    return member.metadata && member.current && member.current->state == MemberState::stable &&
           member.current->epoch == assignment_epoch();
}

bool ConsumerGroup::has_no_records() const {
    return !epoch_ && !assignment_epoch_ && !has_partition_metadata_ && members_.empty() &&
           resolved_.empty();
}

std::vector<std::string> ConsumerGroup::topics_of(const MemberMetadata& member) const {
    const auto found = resolved_.find(member.regex);
    if (member.regex.empty() || found == resolved_.end()) return member.topics;
    std::vector<std::string> out;
    std::ranges::set_union(member.topics, found->second.topics, std::back_inserter(out));
    return out;
}

std::optional<std::string> ConsumerGroup::preferred_assignor() const {
    if (assignors_.empty()) return std::nullopt;
    return std::ranges::max_element(assignors_, {}, [](const auto& one) { return one.second; })
        ->first;
}

}  // namespace milena::coordinator
