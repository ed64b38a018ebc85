// SPDX-License-Identifier: Apache-2.0
// From records to changes.
#include <algorithm>

#include <fmt/format.h>

#include "../../epochs.h"
#include "milena/protocol/records/group.h"
#include "records.h"

namespace milena::coordinator {
namespace {

using protocol::Arena;
using protocol::Array;
using protocol::ConsumerGroupCurrentMemberAssignmentKey;
using protocol::ConsumerGroupCurrentMemberAssignmentValue;
using protocol::ConsumerGroupMemberMetadataKey;
using protocol::ConsumerGroupMemberMetadataValue;
using protocol::ConsumerGroupMetadataKey;
using protocol::ConsumerGroupMetadataValue;
using protocol::ConsumerGroupPartitionMetadataKey;
using protocol::ConsumerGroupRegularExpressionKey;
using protocol::ConsumerGroupRegularExpressionValue;
using protocol::ConsumerGroupTargetAssignmentMemberKey;
using protocol::ConsumerGroupTargetAssignmentMemberValue;
using protocol::ConsumerGroupTargetAssignmentMetadataKey;
using protocol::ConsumerGroupTargetAssignmentMetadataValue;
using protocol::NullableString;

std::optional<std::string> owned(const NullableString& text) {
    return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::vector<std::string> owned(const Array<std::string_view>& texts) {
    std::vector<std::string> out(texts.begin(), texts.end());
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

template <class Topics>
PartitionSet set_of(const Topics& topics) {
    PartitionSet out;
    for (const auto& topic : topics) {
        for (const std::int32_t index : topic.partitions)
            out.push_back({topic.topic_id, PartitionIndex(index)});
    }
    std::ranges::sort(out);
    out.erase(std::ranges::unique(out).begin(), out.end());
    return out;
}

/// Partitions whose epochs were not written (before 4.4) count as given at the member's.
template <class Topics>
OwnedSet owned_of(const Topics& topics, std::int32_t member_epoch) {
    OwnedSet out;
    for (const auto& topic : topics) {
        const auto& epochs = topic.assignment_epochs;
        for (std::size_t i = 0; i < topic.partitions.size(); ++i) {
            const bool is_known = epochs.has_value() && i < epochs.size();
            out.push_back({{topic.topic_id, PartitionIndex(topic.partitions[i])},
                           is_known ? epochs[i] : member_epoch});
        }
    }
    std::ranges::sort(out, {},
                      [](const OwnedPartition& one) { return std::pair(one.at, one.since_epoch); });
    const auto twice = std::ranges::unique(out, {}, &OwnedPartition::at);
    out.erase(twice.begin(), twice.end());
    return out;
}

template <class Value>
Result<std::optional<Value>> value_of(const RecordView& record, Arena& arena) {
    if (!record.value) return std::nullopt;
    TRY(auto value, decode_after_number<Value>(*record.value, arena));
    return std::optional<Value>(std::move(value));
}

Result<ConsumerRecord> read_epoch(const RecordView& record, Arena& arena) {
    TRY(const auto key, decode_after_number<ConsumerGroupMetadataKey>(record.key, arena));
    TRY(const auto value, value_of<ConsumerGroupMetadataValue>(record, arena));
    if (value && value->epoch > kLoadedEpochMax)
        return fail(ErrorCode::corrupt_message, "an epoch that no group comes to");
    GroupEpochChange change;
    if (value) change.value = {value->epoch, value->metadata_hash};
    return ConsumerRecord{std::string(key.group_id), change};
}

Result<ConsumerRecord> read_partition_metadata(const RecordView& record, Arena& arena) {
    TRY(const auto key, decode_after_number<ConsumerGroupPartitionMetadataKey>(record.key, arena));
    return ConsumerRecord{std::string(key.group_id),
                          PartitionMetadataChange{record.value.has_value()}};
}

Result<ConsumerRecord> read_assignment_epoch(const RecordView& record, Arena& arena) {
    TRY(const auto key,
        decode_after_number<ConsumerGroupTargetAssignmentMetadataKey>(record.key, arena));
    TRY(const auto value, value_of<ConsumerGroupTargetAssignmentMetadataValue>(record, arena));
    AssignmentEpochChange change;
    if (value) change.value = {value->assignment_epoch, value->assignment_timestamp};
    return ConsumerRecord{std::string(key.group_id), change};
}

MemberMetadata metadata_of(const ConsumerGroupMemberMetadataValue& value) {
    MemberMetadata out;
    out.instance_id = owned(value.instance_id);
    out.rack_id = owned(value.rack_id);
    out.client_id = value.client_id;
    out.client_host = value.client_host;
    out.topics = owned(value.subscribed_topic_names);
    out.regex = value.subscribed_topic_regex.value_or("");
    out.rebalance_timeout_ms = value.rebalance_timeout_ms;
    out.assignor = owned(value.server_assignor);
    if (!value.classic_member_metadata) return out;
    ClassicSide& classic = out.classic.emplace();
    classic.session_timeout_ms = value.classic_member_metadata->session_timeout_ms;
    for (const auto& protocol : value.classic_member_metadata->supported_protocols) {
        classic.protocols.push_back(
            {std::string(protocol.name), {protocol.metadata.begin(), protocol.metadata.end()}});
    }
    return out;
}

Result<ConsumerRecord> read_metadata(const RecordView& record, Arena& arena) {
    TRY(const auto key, decode_after_number<ConsumerGroupMemberMetadataKey>(record.key, arena));
    TRY(const auto value, value_of<ConsumerGroupMemberMetadataValue>(record, arena));
    MetadataChange change{.member_id = std::string(key.member_id), .value = {}};
    if (value) change.value = metadata_of(*value);
    return ConsumerRecord{std::string(key.group_id), std::move(change)};
}

Result<ConsumerRecord> read_target(const RecordView& record, Arena& arena) {
    TRY(const auto key,
        decode_after_number<ConsumerGroupTargetAssignmentMemberKey>(record.key, arena));
    TRY(const auto value, value_of<ConsumerGroupTargetAssignmentMemberValue>(record, arena));
    TargetChange change{.member_id = std::string(key.member_id), .value = {}};
    if (value) change.value = std::make_shared<const PartitionSet>(set_of(value->topic_partitions));
    return ConsumerRecord{std::string(key.group_id), std::move(change)};
}

MemberState state_of(std::int8_t number) {
    const auto state = static_cast<MemberState>(number);
    switch (state) {
        case MemberState::stable:
        case MemberState::unrevoked:
        case MemberState::unreleased: return state;
        case MemberState::unknown: break;
    }
    return MemberState::unknown;
}

Result<ConsumerRecord> read_current(const RecordView& record, Arena& arena) {
    TRY(const auto key,
        decode_after_number<ConsumerGroupCurrentMemberAssignmentKey>(record.key, arena));
    TRY(const auto value, value_of<ConsumerGroupCurrentMemberAssignmentValue>(record, arena));
    CurrentChange change{.member_id = std::string(key.member_id), .value = {}};
    if (value) {
        MemberCurrent& current = change.value.emplace();
        current.epoch = value->member_epoch;
        current.previous_epoch = value->previous_member_epoch;
        current.state = state_of(value->state);
        current.assigned = owned_of(value->assigned_partitions, current.epoch);
        current.revoking = owned_of(value->partitions_pending_revocation, current.epoch);
    }
    return ConsumerRecord{std::string(key.group_id), std::move(change)};
}

Result<ConsumerRecord> read_regex(const RecordView& record, Arena& arena) {
    TRY(const auto key, decode_after_number<ConsumerGroupRegularExpressionKey>(record.key, arena));
    TRY(const auto value, value_of<ConsumerGroupRegularExpressionValue>(record, arena));
    RegexChange change{.regex = std::string(key.regular_expression), .value = {}};
    if (value) change.value = ResolvedRegex{owned(value->topics), value->version, value->timestamp};
    return ConsumerRecord{std::string(key.group_id), std::move(change)};
}

}  // namespace

bool is_of_consumer_group(std::int16_t type) {
    constexpr std::int16_t kFirst = 3;
    constexpr std::int16_t kLast = 8;
    return (type >= kFirst && type <= kLast) || type == ConsumerGroupRegularExpressionKey::kKey;
}

Result<ConsumerRecord> read_consumer_record(const RecordView& record) {
    Arena arena;
    switch (leading_number(record.key).value_or(-1)) {
        case ConsumerGroupMetadataKey::kKey: return read_epoch(record, arena);
        case ConsumerGroupPartitionMetadataKey::kKey: return read_partition_metadata(record, arena);
        case ConsumerGroupMemberMetadataKey::kKey: return read_metadata(record, arena);
        case ConsumerGroupTargetAssignmentMetadataKey::kKey:
            return read_assignment_epoch(record, arena);
        case ConsumerGroupTargetAssignmentMemberKey::kKey: return read_target(record, arena);
        case ConsumerGroupCurrentMemberAssignmentKey::kKey: return read_current(record, arena);
        case ConsumerGroupRegularExpressionKey::kKey: return read_regex(record, arena);
        default: return fail(ErrorCode::corrupt_message, "this is no record of a consumer group");
    }
}

}  // namespace milena::coordinator
