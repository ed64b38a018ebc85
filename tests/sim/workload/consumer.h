// SPDX-License-Identifier: Apache-2.0
// A member of a group by the consumer protocol (KIP-848), as clients are: it heartbeats, takes what
// it is given, commits, and gives up what it is no longer to have. Now and then it leaves, dies
// without a word, stands still, dawdles over what it is to give up, loses answers, says something
// twice, or commits what is not its own any more.
#pragma once

#include <optional>
#include <set>

#include "milena/protocol/messages/consumer_group_heartbeat.h"
#include "sim/workload/coordinator_seen.h"
#include "sim/workload/holds.h"
#include "sim/workload/link.h"

namespace milena::sim {

struct ConsumerShape {
    std::string group;
    std::string topic;
    std::int32_t partitions = 1;
    std::int32_t number = 0;
    /// It has a group.instance.id.
    bool is_static = false;
    /// As the brokers are told.
    env::Duration session_timeout = std::chrono::seconds(3);
    /// Longest between two heartbeats.
    env::Duration pause_max = std::chrono::milliseconds(300);
};

struct ConsumerPorts {
    Link link;
    /// Through which it says things twice.
    Link other;
    SeeCoordinator sees;
};

class Consumer {
public:
    Consumer(ConsumerPorts ports, ConsumerShape shape, SeededRandom random, History& history);

    env::Task<void> run();
    env::Task<void> watch();
    /// Stays from now on, and does nothing that it should not.
    void finish() { is_finishing_ = true; }
    /// Since finish() it has committed all that is its own and read what is committed, and has
    /// nothing to give up.
    bool is_settled() const { return is_settled_; }
    const std::string& group() const { return shape_.group; }
    std::int32_t epoch() const { return epoch_; }
    const std::set<std::int32_t>& owned() const { return owned_; }
    std::string text() const;

private:
    using Partitions = std::set<std::int32_t>;
    using Offsets = std::map<std::int32_t, std::int64_t>;
    using HeartbeatAnswer = protocol::ConsumerGroupHeartbeatResponse;

    /// What one heartbeat says.
    struct Said {
        std::int32_t epoch = 0;
        /// All of it, as with the first one.
        bool is_whole = false;
        /// Nothing: as before.
        std::optional<Partitions> owned{};
    };
    struct Commit {
        std::int32_t epoch = 0;
        Offsets offsets{};
    };
    /// A heartbeat, and what its request views.
    class Frame;

    /// Another process, with another id.
    void begin_life();
    env::Task<void> turn();
    /// These are false if it has to find its coordinator again, or has lost its place.
    env::Task<bool> heartbeat();
    env::Task<bool> fetch(Partitions which, bool is_start);
    env::Task<bool> commit();
    env::Task<bool> send_commit(Commit said, bool is_stale);

    Said next_said();
    bool hear(const HeartbeatAnswer& answer, const Said& said, const Holds::Answer& when);
    void take(const HeartbeatAnswer::Assignment& assignment, const Holds::Answer& when);
    void lose(const Said& said);
    bool is_refused(std::int16_t code, std::string_view what);
    static bool has_lost_its_place(ErrorCode code);
    void give_up_what_is_wanted();
    void forget_assignment();

    /// One of the things that clients do and should not.
    env::Task<void> misbehave();
    env::Task<void> leave();
    env::Task<void> die();
    env::Task<void> heartbeat_unheard();
    env::Task<void> say_again();
    /// What it has given up.
    env::Task<void> commit_late();

    env::Task<void> sleep(env::Duration duration);
    /// Shorter or longer than its session.
    env::Duration any_pause();
    Partitions all_partitions() const;
    GroupHistory& seen() { return history_.groups[shape_.group]; }
    protocol::NullableString instance() const;
    const std::string& name() const { return shape_.is_static ? instance_ : member_id_; }

    Link link_;
    Link other_;
    const ConsumerShape shape_;
    SeededRandom random_;
    History& history_;
    const SeeCoordinator sees_;
    const std::string instance_;
    Holds holds_;

    // Of one life.
    std::string member_id_;
    std::string assignor_;
    bool is_by_regex_ = false;
    bool commits_by_id_ = false;

    std::int32_t epoch_ = 0;
    Uuid topic_id_;
    Partitions owned_;
    /// Of these, wanted back.
    Partitions to_give_up_;
    /// Of these, without a known offset to go on from.
    Partitions to_read_;
    Offsets at_;
    bool says_all_ = true;
    /// Its coordinator is elsewhere, or not ready.
    bool must_connect_ = false;
    /// What the coordinator was told last, and has answered.
    Partitions heard_owned_;
    std::optional<Said> last_said_;
    std::optional<Commit> last_commit_;
    /// The first heartbeat since the last answer.
    env::Instant asked_since_ = env::kNever;
    bool is_finishing_ = false;
    bool is_settled_ = false;
};

}  // namespace milena::sim
