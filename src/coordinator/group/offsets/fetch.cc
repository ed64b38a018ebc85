// SPDX-License-Identifier: Apache-2.0
// OffsetFetch: what a group has committed, of some partitions or of all. What the log has and the
// followers perhaps not yet is told too: the answer waits until they have it.
#include "../consumer/offsets.h"
#include "../requests.h"
#include "offset_records.h"

namespace milena::coordinator {
namespace {

/// Metadata of one answer: who names a partition again and again has it told as often.
constexpr std::size_t kMetadataBytesMax = 64UL << 20;

/// Whether the group may be asked; GROUP_ID_NOT_FOUND: there is none, which is told of as one
/// without offsets.
ErrorCode check(const Table& table, const FetchOffsetsRequest& request) {
    if (table.find(request.group) != nullptr) return ErrorCode::none;
    if (const ConsumerGroup* const consumers = table.find_consumer(request.group))
        return check_fetch(*consumers, request);
    const OtherGroup* const other = table.find_other(request.group);
    if (other == nullptr || other->kind() == GroupKind::share) return ErrorCode::group_id_not_found;
    const bool is_from_outside = !request.member_id && request.member_epoch < 0;
    return is_from_outside ? ErrorCode::none : ErrorCode::unknown_member_id;
}

CommittedOffset none(PartitionIndex partition) {
    CommittedOffset offset;
    offset.partition = partition;
    return offset;
}

CommittedOffset told(PartitionIndex partition, BytesView value, Uuid asked_id) {
    protocol::Arena arena;
    const auto read = read_offset_value(value, arena);
    // One that can't be read is as good as none.
    if (!read) return none(partition);
    // It was committed in a topic that had the name before.
    const bool is_of_another =
        !read->topic_id.is_zero() && !asked_id.is_zero() && read->topic_id != asked_id;
    if (is_of_another) return none(partition);
    CommittedOffset offset = none(partition);
    offset.offset = read->offset;
    offset.leader_epoch = read->leader_epoch;
    offset.metadata = read->metadata;
    return offset;
}

void refuse(FetchOffsetsReply& reply) {
    reply.topics.clear();
    reply.code = ErrorCode::policy_violation;
}

void fetch_some(const Table& table, const FetchOffsetsRequest& request, bool is_known,
                StoredRecords stored, FetchOffsetsReply& reply) {
    const StoredByKey known = by_key(stored);
    std::size_t metadata_bytes = 0;
    for (const auto& topic : *request.topics) {
        auto& out = reply.topics.emplace_back();
        out.name = topic.name;
        out.id = topic.id;
        for (const PartitionIndex partition : topic.partitions) {
            auto& offset = out.partitions.emplace_back(none(partition));
            if (!is_known) continue;
            const auto key = offset_key({request.group, topic.name, partition});
            const auto value = table.offsets.value_of(key, known);
            if (value) offset = told(partition, *value, topic.id);
            metadata_bytes += offset.metadata.size();
            if (metadata_bytes > kMetadataBytesMax) return refuse(reply);
        }
    }
}

void fetch_all(const Table& table, const FetchOffsetsRequest& request, StoredRecords stored,
               FetchOffsetsReply& reply) {
    std::size_t bytes = 0;
    for (const RecordView& record : table.offsets.with(stored, offset_prefix(request.group))) {
        bytes += record.value->size();
        if (bytes > kMetadataBytesMax) return refuse(reply);
        const auto key = read_offset_key(record.key);
        if (!key) continue;
        if (reply.topics.empty() || reply.topics.back().name != key->topic) {
            auto& topic = reply.topics.emplace_back();
            topic.name = key->topic;
        }
        reply.topics.back().partitions.push_back(told(key->partition, *record.value, {}));
    }
}

}  // namespace

void fetch_offsets(Decision& decision, Ticket ticket, const FetchOffsetsRequest& request,
                   StoredRecords stored) {
    FetchOffsetsReply reply;
    const ErrorCode code = check(decision.table, request);
    const bool is_known = code == ErrorCode::none;
    if (!is_known && code != ErrorCode::group_id_not_found) {
        reply.code = code;
    } else if (request.topics) {
        fetch_some(decision.table, request, is_known, stored, reply);
    } else if (is_known) {
        fetch_all(decision.table, request, stored, reply);
    }
    decision.answer(ticket, std::move(reply));
}

}  // namespace milena::coordinator
