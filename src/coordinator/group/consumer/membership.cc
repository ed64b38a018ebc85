// SPDX-License-Identifier: Apache-2.0
// Who is in a consumer group, and what follows from a change of it.
#include "membership.h"

#include <algorithm>

#include <fmt/format.h>

#include "../history/consumer_history.h"
#include "assignment/reconcile.h"
#include "metadata_hash.h"
#include "milena/base/invariant.h"

namespace milena::coordinator {
namespace {

/// Topic ids that a member subscribes to, by their names.
class Subscription {
public:
    Subscription(const Table& table, const ConsumerGroup& group, const MemberMetadata& metadata)
        : topics_(table.consumers.topics()), names_(group.topics_of(metadata)) {}

    bool has(Uuid topic) const {
        const auto found = topics_.find(topic);
        return found && std::ranges::binary_search(names_, found->name);
    }

private:
    const TopicsView& topics_;
    const std::vector<std::string> names_;
};

PartitionSet within(const PartitionSet& wanted, const Subscription& subscription) {
    PartitionSet out;
    Uuid topic;
    bool has_topic = false;
    for (const GroupPartition& one : wanted) {
        if (out.empty() || one.topic != topic) {
            topic = one.topic;
            has_topic = subscription.has(topic);
        }
        if (has_topic) out.push_back(one);
    }
    return out;
}

void set_rebalance_timer(Decision& decision, const ConsumerGroup& group,
                         const std::string& member_id) {
    const ConsumerMember& member = *group.find(member_id);
    ConsumerTable& consumers = decision.table.consumers;
    if (member.current->state == MemberState::unrevoked) {
        consumers.set(
            &MemberTimers::rebalance,
            {.kind = Due::Kind::consumer_rebalance, .group = group.name, .member_id = member_id},
            decision.in_ms(member.metadata->rebalance_timeout_ms));
    } else {
        consumers.cancel(&MemberTimers::rebalance, group.name, member_id);
    }
}

/// What was given to a process that is gone counts as given to the next from the beginning.
OwnedSet without_epochs(OwnedSet owned) {
    for (OwnedPartition& one : owned) one.since_epoch = 0;
    return owned;
}

}  // namespace

ConsumerSettings settings_of(const Decision& decision, std::string_view group) {
    const Table& table = decision.table;
    return table.consumers.topics().settings(group, table.options.consumer.settings);
}

Result<const ConsumerMember*> find_member(const ConsumerGroup& group,
                                          const ClaimedMember& claimed) {
    if (claimed.instance_id) {
        const auto holder = group.find_instance(*claimed.instance_id);
        if (!holder) {
            return fail(ErrorCode::unknown_member_id,
                        fmt::format("Instance id {} is unknown.", *claimed.instance_id));
        }
        if (*holder != claimed.member_id) {
            return fail(ErrorCode::fenced_instance_id,
                        fmt::format("Static member {} with instance id {} was fenced by member {}.",
                                    claimed.member_id, *claimed.instance_id, *holder));
        }
    }
    const ConsumerMember* const member = group.find(claimed.member_id);
    if (member == nullptr) {
        return fail(
            ErrorCode::unknown_member_id,
            fmt::format("Member {} is not a member of group {}.", claimed.member_id, group.name));
    }
    return member;
}

Result<void> check_room(const Table& table, const ConsumerGroup& group,
                        const ClaimedMember& claimed) {
    const std::int32_t most = table.options.consumer.max_size;
    const bool has_place = group.find(claimed.member_id) != nullptr ||
                           (claimed.instance_id && group.find_instance(*claimed.instance_id));
    if (has_place || std::cmp_less(group.member_count(), most)) return ok();
    return fail(
        ErrorCode::group_max_size_reached,
        fmt::format("The consumer group has reached its maximum capacity of {} members.", most));
}

void replace_static(Decision& decision, ConsumerGroup& group, const std::string& old_id,
                    const std::string& new_id) {
    const ConsumerMember before = *group.find(old_id);
    decision.change(group, CurrentChange{old_id, std::nullopt});
    decision.change(group, TargetChange{old_id, nullptr});
    decision.change(group, MetadataChange{old_id, std::nullopt});
    decision.table.consumers.cancel_all(group.name, old_id);

    MemberCurrent current;
    current.previous_epoch = before.current ? before.current->previous_epoch : 0;
    if (before.current) current.assigned = without_epochs(before.current->assigned);
    decision.change(group, MetadataChange{new_id, before.metadata});
    decision.change(group, TargetChange{new_id, before.target ? before.target
                                                              : std::make_shared<PartitionSet>()});
    decision.change(group, CurrentChange{new_id, std::move(current)});
}

bool update_metadata(Decision& decision, ConsumerGroup& group, const std::string& member_id,
                     MemberMetadata metadata) {
    const ConsumerMember* const member = group.find(member_id);
    const MemberMetadata before = member == nullptr ? MemberMetadata() : *member->metadata;
    if (member != nullptr && before == metadata) return false;
    const bool has_other_regex = before.regex != metadata.regex;
    const bool is_resolved = metadata.regex.empty() || group.resolved().contains(metadata.regex);
    const bool has_changed = before.topics != metadata.topics ||
                             before.assignor != metadata.assignor ||
                             (member != nullptr && before.rack_id != metadata.rack_id) ||
                             (has_other_regex && is_resolved);
    decision.change(group, MetadataChange{member_id, std::move(metadata)});
    if (has_other_regex) drop_unused_regexes(decision, group);
    return has_changed;
}

void drop_unused_regexes(Decision& decision, ConsumerGroup& group) {
    std::vector<std::string> unused;
    for (const auto& [regex, resolved] : group.resolved()) {
        if (!group.regexes().contains(regex)) unused.push_back(regex);
    }
    for (std::string& regex : unused)
        decision.change(group, RegexChange{std::move(regex), std::nullopt});
}

void advance_epoch(Decision& decision, ConsumerGroup& group, std::optional<RebalanceReason> why) {
    if (!why && !group.has_stale_metadata) return;
    const std::int64_t hash = metadata_hash(decision.table.consumers, group);
    group.has_stale_metadata = false;
    if (!why && hash == group.metadata_hash()) return;
    decision.change(group, GroupEpochChange{{{.epoch = group.epoch() + 1, .metadata_hash = hash}}});
    note_begun(decision, group,
               std::move(why).value_or(RebalanceReason{.cause = RebalanceCause::topics_changed}));
}

void reconcile_member(Decision& decision, ConsumerGroup& group, const std::string& member_id,
                      const Said& said, bool has_changed) {
    const ConsumerMember& member = *group.find(member_id);
    const MemberCurrent current = member.current.value_or(MemberCurrent());
    const bool rests = member.current && current.state == MemberState::stable &&
                       current.epoch == group.assignment_epoch();
    if (rests && !has_changed) return;
    const Subscription subscription(decision.table, group, *member.metadata);
    const PartitionSet wanted = within(member.wanted(), subscription);
    const auto is_free = [&](const GroupPartition& one) {
        const std::string* const owner = group.owner(one);
        return owner == nullptr || *owner == member_id;
    };
    MemberCurrent next = reconcile({.current = current,
                                    .assignment_epoch = group.assignment_epoch(),
                                    .wanted = wanted,
                                    .is_subscribed = [&](Uuid id) { return subscription.has(id); },
                                    .owned = said.owned,
                                    .said_epoch = said.epoch,
                                    .is_free = is_free});
    // Records that were lost may have left it ahead.
    INVARIANT(next.epoch <= std::max(group.assignment_epoch(), current.epoch),
              "a member goes ahead of its assignment");
    if (member.current && next == current) return;
    decision.change(group, CurrentChange{member_id, std::move(next)});
    set_rebalance_timer(decision, group, member_id);
}

void extend_consumer_session(Decision& decision, const ConsumerGroup& group,
                             const std::string& member_id) {
    const ConsumerMember& member = *group.find(member_id);
    const std::int32_t timeout_ms = member.is_classic()
                                        ? member.metadata->classic->session_timeout_ms
                                        : settings_of(decision, group.name).session_timeout_ms;
    decision.table.consumers.set(
        &MemberTimers::session,
        {.kind = Due::Kind::consumer_session, .group = group.name, .member_id = member_id},
        decision.in_ms(timeout_ms));
}

void begin_sessions(Decision& decision, const ConsumerGroup& group) {
    for (const auto& [id, member] : group.members()) {
        if (!member.metadata) continue;
        extend_consumer_session(decision, group, id);
        if (member.current) set_rebalance_timer(decision, group, id);
    }
}

void after_failure(Decision& decision, const std::string& group_name,
                   const std::string& member_id) {
    const ConsumerGroup* const group = decision.table.find_consumer(group_name);
    if (group == nullptr || group->find(member_id) == nullptr) {
        decision.table.consumers.cancel_all(group_name, member_id);
        return;
    }
    extend_consumer_session(decision, *group, member_id);
    if (group->find(member_id)->current) set_rebalance_timer(decision, *group, member_id);
}

void erase_group(Decision& decision, ConsumerGroup& group) {
    const auto parts = [&](auto has, auto gone) {
        std::vector<std::string> ids;
        for (const auto& [id, member] : group.members()) {
            if (has(member)) ids.push_back(id);
        }
        for (std::string& id : ids) decision.change(group, gone(std::move(id)));
    };
    parts([](const ConsumerMember& one) { return one.current.has_value(); },
          [](std::string id) { return CurrentChange{std::move(id), std::nullopt}; });
    parts([](const ConsumerMember& one) { return one.target != nullptr; },
          [](std::string id) { return TargetChange{std::move(id), nullptr}; });
    if (group.has_assignment_epoch_record())
        decision.change(group, AssignmentEpochChange{std::nullopt});
    parts([](const ConsumerMember& one) { return one.metadata.has_value(); },
          [](std::string id) { return MetadataChange{std::move(id), std::nullopt}; });
    drop_unused_regexes(decision, group);
    if (group.has_partition_metadata()) decision.change(group, PartitionMetadataChange{false});
    if (group.has_epoch_record()) decision.change(group, GroupEpochChange{std::nullopt});
}

}  // namespace milena::coordinator
