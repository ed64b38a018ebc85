// SPDX-License-Identifier: Apache-2.0
// Which answer leads where. Codes are those of the classic protocol; what is not listed ends the
// membership.
#include "membership/group_member.h"

#include <algorithm>
#include <set>

#include <fmt/format.h>

#include "groups/coordinators.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

std::string explained(ErrorCode code, const MemberOptions& options) {
    const std::string usual(usual_message(code));
    switch (code) {
        case ErrorCode::inconsistent_group_protocol:
            return fmt::format(
                "The members of group {} share no assignor with this one, which knows range: they "
                "have to have range in partition.assignment.strategy, or this tool another --group",
                options.group);
        case ErrorCode::fenced_instance_id:
            return fmt::format("Another member of group {} has come with group.instance.id {}",
                               options.group, options.instance_id);
        case ErrorCode::group_authorization_failed:
            return fmt::format("Not authorized to access group: {}", options.group);
        default: return fmt::format("group {}: {}", options.group, usual);
    }
}

}  // namespace

GroupMember::Next GroupMember::next(env::Instant now) const {
    if (failure_) return {Step::stop, now};
    if (now < not_before_) return {Step::wait, not_before_};
    if (!coordinator_) return {Step::find_coordinator, now};
    switch (phase_) {
        case Phase::joining:
            if (!holds_) return {Step::join, now};
            if (has_lost_) return {Step::wait, env::kNever};
            break;
        case Phase::assigning: return {Step::assign, now};
        case Phase::syncing: return {Step::sync, now};
        case Phase::stable: break;
    }
    return now < next_heartbeat_ ? Next{Step::wait, next_heartbeat_} : Next{Step::heartbeat, now};
}

void GroupMember::joined(ErrorCode code, JoinAnswer answer, env::Instant now) {
    if (code == ErrorCode::member_id_required) {
        member_id_ = std::move(answer.member_id);
        return;
    }
    if (code != ErrorCode::none) {
        take_error(code, now);
        return;
    }
    member_id_ = std::move(answer.member_id);
    generation_ = answer.generation;
    protocol_ = std::move(answer.protocol);
    is_leader_ = answer.leader == member_id_;
    members_ = std::move(answer.members);
    assignments_.clear();
    phase_ = is_leader_ ? Phase::assigning : Phase::syncing;
}

std::vector<std::string> GroupMember::topics_to_assign() const {
    std::set<std::string> topics;
    for (const JoinedMember& member : members_)
        topics.insert(member.topics.begin(), member.topics.end());
    return {topics.begin(), topics.end()};
}

void GroupMember::counted(const std::map<std::string, std::int32_t>& partition_counts) {
    counts_ = partition_counts;
    assignments_ = assign_ranges(members_, counts_);
    if (phase_ == Phase::assigning) phase_ = Phase::syncing;
}

void GroupMember::synced(ErrorCode code, Assigned assigned, env::Instant now) {
    if (code != ErrorCode::none) {
        take_error(code, now);
        return;
    }
    assigned_ = std::move(assigned);
    ++round_;
    holds_ = true;
    has_lost_ = false;
    phase_ = Phase::stable;
    next_heartbeat_ = now + options_.heartbeat_interval;
}

void GroupMember::heartbeat_answered(ErrorCode code, env::Instant now) {
    next_heartbeat_ = now + options_.heartbeat_interval;
    if (code != ErrorCode::none) take_error(code, now);
}

void GroupMember::unreachable(env::Instant now) {
    coordinator_.reset();
    not_before_ = now + options_.retry_pause;
}

void GroupMember::take_error(ErrorCode code, env::Instant now) {
    if (is_coordinator_moving(code) || code == ErrorCode::request_timed_out) {
        unreachable(now);
        return;
    }
    switch (code) {
        case ErrorCode::rebalance_in_progress: phase_ = Phase::joining; return;
        case ErrorCode::unknown_member_id: member_id_.clear(); [[fallthrough]];
        case ErrorCode::illegal_generation: lose(); return;
        default: failure_ = Error{code, explained(code, options_)};
    }
}

void GroupMember::lose() {
    generation_ = -1;
    has_lost_ = holds_;
    phase_ = Phase::joining;
}

void GroupMember::subscribe(std::vector<std::string> topics) {
    if (topics == topics_) return;
    topics_ = std::move(topics);
    rejoin();
}

void GroupMember::rejoin() {
    if (phase_ == Phase::stable) phase_ = Phase::joining;
}

void GroupMember::released() {
    holds_ = false;
    has_lost_ = false;
    assigned_.clear();
}

}  // namespace milena::cli
