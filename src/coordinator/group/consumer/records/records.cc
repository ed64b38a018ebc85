// SPDX-License-Identifier: Apache-2.0
// From changes to records. The way back is in read_records.cc.
#include "records.h"

#include "milena/base/invariant.h"
#include "milena/protocol/records/group.h"

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
using protocol::ConsumerGroupPartitionMetadataValue;
using protocol::ConsumerGroupRegularExpressionKey;
using protocol::ConsumerGroupRegularExpressionValue;
using protocol::ConsumerGroupTargetAssignmentMemberKey;
using protocol::ConsumerGroupTargetAssignmentMemberValue;
using protocol::ConsumerGroupTargetAssignmentMetadataKey;
using protocol::ConsumerGroupTargetAssignmentMetadataValue;
using protocol::NullableString;

constexpr std::int16_t kVersion = 0;

NullableString nullable(const std::optional<std::string>& text) {
    return text ? NullableString(*text) : NullableString();
}

/// Elements of a topic's array, in an arena.
template <class Topic, class Partitions>
std::span<Topic> topics_in(Arena& arena, const Partitions& partitions) {
    std::size_t count = 0;
    const Uuid* last = nullptr;
    for (const auto& one : partitions) {
        if (last == nullptr || *last != one.topic) ++count;
        last = &one.topic;
    }
    auto topics = arena.make_array<Topic>(count);
    std::size_t at = 0;
    for (std::size_t begin = 0; begin < partitions.size(); ++at) {
        std::size_t end = begin;
        while (end < partitions.size() && partitions[end].topic == partitions[begin].topic) ++end;
        auto indexes = arena.make_array<std::int32_t>(end - begin);
        for (std::size_t i = begin; i < end; ++i) indexes[i - begin] = partitions[i].index.value;
        topics[at].topic_id = partitions[begin].topic;
        topics[at].partitions = indexes;
        begin = end;
    }
    return topics;
}

using OwnedTopic = ConsumerGroupCurrentMemberAssignmentValue::TopicPartitions;

std::span<OwnedTopic> owned_in(Arena& arena, const OwnedSet& owned) {
    const auto topics = topics_in<OwnedTopic>(arena, partitions_of(owned));
    std::size_t next = 0;
    for (OwnedTopic& topic : topics) {
        auto epochs = arena.make_array<std::int32_t>(topic.partitions.size());
        for (std::int32_t& epoch : epochs) epoch = owned[next++].since_epoch;
        topic.assignment_epochs = Array<std::int32_t>(epochs);
    }
    return topics;
}

template <class Key, class Value>
Record made(const Key& key, const Value* value) {
    auto record = value != nullptr ? make_record(key, *value, kVersion) : make_tombstone(key);
    INVARIANT(record.has_value(), "a consumer group's record that can't be written");
    return *std::move(record);
}

Record record_of(std::string_view group, const GroupEpochChange& change) {
    ConsumerGroupMetadataValue value;
    if (change.value) {
        value.epoch = change.value->epoch;
        value.metadata_hash = change.value->metadata_hash;
    }
    return made(ConsumerGroupMetadataKey{.group_id = group}, change.value ? &value : nullptr);
}

Record record_of(std::string_view group, const AssignmentEpochChange& change) {
    ConsumerGroupTargetAssignmentMetadataValue value;
    if (change.value) {
        value.assignment_epoch = change.value->epoch;
        value.assignment_timestamp = change.value->assigned_ms;
    }
    return made(ConsumerGroupTargetAssignmentMetadataKey{.group_id = group},
                change.value ? &value : nullptr);
}

using MetadataValue = ConsumerGroupMemberMetadataValue;

MetadataValue::ClassicMemberMetadata classic_in(Arena& arena, const ClassicSide& side) {
    auto protocols = arena.make_array<MetadataValue::ClassicProtocol>(side.protocols.size());
    for (std::size_t i = 0; i < protocols.size(); ++i) {
        protocols[i].name = side.protocols[i].name;
        protocols[i].metadata = BytesView(side.protocols[i].metadata);
    }
    MetadataValue::ClassicMemberMetadata out;
    out.session_timeout_ms = side.session_timeout_ms;
    out.supported_protocols = protocols;
    return out;
}

Record record_of(std::string_view group, const MetadataChange& change) {
    const ConsumerGroupMemberMetadataKey key{.group_id = group, .member_id = change.member_id};
    if (!change.value) return made<decltype(key), MetadataValue>(key, nullptr);
    const MemberMetadata& member = *change.value;
    Arena arena;
    auto topics = arena.make_array<std::string_view>(member.topics.size());
    for (std::size_t i = 0; i < topics.size(); ++i) topics[i] = member.topics[i];
    MetadataValue value;
    value.instance_id = nullable(member.instance_id);
    value.rack_id = nullable(member.rack_id);
    value.client_id = member.client_id;
    value.client_host = member.client_host;
    value.subscribed_topic_names = topics;
    value.subscribed_topic_regex = member.regex;
    value.rebalance_timeout_ms = member.rebalance_timeout_ms;
    value.server_assignor = nullable(member.assignor);
    if (member.classic) value.classic_member_metadata = classic_in(arena, *member.classic);
    return made(key, &value);
}

Record record_of(std::string_view group, const TargetChange& change) {
    const ConsumerGroupTargetAssignmentMemberKey key{.group_id = group,
                                                     .member_id = change.member_id};
    using Value = ConsumerGroupTargetAssignmentMemberValue;
    if (!change.value) return made<decltype(key), Value>(key, nullptr);
    Arena arena;
    Value value;
    value.topic_partitions = topics_in<Value::TopicPartition>(arena, *change.value);
    return made(key, &value);
}

Record record_of(std::string_view group, const CurrentChange& change) {
    const ConsumerGroupCurrentMemberAssignmentKey key{.group_id = group,
                                                      .member_id = change.member_id};
    using Value = ConsumerGroupCurrentMemberAssignmentValue;
    if (!change.value) return made<decltype(key), Value>(key, nullptr);
    Arena arena;
    Value value;
    value.member_epoch = change.value->epoch;
    value.previous_member_epoch = change.value->previous_epoch;
    value.state = static_cast<std::int8_t>(change.value->state);
    value.assigned_partitions = owned_in(arena, change.value->assigned);
    value.partitions_pending_revocation = owned_in(arena, change.value->revoking);
    return made(key, &value);
}

Record record_of(std::string_view group, const RegexChange& change) {
    const ConsumerGroupRegularExpressionKey key{.group_id = group,
                                                .regular_expression = change.regex};
    using Value = ConsumerGroupRegularExpressionValue;
    if (!change.value) return made<decltype(key), Value>(key, nullptr);
    Arena arena;
    auto topics = arena.make_array<std::string_view>(change.value->topics.size());
    for (std::size_t i = 0; i < topics.size(); ++i) topics[i] = change.value->topics[i];
    Value value;
    value.topics = topics;
    value.version = change.value->version;
    value.timestamp = change.value->resolved_ms;
    return made(key, &value);
}

Record record_of(std::string_view group, const PartitionMetadataChange& change) {
    INVARIANT(!change.is_there, "metadata of partitions is not written any more");
    return made<ConsumerGroupPartitionMetadataKey, ConsumerGroupPartitionMetadataValue>(
        {.group_id = group}, nullptr);
}

}  // namespace

Record record_of(std::string_view group, const ConsumerChange& change) {
    return std::visit([&](const auto& one) { return record_of(group, one); }, change);
}

}  // namespace milena::coordinator
