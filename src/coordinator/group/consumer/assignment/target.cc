// SPDX-License-Identifier: Apache-2.0
// From a group to an assignor's input, and from its outcome to records.
#include "target.h"

#include <algorithm>

#include "../membership.h"
#include "milena/base/invariant.h"

namespace milena::coordinator {
namespace {

using Ids = std::shared_ptr<const std::vector<Uuid>>;

Ids ids_of(const TopicsView& topics, const std::vector<std::string>& names) {
    std::vector<Uuid> ids;
    for (const std::string& name : names) {
        if (const auto topic = topics.find(name)) ids.push_back(topic->id);
    }
    std::ranges::sort(ids);
    return std::make_shared<const std::vector<Uuid>>(std::move(ids));
}

/// It is not the clock that was set back.
bool is_long_enough_ago(std::int64_t then_ms, std::int64_t now_ms, std::int32_t interval_ms) {
    return then_ms > now_ms || then_ms <= now_ms - interval_ms;
}

/// The member of the group that this one is now: a static one may have another id.
std::optional<std::string> now_known_as(const ConsumerGroup& group, const AssignorMember& member) {
    if (group.find(member.id) != nullptr) return member.id;
    return member.instance_id ? group.find_instance(*member.instance_id) : std::nullopt;
}

void write_assignment(Decision& decision, ConsumerGroup& group, const AssignmentWork& work) {
    const auto& members = work.input().members;
    for (std::size_t i = 0; i < members.size(); ++i) {
        const auto member_id = now_known_as(group, members[i]);
        if (!member_id) continue;
        const ConsumerMember& member = *group.find(*member_id);
        if (member.target && *member.target == work.assignment()[i]) continue;
        if (!member.target && work.assignment()[i].empty()) continue;
        decision.change(
            group,
            TargetChange{*member_id, std::make_shared<const PartitionSet>(work.assignment()[i])});
    }
    decision.change(
        group, AssignmentEpochChange{{{.epoch = work.epoch(), .assigned_ms = decision.wall_ms()}}});
}

}  // namespace

std::string assignor_of(const Table& table, const ConsumerGroup& group) {
    const auto& known = table.options.consumer.assignors;
    INVARIANT(!known.empty(), "a broker without assignors");
    const auto wish = group.preferred_assignor();
    return wish && std::ranges::find(known, *wish) != known.end() ? *wish : known.front();
}

AssignmentWork::AssignmentWork(const Table& table, const ConsumerGroup& group)
    : group_(group.name),
      epoch_(group.epoch()),
      topics_(table.consumers.shared_topics()),
      assignor_(find_assignor(assignor_of(table, group))) {
    INVARIANT(assignor_ != nullptr, "an assignor that there is not");
    std::vector<std::string> last_names;
    Ids last_ids = ids_of(*topics_, last_names);
    for (const auto& [id, member] : group.members()) {
        if (!member.metadata) continue;
        // Most say the same as the one before.
        std::vector<std::string> names = group.topics_of(*member.metadata);
        if (names != last_names) {
            last_ids = ids_of(*topics_, names);
            last_names = std::move(names);
        }
        input_.members.push_back({.id = id,
                                  .instance_id = member.metadata->instance_id,
                                  .rack_id = member.metadata->rack_id,
                                  .topics = last_ids,
                                  .had = member.target});
    }
    size_ = input_.members.size();
    for (const auto& [name, count] : group.subscribed_topics()) {
        const auto topic = topics_->find(name);
        if (!topic) continue;
        input_.topics[topic->id].partitions = topic->partitions;
        size_ += static_cast<std::size_t>(topic->partitions);
    }
}

void AssignmentWork::run() {
    const bool has_racks = std::ranges::any_of(
        input_.members, [](const AssignorMember& member) { return member.rack_id.has_value(); });
    if (assignor_->uses_racks && has_racks) {
        for (auto& [id, topic] : input_.topics) {
            for (std::int32_t index = 0; index < topic.partitions; ++index)
                topic.racks.push_back(topics_->racks(id, PartitionIndex(index)));
        }
    }
    assignment_ = assignor_->assign(input_);
    INVARIANT(assignment_.size() == input_.members.size(), "an assignment of other members");
}

void assign_if_due(Decision& decision, ConsumerGroup& group) {
    if (group.assigning != nullptr || group.epoch() <= group.assignment_epoch()) return;
    const auto interval_ms = settings_of(decision, group.name).assignment_interval_ms;
    if (!is_long_enough_ago(group.assigned_ms(), decision.wall_ms(), interval_ms)) return;
    auto work = std::make_shared<AssignmentWork>(decision.table, group);
    if (work->size() <= kAssignedInPlaceMax) {
        work->run();
        write_assignment(decision, group, *work);
        return;
    }
    group.assigning = work.get();
    decision.start(std::move(work));
}

void assigned(Decision& decision, const AssignmentWork& work) {
    ConsumerGroup* const group = decision.table.find_consumer(work.group());
    // It may be another group of the name.
    if (group == nullptr || group->assigning != &work) return;
    group->assigning = nullptr;
    if (group->assignment_epoch() >= work.epoch()) return;
    write_assignment(decision, *group, work);
}

}  // namespace milena::coordinator
