// SPDX-License-Identifier: Apache-2.0
// What an operator wants to know of groups beyond what Kafka's requests tell: why a group
// rebalances, since when, whom it waits for, and when its offsets go. It comes out twice: as events
// of a decision (GroupStep), which the host writes to its log and counts, and as facts in answers
// to who asks for them. It lives with the coordinator: whoever takes a group over begins anew.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace milena::coordinator {

/// Why a rebalance began.
enum class RebalanceCause : std::uint8_t {
    member_joined,
    member_left,           ///< or was sent away
    session_timeout,       ///< a member was silent
    rebalance_timeout,     ///< a member did not do in time what a rebalance asked of it
    subscription_changed,  ///< a member wants other topics, or knows other assignors
    leader_rejoined,       ///< as it does when partitions of its topics have changed
    instance_returned,     ///< a static member's process has started again
    topics_changed,        ///< the coordinator itself has seen it
    assignment_not_stored,
    protocol_changed,  ///< the group goes on with the classic protocol
    group_too_large,   ///< there are more members than group.max.size
};
inline constexpr std::array kRebalanceCauses{
    RebalanceCause::member_joined,         RebalanceCause::member_left,
    RebalanceCause::session_timeout,       RebalanceCause::rebalance_timeout,
    RebalanceCause::subscription_changed,  RebalanceCause::leader_rejoined,
    RebalanceCause::instance_returned,     RebalanceCause::topics_changed,
    RebalanceCause::assignment_not_stored, RebalanceCause::protocol_changed,
    RebalanceCause::group_too_large};

/// The enumerator's name: a label of metrics, a word in answers.
std::string_view name_of(RebalanceCause cause);

/// A member as whoever looks for it can find it.
struct GroupMemberName {
    std::string member_id;    ///< empty: nobody
    std::string instance_id;  ///< of a static one
    std::string client_id;
    std::string client_host;

    bool operator==(const GroupMemberName&) const = default;
};

struct RebalanceReason {
    RebalanceCause cause = RebalanceCause::member_joined;
    GroupMemberName member{};  ///< who caused it, if somebody did
    std::string said{};        ///< its own words, if it had any (KIP-800)

    bool operator==(const RebalanceReason&) const = default;
};

/// What a group waits for a member to do.
enum class AwaitedStep : std::uint8_t {
    join,          ///< JoinGroup, again
    come_with_id,  ///< JoinGroup with the id that it was given
    assign,        ///< the leader's SyncGroup
    sync,          ///< SyncGroup
    revoke,        ///< to give partitions up that others are to have
    heartbeat,     ///< to come for its assignment
    come_back,     ///< a static member that has said that it is away
};
std::string_view name_of(AwaitedStep step);

struct AwaitedMember {
    GroupMemberName member;
    AwaitedStep step = AwaitedStep::join;
    /// Then it is removed; −1 if nothing says when.
    std::int64_t removed_in_ms = -1;

    bool operator==(const AwaitedMember&) const = default;
};
/// The first few, and how many there are.
struct AwaitedMembers {
    static constexpr std::size_t kNamedMax = 20;

    std::vector<AwaitedMember> named;
    std::size_t count = 0;

    void add(AwaitedMember member) {
        ++count;
        if (named.size() < kNamedMax) named.push_back(std::move(member));
    }
    bool operator==(const AwaitedMembers&) const = default;
};

// Events.

struct RebalanceBegan {
    std::string group;
    std::int32_t generation = 0;  ///< to which it leads; the group's epoch by KIP-848
    RebalanceReason reason;

    bool operator==(const RebalanceBegan&) const = default;
};
struct RebalanceCompleted {
    std::string group;
    std::int32_t generation = 0;
    std::size_t members = 0;
    std::int64_t took_ms = 0;  ///< since the group was last settled
    std::int32_t rounds = 1;   ///< rebalances since then: more than one, if one broke the other off
    GroupMemberName slowest{};  ///< who came last in the last of them
    std::int64_t slowest_ms = 0;

    bool operator==(const RebalanceCompleted&) const = default;
};
/// It lasts.
struct RebalanceWaits {
    std::string group;
    std::int64_t waited_ms = 0;
    AwaitedMembers awaited;

    bool operator==(const RebalanceWaits&) const = default;
};
/// By the coordinator, not by its own word.
struct MemberRemoved {
    std::string group;
    GroupMemberName member;
    RebalanceCause cause = RebalanceCause::session_timeout;  ///< that, or rebalance_timeout
    AwaitedStep step = AwaitedStep::join;                    ///< what it did not do in time
    std::int64_t timeout_ms = 0;

    bool operator==(const MemberRemoved&) const = default;
};
/// In one round through all offsets.
struct OffsetsExpired {
    std::string group;
    std::uint64_t offsets = 0;
    bool is_group_removed = false;  ///< nobody was in it, and nothing is left of it

    bool operator==(const OffsetsExpired&) const = default;
};
using GroupEvent =
    std::variant<RebalanceBegan, RebalanceCompleted, RebalanceWaits, MemberRemoved, OffsetsExpired>;

// Facts.

/// Committed offsets of a topic that are not in use.
struct ExpiringOffsets {
    static constexpr std::size_t kTopicsMax = 1000;

    std::string topic;
    std::int32_t partitions = 0;
    std::int64_t first_in_ms = 0;  ///< until the first of them goes; not negative
    std::int64_t last_in_ms = 0;

    bool operator==(const ExpiringOffsets&) const = default;
};

/// How a group stands; ages by the coordinator's clock, so that nobody has to compare his with it.
struct GroupFacts {
    std::int64_t state_age_ms = -1;  ///< −1: not known
    /// This coordinator has not seen the state begin: it is at least that old.
    bool is_since_take_over = false;
    struct Rebalance {
        RebalanceReason reason;  ///< of the last round
        std::int64_t began_ago_ms = 0;
        std::int32_t rounds = 1;
        std::int64_t took_ms = -1;  ///< −1: it is under way
        GroupMemberName slowest{};
        std::int64_t slowest_ms = 0;
    };
    /// The one that is under way, or the last; nothing if this coordinator has seen none.
    std::optional<Rebalance> rebalance{};
    AwaitedMembers awaited{};
    std::vector<ExpiringOffsets> expiring{};  ///< at most kTopicsMax, in the order of their names
};

}  // namespace milena::coordinator
