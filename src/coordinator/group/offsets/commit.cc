// SPDX-License-Identifier: Apache-2.0
// OffsetCommit: from a member of the generation, or from somebody without a group while nobody is
// in it.
#include <algorithm>

#include "../../java_text.h"
#include "../consumer/offsets.h"
#include "../rebalance.h"
#include "../requests.h"
#include "offset_records.h"

namespace milena::coordinator {
namespace {

/// Numbers of a key and a value, and what a record of a batch has around them.
constexpr std::size_t kOffsetRecordBytes = 64;

ErrorCode check_classic(const ClassicGroup& group, const CommitRequest& request) {
    if (request.generation_or_epoch < 0 && group.is(GroupState::empty)) return ErrorCode::none;
    if (request.generation_or_epoch < 0 && request.member_id.empty() && !request.instance_id)
        return ErrorCode::unknown_member_id;
    if (const ErrorCode code = group.validate(request.member_id, request.instance_id);
        code != ErrorCode::none) {
        return code;
    }
    if (request.generation_or_epoch != group.generation) return ErrorCode::illegal_generation;
    // It knows the generation from the answer to its join, and not yet what it is assigned.
    return group.is(GroupState::completing_rebalance) ? ErrorCode::rebalance_in_progress
                                                      : ErrorCode::none;
}

ErrorCode check_other(const OtherGroup& group, const CommitRequest& request) {
    if (group.kind() == GroupKind::share) return ErrorCode::group_id_not_found;
    const bool is_from_outside = request.generation_or_epoch < 0 && group.is_empty();
    return is_from_outside ? ErrorCode::none : ErrorCode::unknown_member_id;
}

ErrorCode check(const Table& table, const CommitRequest& request) {
    if (table.offsets.is_full()) return ErrorCode::coordinator_load_in_progress;
    if (const ClassicGroup* const group = table.find(request.group))
        return check_classic(*group, request);
    if (const ConsumerGroup* const group = table.find_consumer(request.group))
        return check_commit(*group, request);
    if (const OtherGroup* const group = table.find_other(request.group))
        return check_other(*group, request);
    // A consumer without a group, or a tool: its group is made with its first offset.
    return request.generation_or_epoch < 0 ? ErrorCode::none : ErrorCode::group_id_not_found;
}

/// −1: as long as the broker keeps it.
std::int64_t expiration(const CommitRequest& request, std::int64_t now_ms) {
    if (request.retention_ms < 0) return -1;
    return now_ms + std::min(request.retention_ms, INT64_MAX - now_ms);
}

ErrorCode commit(Decision& decision, const CommitRequest& request,
                 const CommitRequest::Topic& topic, const CommitRequest::Partition& part) {
    const std::string_view metadata = part.metadata ? std::string_view(*part.metadata) : "";
    const auto most = decision.table.options.offset_metadata_max_bytes;
    if (java_length(metadata) > static_cast<std::size_t>(std::max(most, 0)))
        return ErrorCode::offset_metadata_too_large;
    const OffsetKey key{.group = request.group, .topic = topic.name, .partition = part.partition};
    const std::int64_t now = decision.wall_ms();
    decision.write(offset_record(key, {.offset = part.offset,
                                       .leader_epoch = part.leader_epoch,
                                       .metadata = metadata,
                                       .commit_ms = now,
                                       .expire_ms = expiration(request, now),
                                       .topic_id = topic.id}));
    return ErrorCode::none;
}

/// What its records take, at least: more than one decision may write is not even made.
bool is_too_large(const CommitRequest& request) {
    std::size_t left = kRecordBytesMax;
    for (const CommitRequest::Topic& topic : request.topics) {
        for (const CommitRequest::Partition& part : topic.partitions) {
            const std::size_t metadata = part.metadata ? part.metadata->size() : 0;
            const std::size_t bytes =
                kOffsetRecordBytes + request.group.size() + topic.name.size() + metadata;
            if (bytes > left) return true;
            left -= bytes;
        }
    }
    return false;
}

/// A commit says that its member lives, as a heartbeat does; while it waits for its assignment
/// nothing else counts.
void extend_session_of(Decision& decision, const CommitRequest& request) {
    ClassicGroup* const group = decision.table.find(request.group);
    if (group == nullptr || request.generation_or_epoch < 0) return;
    if (!group->is(GroupState::stable) && !group->is(GroupState::preparing_rebalance)) return;
    if (Member* const member = group->find(request.member_id))
        extend_session(decision, *group, *member);
}

}  // namespace

void commit_offsets(Decision& decision, Ticket ticket, const CommitRequest& request) {
    CommitReply reply;
    reply.code = check(decision.table, request);
    if (reply.code == ErrorCode::none) extend_session_of(decision, request);
    // As the log says of a batch that it does not take.
    if (reply.code == ErrorCode::none && is_too_large(request))
        reply.code = ErrorCode::unknown_server_error;
    if (reply.code == ErrorCode::none) {
        for (const CommitRequest::Topic& topic : request.topics) {
            auto& codes = reply.topics.emplace_back();
            for (const CommitRequest::Partition& part : topic.partitions)
                codes.push_back(commit(decision, request, topic, part));
        }
    }
    decision.answer(ticket, std::move(reply));
}

}  // namespace milena::coordinator
