// SPDX-License-Identifier: Apache-2.0
// Offsets that have been kept long enough (KIP-211), and groups without members and offsets, which
// go with them at the end of a round through the store's pages.
#include <algorithm>
#include <utility>

#include "../classic/group_records.h"
#include "../consumer/membership.h"
#include "../requests.h"
#include "expiration.h"

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
    const auto when = expires_at(decision.table, key, offset);
    return when && decision.wall_ms() >= *when;
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
            ++decision.table.round.expired_last[std::string(key->group)];
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

/// Of groups that have lost offsets in this round, or are removed.
void tell_round(Decision& decision, const std::set<std::string>& removed) {
    ExpirationRound& round = decision.table.round;
    keep_expired(round);
    for (const std::string& group : removed) round.expired.try_emplace(group, 0);
    for (const auto& [group, count] : round.expired) {
        decision.tell(OffsetsExpired{
            .group = group, .offsets = count, .is_group_removed = removed.contains(group)});
    }
}

/// More than one batch may have wait for the next round. Their names.
std::set<std::string> delete_groups_without_offsets(Decision& decision) {
    Table& table = decision.table;
    std::set<std::string> removed;
    for (const auto& [name, group] : table.classic) {
        if (decision.bytes() >= kDeletionBytesMax) return removed;
        const bool is_unused = group.is(GroupState::empty) && group.pending.empty();
        if (!is_unused || has_offsets(table, name)) continue;
        decision.write(group_tombstone(name));
        removed.insert(name);
    }
    for (auto& [name, group] : table.consumers.groups()) {
        if (decision.bytes() >= kDeletionBytesMax) return removed;
        if (!group.is_empty() || has_offsets(table, name)) continue;
        erase_group(decision, group);
        removed.insert(name);
    }
    return removed;
}

}  // namespace

void keep_expired(ExpirationRound& round) {
    for (const auto& [group, count] : round.expired_last) round.expired[group] += count;
    round.expired_last.clear();
}

std::optional<std::int64_t> expires_at(const Table& table, const OffsetKey& key,
                                       const OffsetValue& offset) {
    const auto since = unused_since(table, key, offset);
    if (!since) return std::nullopt;
    if (offset.expire_ms >= 0) return offset.expire_ms;
    const std::int64_t retention_ms = table.options.offsets_retention_ms;
    return *since > INT64_MAX - retention_ms ? INT64_MAX : *since + retention_ms;
}

std::vector<ExpiringOffsets> expiring(const Decision& decision, std::string_view group,
                                      StoredRecords stored) {
    std::vector<ExpiringOffsets> out;
    for (const RecordView& record : decision.table.offsets.with(stored, offset_prefix(group))) {
        const auto key = read_offset_key(record.key);
        if (!key || !record.value) continue;
        protocol::Arena arena;
        const auto offset = read_offset_value(*record.value, arena);
        const auto when = offset ? expires_at(decision.table, *key, *offset) : std::nullopt;
        if (!when) continue;
        const std::int64_t in_ms = *when > decision.wall_ms() ? *when - decision.wall_ms() : 0;
        if (out.empty() || out.back().topic != key->topic) {
            if (out.size() == ExpiringOffsets::kTopicsMax) break;
            out.push_back({.topic = std::string(key->topic),
                           .partitions = 0,
                           .first_in_ms = in_ms,
                           .last_in_ms = in_ms});
        }
        ExpiringOffsets& topic = out.back();
        ++topic.partitions;
        topic.first_in_ms = std::min(topic.first_in_ms, in_ms);
        topic.last_in_ms = std::max(topic.last_in_ms, in_ms);
    }
    return out;
}

void expire_offsets(Decision& decision, Ticket ticket, const ExpireOffsetsRequest& request,
                    StoredRecords stored) {
    begin_round(decision.table);
    for (const RecordView& record : stored) look_at(decision, record);
    if (request.is_last_page) {
        tell_round(decision, delete_groups_without_offsets(decision));
        decision.table.round = {};
    }
    decision.answer(ticket, ExpireOffsetsReply{});
}

}  // namespace milena::coordinator
