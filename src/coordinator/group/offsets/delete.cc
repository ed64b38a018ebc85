// SPDX-License-Identifier: Apache-2.0
// OffsetDelete: a group's offsets in topics that none of its members subscribes to.
#include "../requests.h"
#include "offset_records.h"

namespace milena::coordinator {
namespace {

ErrorCode check(const Table& table, const DeleteOffsetsRequest& request) {
    if (request.group.empty()) return ErrorCode::invalid_group_id;
    if (const ClassicGroup* const group = table.find(request.group)) {
        // Of other protocols than the consumers' nobody knows what they read.
        const bool may_use_all = !group->is(GroupState::empty) && !group->is_of_consumers();
        return may_use_all ? ErrorCode::non_empty_group : ErrorCode::none;
    }
    if (table.find_consumer(request.group) != nullptr) return ErrorCode::none;
    const OtherGroup* const other = table.find_other(request.group);
    const bool is_found = other != nullptr && other->kind() != GroupKind::share;
    return is_found ? ErrorCode::none : ErrorCode::group_id_not_found;
}

bool is_subscribed(const Table& table, std::string_view group, std::string_view topic) {
    if (const ClassicGroup* const classic = table.find(group))
        return classic->is_subscribed_to(topic);
    if (const ConsumerGroup* const consumers = table.find_consumer(group))
        return consumers->is_subscribed_to(topic);
    return !table.find_other(group)->is_empty();
}

}  // namespace

void delete_offsets(Decision& decision, Ticket ticket, const DeleteOffsetsRequest& request,
                    StoredRecords stored) {
    DeleteOffsetsReply reply;
    const StoredByKey known = by_key(stored);
    reply.code = check(decision.table, request);
    if (reply.code == ErrorCode::none) {
        for (const auto& topic : request.topics) {
            auto& codes = reply.topics.emplace_back();
            if (is_subscribed(decision.table, request.group, topic.name)) {
                codes.assign(topic.partitions.size(), ErrorCode::group_subscribed_to_topic);
                continue;
            }
            for (const PartitionIndex partition : topic.partitions) {
                const OffsetKey key{request.group, topic.name, partition};
                if (decision.table.offsets.value_of(offset_key(key), known))
                    decision.write(offset_tombstone(key));
                codes.push_back(ErrorCode::none);
            }
        }
    }
    decision.answer(ticket, std::move(reply));
}

}  // namespace milena::coordinator
