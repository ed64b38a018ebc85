// SPDX-License-Identifier: Apache-2.0
// From a classic group to one of the consumer protocol. Its members go on with what they have; at
// their next heartbeat they hear that they have to join again.
#include <fmt/format.h>

#include <algorithm>

#include "../../classic/group_records.h"
#include "../../rebalance.h"
#include "../membership.h"
#include "../metadata_hash.h"
#include "consumer_protocol.h"
#include "migration.h"

namespace milena::coordinator {
namespace {

Error cannot(const ClassicGroup& group, std::string_view why) {
    return {ErrorCode::group_id_not_found,
            fmt::format("Cannot upgrade the classic group {} to consumer group because {}",
                        group.name, why)};
}

/// A member of the classic group as it will be.
struct Converted {
    std::string id;
    MemberMetadata metadata;
    PartitionSet has;
};

Result<Converted> converted(const Table& table, const ClassicGroup& group, const Member& member) {
    const TopicsView& topics = table.consumers.topics();
    const Bytes* const metadata =
        group.protocol_name ? member.metadata(*group.protocol_name) : nullptr;
    const Bytes* const told = metadata != nullptr || member.protocols.empty()
                                  ? metadata
                                  : &member.protocols.front().metadata;
    const auto subscription = told == nullptr ? std::nullopt : read_consumer_subscription(*told);
    const auto assignment = read_consumer_assignment(member.assignment);
    if (!subscription || !assignment) {
        return std::unexpected(cannot(group, "the embedded consumer protocol is malformed."));
    }
    if (assignment->has_user_data) {
        return std::unexpected(cannot(group,
                                      "an unsupported custom assignor is in use. Please refer to "
                                      "the documentation or switch to a default assignor before "
                                      "re-attempting the upgrade."));
    }
    Converted out{.id = member.id, .metadata = {}, .has = {}};
    out.metadata.instance_id = member.instance_id;
    out.metadata.rack_id = subscription->rack;
    out.metadata.client_id = member.client_id;
    out.metadata.client_host = member.client_host;
    out.metadata.topics = subscription->topics;
    std::ranges::sort(out.metadata.topics);
    const auto twice = std::ranges::unique(out.metadata.topics);
    out.metadata.topics.erase(twice.begin(), twice.end());
    out.metadata.rebalance_timeout_ms = member.rebalance_timeout_ms;
    out.metadata.classic = ClassicSide{member.session_timeout_ms, member.protocols};
    out.has = partitions_of(with_ids(assignment->partitions, topics));
    return out;
}

/// Two that were assigned the same partition by their leader: the first keeps it.
void part(std::vector<Converted>& members) {
    std::map<GroupPartition, bool> taken;
    for (Converted& member : members) {
        std::erase_if(member.has, [&](const GroupPartition& one) {
            return !taken.try_emplace(one, true).second;
        });
    }
}

MemberCurrent current_of(const Converted& member, std::int32_t epoch) {
    MemberCurrent current;
    current.epoch = epoch;
    current.previous_epoch = epoch;
    for (const GroupPartition& one : member.has) current.assigned.push_back({one, epoch});
    return current;
}

void write(Decision& decision, ConsumerGroup& group, std::vector<Converted> members,
           std::int32_t epoch) {
    for (const Converted& member : members)
        decision.change(group, MetadataChange{member.id, member.metadata});
    decision.change(
        group,
        GroupEpochChange{
            {{.epoch = epoch, .metadata_hash = metadata_hash(decision.table.consumers, group)}}});
    group.has_stale_metadata = false;
    for (const Converted& member : members) {
        decision.change(group,
                        TargetChange{member.id, std::make_shared<const PartitionSet>(member.has)});
    }
    decision.change(group, AssignmentEpochChange{{{.epoch = epoch, .assigned_ms = 0}}});
    for (const Converted& member : members)
        decision.change(group, CurrentChange{member.id, current_of(member, epoch)});
    begin_sessions(decision, group);
}

}  // namespace

Error not_of_consumers(std::string_view group) {
    return {ErrorCode::group_id_not_found, fmt::format("Group {} is not a consumer group.", group)};
}

Result<ConsumerGroup*> consumer_group_of(Table& table, std::string_view group) {
    if (ConsumerGroup* const found = table.find_consumer(group)) return found;
    if (table.find(group) != nullptr || table.find_other(group) != nullptr)
        return std::unexpected(not_of_consumers(group));
    return fail(ErrorCode::group_id_not_found, fmt::format("Consumer group {} not found.", group));
}

Result<ConsumerGroup*> upgraded(Decision& decision, ClassicGroup& classic) {
    Table& table = decision.table;
    std::vector<Converted> members;
    if (!classic.is(GroupState::empty)) {
        if (!table.options.consumer.may_upgrade || !classic.is_of_consumers())
            return std::unexpected(not_of_consumers(classic.name));
        if (std::cmp_greater_equal(classic.members().size(), table.options.consumer.max_size)) {
            return std::unexpected(
                cannot(classic, "it has more members than a consumer group may have."));
        }
        for (const auto& [id, member] : classic.members()) {
            TRY(auto one, converted(table, classic, member));
            members.push_back(std::move(one));
        }
        part(members);
    }
    decision.write(group_tombstone(classic.name));
    ConsumerGroup& group = table.consumers.make(classic.name);
    if (members.empty()) return &group;
    for (auto& [id, member] : classic.members()) {
        tell_waiting(decision, member, ErrorCode::rebalance_in_progress,
                     ErrorCode::rebalance_in_progress);
    }
    write(decision, group, std::move(members), classic.generation);
    return &group;
}

}  // namespace milena::coordinator
