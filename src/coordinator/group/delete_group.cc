// SPDX-License-Identifier: Apache-2.0
// DeleteGroups, of one group that nobody is in: its offsets go, then itself. What it commits while
// many batches of offsets go is deleted with it, or, if it comes into the store behind the page
// that is looked at, expires.
#include <vector>

#include "classic/group_records.h"
#include "consumer/membership.h"
#include "offsets/offset_records.h"
#include "requests.h"

namespace milena::coordinator {
namespace {

bool is_empty(const Table& table, std::string_view name) {
    const ClassicGroup* const group = table.find(name);
    const ConsumerGroup* const consumers = table.find_consumer(name);
    const OtherGroup* const other = table.find_other(name);
    return (group == nullptr || group->is(GroupState::empty)) &&
           (consumers == nullptr || consumers->is_empty()) &&
           (other == nullptr || other->is_empty());
}

ErrorCode check(const Table& table, std::string_view name) {
    const bool is_known = table.find(name) != nullptr || table.find_consumer(name) != nullptr ||
                          table.find_other(name) != nullptr;
    if (!is_known) return ErrorCode::group_id_not_found;
    return is_empty(table, name) ? ErrorCode::none : ErrorCode::non_empty_group;
}

/// What of the group's offsets is on this page; with the last one, what the store does not have
/// too.
std::vector<RecordView> offsets_of(const Table& table, const DeleteGroupRequest& request,
                                   StoredRecords stored) {
    if (request.is_last_page) return table.offsets.with(stored, offset_prefix(request.group));
    std::vector<RecordView> offsets;
    for (const RecordView& record : stored) {
        if (!table.offsets.is_gone(as_text(record.key))) offsets.push_back(record);
    }
    return offsets;
}

/// False if there are more than go into one batch.
bool delete_some(Decision& decision, const std::vector<RecordView>& offsets) {
    for (const RecordView& offset : offsets) {
        if (decision.bytes() >= kDeletionBytesMax) return false;
        decision.write(Record{.key = {offset.key.begin(), offset.key.end()}, .value = {}});
    }
    return true;
}

}  // namespace

void delete_group(Decision& decision, Ticket ticket, const DeleteGroupRequest& request,
                  StoredRecords stored) {
    DeleteGroupReply reply{.code = check(decision.table, request.group)};
    if (reply.code == ErrorCode::none) {
        reply.has_more = !delete_some(decision, offsets_of(decision.table, request, stored));
    }
    decision.answer(ticket, reply);
    if (reply.code != ErrorCode::none || reply.has_more || !request.is_last_page) return;
    if (const OtherGroup* const other = decision.table.find_other(request.group)) {
        for (Record& record : other->tombstones()) decision.write(std::move(record));
    }
    if (ConsumerGroup* const consumers = decision.table.find_consumer(request.group))
        erase_group(decision, *consumers);
    if (decision.table.find(request.group) != nullptr)
        decision.write(group_tombstone(request.group));
}

}  // namespace milena::coordinator
