// SPDX-License-Identifier: Apache-2.0
// Offsets that have been kept long enough (KIP-211), and groups without members and offsets, which
// go with them at the end of a round through the store's pages.
#include <utility>

#include "../classic/group_records.h"
#include "../consumer/membership.h"
#include "../requests.h"
#include "offset_records.h"

namespace milena::coordinator {
namespace {

/// Since when an offset of the group counts as unused; nothing while it is in use.
std::optional<std::int64_t> unused_since(const Table& table, const OffsetKey& key,
                                         const OffsetValue& offset) {
    if (const ConsumerGroup* const consumers = table.find_consumer(key.group)) {
        const bool is_in_use = consumers->is_subscribed_to(key.topic);
        return is_in_use ? std::nullopt : std::optional(offset.commit_ms);
    }
    const ClassicGroup* const group = table.find(key.group);
    if (group == nullptr) {
        const OtherGroup* const other = table.find_other(key.group);
        if (other != nullptr && !other->is_empty()) return std::nullopt;
        return offset.commit_ms;
    }
    if (!group->protocol_type) return offset.commit_ms;
    if (group->is(GroupState::empty)) {
        if (group->is_subscribed_to(key.topic)) return std::nullopt;
        return group->state_since() < 0 ? offset.commit_ms : group->state_since();
    }
    const bool is_known_unused = group->is(GroupState::stable) && group->is_of_consumers() &&
                                 group->subscribed_topics && !group->is_subscribed_to(key.topic);
    return is_known_unused ? std::optional(offset.commit_ms) : std::nullopt;
}

bool is_expired(const Decision& decision, const OffsetKey& key, const OffsetValue& offset) {
    const auto since = unused_since(decision.table, key, offset);
    if (!since) return false;
    if (offset.expire_ms >= 0) return decision.wall_ms() >= offset.expire_ms;
    return *since <= decision.wall_ms() - decision.table.options.offsets_retention_ms;
}

void look_at(Decision& decision, const RecordView& record) {
    const auto key = read_offset_key(record.key);
    if (!key) return;
    const bool is_newer_pending = decision.table.offsets.has(as_text(record.key));
    if (!is_newer_pending && record.value) {
        protocol::Arena arena;
        const auto offset = read_offset_value(*record.value, arena);
        if (offset && is_expired(decision, *key, *offset)) {
            decision.write(Record{.key = {record.key.begin(), record.key.end()}, .value = {}});
            return;
        }
    }
    decision.table.round.kept.emplace(key->group);
}

bool has_offsets(const Table& table, const std::string& group) {
    return table.round.kept.contains(group) || table.offsets.has_any(offset_prefix(group));
}

/// A page that is decided on was read before: who has committed since is in no page of the round.
void begin_round(Table& table) {
    if (std::exchange(table.round.is_under_way, true)) return;
    for (std::string& group : table.offsets.groups()) table.round.kept.insert(std::move(group));
}

/// More than one batch may have wait for the next round.
void delete_groups_without_offsets(Decision& decision) {
    Table& table = decision.table;
    for (const auto& [name, group] : table.classic) {
        if (decision.bytes() >= kDeletionBytesMax) return;
        const bool is_unused = group.is(GroupState::empty) && group.pending.empty();
        if (is_unused && !has_offsets(table, name)) decision.write(group_tombstone(name));
    }
    for (auto& [name, group] : table.consumers.groups()) {
        if (decision.bytes() >= kDeletionBytesMax) return;
        if (group.is_empty() && !has_offsets(table, name)) erase_group(decision, group);
    }
}

}  // namespace

void expire_offsets(Decision& decision, Ticket ticket, const ExpireOffsetsRequest& request,
                    StoredRecords stored) {
    begin_round(decision.table);
    for (const RecordView& record : stored) look_at(decision, record);
    if (request.is_last_page) {
        delete_groups_without_offsets(decision);
        decision.table.round = {};
    }
    decision.answer(ticket, ExpireOffsetsReply{});
}

}  // namespace milena::coordinator
