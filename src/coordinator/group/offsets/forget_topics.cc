// SPDX-License-Identifier: Apache-2.0
// The offsets of topics that were deleted go, of all groups: those of the store that the host
// shows, and those that the store does not have yet.
#include <algorithm>
#include <functional>

#include "../requests.h"
#include "offset_records.h"

namespace milena::coordinator {
namespace {

/// Committed in one of the topics, not in another of the same name.
bool is_of(const ForgetTopicsRequest& request, const RecordView& record) {
    const auto key = read_offset_key(record.key);
    if (!key || !record.value) return false;
    protocol::Arena arena;
    const auto offset = read_offset_value(*record.value, arena);
    const auto of_name = std::ranges::equal_range(request.topics, key->topic, std::less<>(),
                                                  &ForgetTopicsRequest::Topic::name);
    return offset && std::ranges::any_of(of_name, [&](const auto& topic) {
               return offset->topic_id.is_zero() || topic.id.is_zero() ||
                      offset->topic_id == topic.id;
           });
}

}  // namespace

void forget_topics(Decision& decision, Ticket ticket, const ForgetTopicsRequest& request,
                   StoredRecords stored) {
    const PendingOffsets& pending = decision.table.offsets;
    std::vector<RecordView> looked_at;
    for (const RecordView& record : stored) {
        if (!pending.has(as_text(record.key))) looked_at.push_back(record);
    }
    // Once a round is enough: what is committed from now on is of topics that there are.
    if (request.is_last_page)
        std::ranges::copy(pending.with({}, {}), std::back_inserter(looked_at));
    ForgetTopicsReply reply;
    for (const RecordView& record : looked_at) {
        if (!is_of(request, record)) continue;
        reply.has_more = decision.bytes() >= kDeletionBytesMax;
        if (reply.has_more) break;
        decision.write(Record{.key = {record.key.begin(), record.key.end()}, .value = {}});
    }
    decision.answer(ticket, reply);
}

}  // namespace milena::coordinator
