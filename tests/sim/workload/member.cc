// SPDX-License-Identifier: Apache-2.0
// One request at a time. A leader gives each partition to one member, another one in each
// generation. Whoever joins has given up all it had (an eager assignor).
#include "sim/workload/member.h"

#include <array>

#include "milena/protocol/messages/heartbeat.h"
#include "milena/protocol/messages/join_group.h"
#include "milena/protocol/messages/leave_group.h"
#include "milena/protocol/messages/offset_commit.h"
#include "milena/protocol/messages/offset_fetch.h"
#include "milena/protocol/messages/sync_group.h"
#include "sim/workload/shares.h"

namespace milena::sim {
namespace {

using namespace std::chrono_literals;
using protocol::OffsetCommitRequest;
using protocol::OffsetFetchRequest;

constexpr std::int16_t kJoinVersion = 9;
constexpr std::int16_t kSyncVersion = 5;
constexpr std::int16_t kHeartbeatVersion = 4;
constexpr std::int16_t kLeaveVersion = 5;
constexpr std::int16_t kCommitVersion = 8;
constexpr std::int16_t kFetchVersion = 8;
constexpr env::Duration kRetryPause = 50ms;
constexpr env::Duration kRebalanceTimeout = 4s;
constexpr std::string_view kType = "consumer";
/// One that coordinators have too, as if it were theirs.
constexpr std::string_view kAssignor = "range";
/// Versions of a subscription; each member has one.
constexpr std::int32_t kSubscriptions = 4;
constexpr double kMisbehaveChance = 0.03;
constexpr double kHeartbeatChance = 0.6;
constexpr double kLookChance = 0.3;

}  // namespace

Member::Member(Link link, MemberShape shape, SeededRandom random, History& history,
               SeeCoordinator sees)
    : link_(std::move(link)),
      shape_(std::move(shape)),
      random_(random),
      history_(history),
      sees_(std::move(sees)),
      instance_(shape_.is_static ? fmt::format("instance-{}", shape_.number) : ""),
      holds_(seen(), {.session = shape_.session_timeout, .rebalance = kRebalanceTimeout}) {}

std::string Member::text() const {
    return fmt::format("member {} of {} ({} in generation {}, owns {})", shape_.number,
                       shape_.group, member_id_, generation_, owned_.size());
}

protocol::NullableString Member::instance() const {
    if (!shape_.is_static) return std::nullopt;
    return std::string_view(instance_);
}

env::Task<void> Member::sleep(env::Duration duration) {
    co_await link_.machine().sleep(link_.machine().core(0), duration);
}

void Member::forget_membership() {
    holds_.give_up_all(link_.now());
    member_id_.clear();
    generation_ = -1;
    owned_.clear();
    at_.clear();
}

Holds::Answer Member::answer_to(env::Instant sent,
                                const std::optional<CoordinatorSeen>& coordinator) {
    const bool is_current =
        coordinator && coordinator->server == link_.server() && sees_(shape_.group) == coordinator;
    return {.sent = sent, .came = link_.now(), .is_current = is_current};
}

env::Task<void> Member::run() {
    Next next = Next::connects;
    for (;;) {
        if (next != Next::goes_on) is_settled_ = false;
        if (next == Next::connects) {
            link_.drop();
            co_await sleep(kRetryPause);
        }
        if (co_await link_.ready_for_group(shape_.group) == nullptr) {
            next = Next::connects;
            continue;
        }
        // A coordinator that has moved is no reason to join anew.
        const bool is_member = generation_ >= 0 && next == Next::connects;
        if (!is_member) {
            next = co_await join();
            if (next == Next::goes_on) next = co_await fetch(true);
            if (next != Next::goes_on) {
                if (next == Next::joins) co_await sleep(kRetryPause);
                // What it owns is not known, or not from where: it can only join.
                generation_ = -1;
                continue;
            }
        }
        do next = co_await work();
        while (next == Next::goes_on);
    }
}

Member::Next Member::after(std::int16_t code, std::string_view what) {
    switch (static_cast<ErrorCode>(code)) {
        case ErrorCode::none: return Next::goes_on;
        case ErrorCode::not_coordinator:
        case ErrorCode::coordinator_not_available:
        case ErrorCode::coordinator_load_in_progress:
        case ErrorCode::request_timed_out: return Next::connects;
        case ErrorCode::rebalance_in_progress: return Next::joins;
        case ErrorCode::illegal_generation: generation_ = -1; return Next::joins;
        case ErrorCode::unknown_member_id:
        case ErrorCode::fenced_instance_id: forget_membership(); return Next::joins;
        default:
            link_.complain("I12", fmt::format("{} is told {} to {}", text(),
                                              error_name(static_cast<ErrorCode>(code)), what));
            return Next::connects;
    }
}

env::Task<Member::Next> Member::join() {
    holds_.give_up_all(link_.now());
    const std::vector<std::byte> metadata =
        subscription(shape_.topic, static_cast<std::int16_t>(shape_.number % kSubscriptions));
    std::array<protocol::JoinGroupRequest::JoinGroupRequestProtocol, 1> protocols;
    protocols[0].name = kAssignor;
    protocols[0].metadata = protocol::Bytes(metadata);
    protocol::JoinGroupRequest request;
    request.group_id = shape_.group;
    request.session_timeout_ms = static_cast<std::int32_t>(shape_.session_timeout / 1ms);
    request.rebalance_timeout_ms = static_cast<std::int32_t>(kRebalanceTimeout / 1ms);
    request.member_id = member_id_;
    request.group_instance_id = instance();
    request.protocol_type = kType;
    request.protocols = protocols;
    const auto answer = co_await link_.call<protocol::JoinGroupResponse>(request, kJoinVersion);
    if (!answer) {
        holds_.ghost({}, link_.now());
        co_return Next::connects;
    }
    if (static_cast<ErrorCode>(answer->error_code) == ErrorCode::member_id_required) {
        member_id_ = answer->member_id;
        co_return Next::joins;
    }
    if (const Next next = after(answer->error_code, "a join"); next != Next::goes_on)
        co_return next;
    member_id_ = answer->member_id;
    generation_ = answer->generation_id;
    std::vector<std::string> members;
    if (answer->leader == member_id_ && !answer->skip_assignment) {
        for (const auto& member : answer->members) members.emplace_back(member.member_id);
    }
    co_return co_await sync(members);
}

env::Task<Member::Next> Member::sync(const std::vector<std::string>& members) {
    std::vector<std::vector<std::byte>> shares;
    std::vector<protocol::SyncGroupRequest::SyncGroupRequestAssignment> assignments;
    for (std::size_t i = 0; i < members.size(); ++i)
        shares.push_back(
            assignment(shape_.topic, share(i, members.size(), shape_.partitions, generation_)));
    for (std::size_t i = 0; i < members.size(); ++i) {
        auto& one = assignments.emplace_back();
        one.member_id = members[i];
        one.assignment = protocol::Bytes(shares[i]);
    }
    protocol::SyncGroupRequest request;
    request.group_id = shape_.group;
    request.generation_id = generation_;
    request.member_id = member_id_;
    request.group_instance_id = instance();
    request.protocol_type = kType;
    request.protocol_name = kAssignor;
    request.assignments = assignments;
    const auto coordinator = sees_(shape_.group);
    const env::Instant sent = link_.now();
    const auto answer = co_await link_.call<protocol::SyncGroupResponse>(request, kSyncVersion);
    if (!answer) co_return Next::connects;
    if (const Next next = after(answer->error_code, "a sync"); next != Next::goes_on)
        co_return next;
    take(answer->assignment, answer_to(sent, coordinator));
    co_return Next::goes_on;
}

void Member::take(BytesView assignment, const Holds::Answer& when) {
    owned_.clear();
    at_.clear();
    auto partitions = partitions_in(assignment, shape_.topic, shape_.partitions);
    if (!partitions) {
        link_.complain("I12", fmt::format("{} is given {:?}", text(), as_text(assignment)));
        return;
    }
    owned_ = *std::move(partitions);
    holds_.answered(when);
    holds_.told({owned_.begin(), owned_.end()}, name(), when);
    seen().assignments.push_back({generation_, name(), owned_});
}

env::Task<Member::Next> Member::heartbeat() {
    protocol::HeartbeatRequest request;
    request.group_id = shape_.group;
    request.generation_id = generation_;
    request.member_id = member_id_;
    request.group_instance_id = instance();
    const auto coordinator = sees_(shape_.group);
    const env::Instant sent = link_.now();
    const auto answer =
        co_await link_.call<protocol::HeartbeatResponse>(request, kHeartbeatVersion);
    if (!answer) co_return Next::connects;
    if (answer->error_code == 0) holds_.answered(answer_to(sent, coordinator));
    co_return after(answer->error_code, "a heartbeat");
}

env::Task<Member::Next> Member::commit() {
    std::vector<OffsetCommitRequest::OffsetCommitRequestPartition> partitions;
    std::map<std::int32_t, std::size_t> steps;
    for (auto& [index, offset] : at_) {
        auto& one = partitions.emplace_back();
        one.partition_index = index;
        one.committed_offset = ++offset;
        auto& commits = seen().partitions[index].commits;
        steps[index] = commits.size();
        commits.push_back(
            {.asked = link_.now(), .offset = offset, .generation = generation_, .member = name()});
    }
    std::array<OffsetCommitRequest::OffsetCommitRequestTopic, 1> topics;
    topics[0].name = shape_.topic;
    topics[0].partitions = partitions;
    OffsetCommitRequest request;
    request.group_id = shape_.group;
    request.generation_id_or_member_epoch = generation_;
    request.member_id = member_id_;
    request.group_instance_id = instance();
    request.topics = topics;
    const auto answer =
        co_await link_.call<protocol::OffsetCommitResponse>(request, kCommitVersion);
    if (!answer || answer->topics.empty()) co_return Next::connects;
    Next worst = Next::goes_on;
    for (const auto& one : answer->topics[0].partitions) {
        const Next next = after(one.error_code, "a commit");
        if (next != Next::goes_on) {
            worst = next;
        } else if (const auto step = steps.find(one.partition_index); step != steps.end()) {
            seen().partitions[one.partition_index].commits[step->second].done = link_.now();
        }
    }
    co_return worst;
}

env::Task<Member::Next> Member::fetch(bool is_start) {
    std::vector<std::int32_t> indexes;
    for (std::int32_t i = 0; i < shape_.partitions; ++i) indexes.push_back(i);
    std::array<OffsetFetchRequest::OffsetFetchRequestTopics, 1> topics;
    topics[0].name = shape_.topic;
    topics[0].partition_indexes = indexes;
    std::array<OffsetFetchRequest::OffsetFetchRequestGroup, 1> groups;
    groups[0].group_id = shape_.group;
    groups[0].topics = topics;
    OffsetFetchRequest request;
    request.groups = groups;
    const env::Instant asked = link_.now();
    const auto answer = co_await link_.call<protocol::OffsetFetchResponse>(request, kFetchVersion);
    if (!answer || answer->groups.empty()) co_return Next::connects;
    const auto& group = answer->groups[0];
    if (const Next next = after(group.error_code, "a fetch of offsets"); next != Next::goes_on)
        co_return next;
    for (const auto& topic : group.topics) {
        for (const auto& one : topic.partitions) {
            if (const Next next = after(one.error_code, "a fetch of an offset");
                next != Next::goes_on)
                co_return next;
            seen().partitions[one.partition_index].told.push_back(
                {asked, link_.now(), one.committed_offset});
            const bool is_own = std::ranges::find(owned_, one.partition_index) != owned_.end();
            if (is_start && is_own)
                at_[one.partition_index] = std::max<std::int64_t>(one.committed_offset, 0);
        }
    }
    co_return Next::goes_on;
}

env::Task<Member::Next> Member::work() {
    const bool was_finishing = is_finishing_;
    if (!was_finishing && random_.chance(kMisbehaveChance)) co_return co_await misbehave();
    // Whoever has slept does not look first.
    Next next = random_.chance(kHeartbeatChance) ? co_await heartbeat() : Next::goes_on;
    if (next == Next::goes_on && !at_.empty()) next = co_await commit();
    if (next == Next::goes_on && (was_finishing || random_.chance(kLookChance)))
        next = co_await fetch(false);
    if (next != Next::goes_on) co_return next;
    is_settled_ = was_finishing;
    co_await sleep(random_.between(env::Duration(1ms), shape_.pause_max));
    co_return Next::goes_on;
}

env::Task<Member::Next> Member::misbehave() {
    switch (random_.below(3)) {
        case 0:
            co_await leave();
            forget_membership();
            co_await sleep(random_.between(env::Duration(10ms), env::Duration(3s)));
            co_return Next::joins;
        case 1:
            // It has died, and another one takes its place.
            link_.drop();
            forget_membership();
            co_await sleep(random_.between(env::Duration(10ms), shape_.session_timeout * 2));
            co_return Next::connects;
        default:
            co_await sleep(random_.between(shape_.session_timeout / 2, shape_.session_timeout * 2));
            co_return Next::goes_on;
    }
}

env::Task<void> Member::leave() {
    std::array<protocol::LeaveGroupRequest::MemberIdentity, 1> members;
    members[0].member_id = member_id_;
    members[0].group_instance_id = instance();
    holds_.give_up_all(link_.now());
    protocol::LeaveGroupRequest request;
    request.group_id = shape_.group;
    request.members = members;
    const auto answer = co_await link_.call<protocol::LeaveGroupResponse>(request, kLeaveVersion);
    if (!answer) co_return;
    after(answer->error_code, "a leave");
}

}  // namespace milena::sim
