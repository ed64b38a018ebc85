// SPDX-License-Identifier: Apache-2.0
// A member of a consumer group, by the classic protocol: what it has to do next, and what follows
// from the answers. No I/O and no clock: whoever drives it asks next(), does that one thing, and
// tells what came of it.
//
//   find_coordinator → join → (the leader: assign) → sync → heartbeat, heartbeat, …
//                        ^                                     | the group rebalances
//                        +------ released() by the reader -----+
//
// It is an eager member: before it joins again it gives up all it has. Until its reader has done
// that (and committed) it goes on with heartbeats, so that the others wait for it.
#pragma once

#include "groups/group_offsets.h"
#include "membership/range_assignor.h"

namespace milena::cli {

struct MemberOptions {
    std::string group;
    std::string instance_id{};  ///< empty unless it is to be a static member
    env::Duration heartbeat_interval = std::chrono::seconds(3);
    env::Duration retry_pause = std::chrono::milliseconds(100);
};

/// An answer to JoinGroup.
struct JoinAnswer {
    std::int32_t generation = -1;
    std::string protocol{};
    std::string member_id{};
    std::string leader{};
    std::vector<JoinedMember> members{};  ///< told to the leader
};

class GroupMember {
public:
    enum class Step {
        find_coordinator,
        join,
        assign,  ///< count the partitions of topics_to_assign(), then counted()
        sync,
        heartbeat,
        wait,  ///< until Next::at, or until the reader has released what it has
        stop,  ///< it can't be a member: failure() says why
    };
    struct Next {
        Step step = Step::wait;
        env::Instant at = env::kNever;
        bool operator==(const Next&) const = default;
    };

    GroupMember(MemberOptions options, std::vector<std::string> topics)
        : options_(std::move(options)), topics_(std::move(topics)) {}

    Next next(env::Instant now) const;

    // What came of the steps.
    void found_coordinator(BrokerId coordinator) { coordinator_ = coordinator; }
    void joined(ErrorCode code, JoinAnswer answer, env::Instant now);
    void counted(const std::map<std::string, std::int32_t>& partition_counts);
    void synced(ErrorCode code, Assigned assigned, env::Instant now);
    void heartbeat_answered(ErrorCode code, env::Instant now);
    /// A request did not get through: the coordinator is looked for again.
    void unreachable(env::Instant now);

    /// Subscribes to other topics; joins again if they are others.
    void subscribe(std::vector<std::string> topics);
    /// Joins again, since there is something else to assign.
    void rejoin();

    // The reader's side.
    /// The reader is to stop reading, commit unless has_lost(), and say released().
    bool must_release() const { return holds_ && phase_ != Phase::stable; }
    /// What it had may be others' already.
    bool has_lost() const { return has_lost_; }
    void released();
    /// What it is to read; another number of the round says that it is another assignment.
    const Assigned& assigned() const { return assigned_; }
    std::int64_t round() const { return round_; }

    // For the requests.
    const MemberOptions& options() const { return options_; }
    const std::vector<std::string>& topics() const { return topics_; }
    BrokerId coordinator() const { return coordinator_.value_or(kNoBroker); }
    std::int32_t generation() const { return generation_; }
    const std::string& member_id() const { return member_id_; }
    const std::string& protocol() const { return protocol_; }
    Committer committer() const { return {member_id_, options_.instance_id, generation_}; }
    bool is_leader() const { return is_leader_; }
    std::vector<std::string> topics_to_assign() const;
    /// Of the leader, for sync.
    const std::map<std::string, Assigned>& assignments() const { return assignments_; }
    /// What the leader has counted last.
    const std::map<std::string, std::int32_t>& partition_counts() const { return counts_; }
    const std::optional<Error>& failure() const { return failure_; }

private:
    enum class Phase { joining, assigning, syncing, stable };

    /// What an error means that any of the requests may be answered with.
    void take_error(ErrorCode code, env::Instant now);
    void lose();

    MemberOptions options_;
    std::vector<std::string> topics_;
    Phase phase_ = Phase::joining;
    std::optional<BrokerId> coordinator_;
    std::string member_id_;
    std::string protocol_;
    std::int32_t generation_ = -1;
    bool is_leader_ = false;
    std::vector<JoinedMember> members_;
    std::map<std::string, Assigned> assignments_;
    std::map<std::string, std::int32_t> counts_;
    Assigned assigned_;
    std::int64_t round_ = 0;
    bool holds_ = false;
    bool has_lost_ = false;
    env::Instant not_before_{};
    env::Instant next_heartbeat_{};
    std::optional<Error> failure_;
};

}  // namespace milena::cli
