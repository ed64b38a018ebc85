// SPDX-License-Identifier: Apache-2.0
// One group of the classic protocol, as it lives in memory: who is in it, what they wait for, and
// which of five states it is in.
//
//            join                      all joined, or time up          assignments stored
//   empty ---------> preparing rebalance ---------> completing rebalance ---------> stable
//     ^                 |          ^                          |                        |
//     +-----------------+          +--------------------------+------------------------+
//        nobody joined                 somebody joins, leaves or is silent
//
// It decides nothing by itself; rebalance.h and the requests do. Members are kept in the order of
// their ids, so that the same history gives the same answers.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "../history/rebalance_history.h"
#include "churn.h"
#include "milena/coordinator/groups.h"
#include "timers.h"

namespace milena::coordinator {

enum class GroupState : std::uint8_t {
    preparing_rebalance,
    completing_rebalance,
    stable,
    dead,
    empty
};

/// As clients see it: "PreparingRebalance".
std::string_view text(GroupState state);

struct Member;
GroupMemberName name_of(const Member& member);

/// In memory.
std::size_t bytes_of(const std::vector<MemberProtocol>& protocols);

struct Member {
    std::string id;
    std::optional<std::string> instance_id;
    std::string client_id;
    std::string client_host;
    std::int32_t session_timeout_ms = 0;
    std::int32_t rebalance_timeout_ms = 0;
    /// What it likes best first. Of one that was loaded only the chosen one is known.
    std::vector<MemberProtocol> protocols;
    Bytes assignment;

    std::optional<Ticket> joining;  ///< its JoinGroup waits for the others
    std::optional<Ticket> syncing;  ///< its SyncGroup waits for the leader's
    /// It has not been answered yet, so it can't send heartbeats.
    bool is_new = false;
    /// It has joined this generation and not asked for its assignment.
    bool has_to_sync = false;
    Timer session;

    /// Its subscription in this protocol; null if it does not know it.
    const Bytes* metadata(std::string_view protocol) const;
    /// It joins again with just what it has said before.
    bool says_the_same(const std::vector<MemberProtocol>& others) const;
    /// Nothing has to be heard of it: it waits for us.
    bool is_waiting() const { return !is_new && (joining || syncing); }
};

class ClassicGroup {
public:
    /// A group begins empty, since now; what was loaded says itself since when.
    explicit ClassicGroup(std::string group_name, std::int64_t since_ms)
        : name(std::move(group_name)), state_since_ms(since_ms) {}

    const std::string name;
    std::int32_t generation = 0;
    std::optional<std::string> protocol_type;
    std::optional<std::string> protocol_name;
    std::optional<std::string> leader;
    /// What members subscribe to, in order, if the group is one of consumers and that can be read.
    std::optional<std::vector<std::string>> subscribed_topics;

    /// Those that were told their ids and have to come with them (KIP-394), and until when.
    std::map<std::string, Timer, std::less<>> pending;
    Timer join_timer;
    Timer sync_timer;
    /// Who has not joined the rebalance by then is out. The timer may look before.
    env::Instant join_deadline{};
    Churn churn;
    /// All members have joined; those who have asked for an id have a moment left to come.
    bool waits_for_ids = false;
    /// The log did not take what the leader has assigned, for it is too large. Members that come
    /// again with what they have said before would only bring the same about.
    bool is_assignment_too_large = false;
    /// Of the first rebalance: how long it may still be put off for others to come.
    struct FirstRebalance {
        std::int32_t delay_ms = 0;
        std::int32_t remaining_ms = 0;
        bool somebody_came = false;
    };
    std::optional<FirstRebalance> first_rebalance;

    /// The one that is under way, or the last that this coordinator has seen; null if none.
    SharedHistory rebalance;
    /// Who has kept it waiting longest so far.
    struct Slowest {
        std::string member_id;
        std::int64_t waited_ms = 0;
    };
    Slowest slowest;
    Timer notice_timer;

    GroupState state() const { return state_; }
    GroupState previous_state() const { return previous_state_; }
    bool is(GroupState state) const { return state_ == state; }
    /// −1 for one that an old broker has written.
    std::int64_t state_since() const { return state_since_ms; }
    void become(GroupState state, std::int64_t now_ms);
    /// What a record says, without the history that leads there.
    void load_state(GroupState state, std::int64_t since_ms);
    /// A rebalance can begin: none is waiting for members already.
    bool can_rebalance() const;
    /// It has nothing but offsets: nobody ever joined it.
    bool is_simple() const;
    bool is_of_consumers() const;

    const std::map<std::string, Member, std::less<>>& members() const { return members_; }
    std::map<std::string, Member, std::less<>>& members() { return members_; }
    /// Null if there is no such member.
    Member* find(std::string_view member_id);
    const Member* find(std::string_view member_id) const;
    /// Null if the instance is not in the group.
    Member* find_instance(std::string_view instance_id);
    const Member* find_instance(std::string_view instance_id) const;
    bool is_leader(std::string_view member_id) const { return leader && *leader == member_id; }
    /// UNKNOWN_MEMBER_ID, or FENCED_INSTANCE_ID: another process has taken the instance's place.
    /// Who was given its id after the one that holds the place, by a coordinator that died before
    /// it had stored that, is no earlier process: it is told to join anew.
    ErrorCode validate(std::string_view member_id,
                       const std::optional<std::string>& instance_id) const;

    /// The first one is the leader, and says of what type the group is.
    Member& add(Member member, std::string_view type);
    /// Pending or not; another one becomes leader. Nothing if there is no such member.
    void remove(std::string_view member_id);
    /// The instance goes on under a new id. Its old id may wait for nothing.
    Member& rename(Member& member, std::string id);
    /// What the protocols of all members take.
    std::size_t protocol_bytes() const { return protocol_bytes_; }
    void set_protocols(Member& member, std::vector<MemberProtocol> protocols);

    bool all_have_joined() const;
    std::size_t joined_count() const;
    /// True if the leader has joined, or another one that has became leader.
    bool elect_joined_leader();
    std::int32_t rebalance_timeout_ms() const;

    /// A member with these could be in it: there is a protocol that everybody knows.
    bool accepts(std::string_view type, const std::vector<MemberProtocol>& protocols) const;
    /// The protocol that most members like best of those that all know; of several, the one that
    /// the first members like.
    std::string vote() const;
    bool is_subscribed_to(std::string_view topic) const;
    /// Anew, from the members and the chosen protocol.
    void learn_subscriptions();

private:
    void count_protocols(const Member& member, int change);

    std::size_t protocol_bytes_ = 0;
    GroupState state_ = GroupState::empty;
    GroupState previous_state_ = GroupState::dead;
    std::int64_t state_since_ms;
    std::map<std::string, Member, std::less<>> members_;
    std::map<std::string, std::string, std::less<>> instances_;  ///< to member ids
    std::map<std::string, std::size_t, std::less<>> knowing_;    ///< members that know a protocol
};

}  // namespace milena::coordinator
