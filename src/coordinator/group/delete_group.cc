// SPDX-License-Identifier: Apache-2.0
// DeleteGroups, of one group that nobody is in: its offsets go, then itself.
#include "classic/group_records.h"
#include "offsets/offset_records.h"
#include "requests.h"

namespace milena::coordinator {
namespace {

ErrorCode check(const ClassicGroup* group, const OtherGroup* other) {
    if (group == nullptr && other == nullptr) return ErrorCode::group_id_not_found;
    const bool is_empty = group != nullptr ? group->is(GroupState::empty) : other->is_empty();
    return is_empty ? ErrorCode::none : ErrorCode::non_empty_group;
}

}  // namespace

void delete_group(Decision& decision, Ticket ticket, const DeleteGroupRequest& request,
                  StoredRecords stored) {
    const ClassicGroup* const group = decision.table.find(request.group);
    const OtherGroup* const other = decision.table.find_other(request.group);
    const ErrorCode code = check(group, other);
    decision.answer(ticket, DeleteGroupReply{.code = code});
    if (code != ErrorCode::none) return;
    for (const RecordView& offset :
         decision.table.offsets.with(stored, offset_prefix(request.group))) {
        decision.write(Record{.key = {offset.key.begin(), offset.key.end()}, .value = {}});
    }
    if (other != nullptr) {
        for (Record& record : other->tombstones()) decision.write(std::move(record));
    }
    if (group != nullptr) decision.write(group_tombstone(request.group));
}

}  // namespace milena::coordinator
