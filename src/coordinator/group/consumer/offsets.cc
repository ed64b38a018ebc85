// SPDX-License-Identifier: Apache-2.0
// Epochs of commits and fetches.
#include "offsets.h"

#include <algorithm>

namespace milena::coordinator {
namespace {

ErrorCode stale(const ConsumerMember& member) {
    return member.is_classic() ? ErrorCode::illegal_generation : ErrorCode::stale_member_epoch;
}

/// It has had all of them since that epoch, or longer.
bool has_had_all(const ConsumerMember& member, const CommitRequest& request) {
    if (!member.current || request.generation_or_epoch < 0) return false;
    return std::ranges::all_of(request.topics, [&](const CommitRequest::Topic& topic) {
        return std::ranges::all_of(topic.partitions, [&](const CommitRequest::Partition& part) {
            const OwnedPartition* const owned =
                find(member.current->assigned, {topic.id, part.partition});
            return owned != nullptr && owned->since_epoch <= request.generation_or_epoch;
        });
    });
}

}  // namespace

ErrorCode check_commit(const ConsumerGroup& group, const CommitRequest& request) {
    if (request.generation_or_epoch < 0 && group.is_empty()) return ErrorCode::none;
    const ConsumerMember* const member = group.find(request.member_id);
    if (member == nullptr) return ErrorCode::unknown_member_id;
    if (!member->is_classic() && !request.may_say_epoch) return ErrorCode::unsupported_version;
    if (request.generation_or_epoch == member->epoch()) return ErrorCode::none;
    const bool is_older = request.generation_or_epoch < member->epoch();
    if (is_older && !member->is_classic() && has_had_all(*member, request)) return ErrorCode::none;
    return stale(*member);
}

ErrorCode check_fetch(const ConsumerGroup& group, const FetchOffsetsRequest& request) {
    if (!request.member_id && request.member_epoch < 0) return ErrorCode::none;
    const ConsumerMember* const member = group.find(request.member_id.value_or(""));
    if (member == nullptr) return ErrorCode::unknown_member_id;
    return request.member_epoch == member->epoch() ? ErrorCode::none : stale(*member);
}

}  // namespace milena::coordinator
