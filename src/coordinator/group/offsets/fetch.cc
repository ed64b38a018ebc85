// SPDX-License-Identifier: Apache-2.0
// OffsetFetch: what a group has committed, of some partitions or of all. What the log has and the
// followers perhaps not yet is told too: the answer waits until they have it.
#include <fmt/format.h>

#include "../requests.h"
#include "offset_records.h"

namespace milena::coordinator {
namespace {

/// Whether the group may be asked: none is told of as one without offsets.
enum class Group : std::uint8_t { is_known, is_unknown, has_no_such_member };

Group find(const Table& table, const FetchOffsetsRequest& request) {
    if (table.find(request.group) != nullptr) return Group::is_known;
    const OtherGroup* const other = table.find_other(request.group);
    if (other == nullptr || other->kind() == GroupKind::share) return Group::is_unknown;
    const bool is_from_outside = !request.member_id && request.member_epoch < 0;
    return is_from_outside ? Group::is_known : Group::has_no_such_member;
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

void fetch_some(const Table& table, const FetchOffsetsRequest& request, bool is_known,
                StoredRecords stored, FetchOffsetsReply& reply) {
    const StoredByKey known = by_key(stored);
    for (const auto& topic : *request.topics) {
        auto& out = reply.topics.emplace_back();
        out.name = topic.name;
        out.id = topic.id;
        for (const PartitionIndex partition : topic.partitions) {
            const auto key = offset_key({request.group, topic.name, partition});
            const auto value =
                is_known ? table.offsets.value_of(key, known) : std::optional<BytesView>();
            out.partitions.push_back(value ? told(partition, *value, topic.id) : none(partition));
        }
    }
}

void fetch_all(const Table& table, const FetchOffsetsRequest& request, StoredRecords stored,
               FetchOffsetsReply& reply) {
    for (const RecordView& record : table.offsets.with(stored, offset_prefix(request.group))) {
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
    const Group group = find(decision.table, request);
    if (group == Group::has_no_such_member) {
        reply.code = ErrorCode::unknown_member_id;
    } else if (request.topics) {
        fetch_some(decision.table, request, group == Group::is_known, stored, reply);
    } else if (group == Group::is_known) {
        fetch_all(decision.table, request, stored, reply);
    }
    decision.answer(ticket, std::move(reply));
}

}  // namespace milena::coordinator
