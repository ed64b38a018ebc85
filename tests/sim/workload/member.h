// SPDX-License-Identifier: Apache-2.0
// A member of a classic group, as clients are: it joins, takes its share or hands shares out, and
// commits while it heartbeats. Now and then it leaves, dies without a word, or sleeps for so long
// that it is taken for dead and then goes on as if nothing had been.
#pragma once

#include "sim/workload/coordinator_seen.h"
#include "sim/workload/holds.h"
#include "sim/workload/link.h"

namespace milena::sim {

struct MemberShape {
    std::string group;
    std::string topic;
    std::int32_t partitions = 1;
    std::int32_t number = 0;
    /// It has a group.instance.id (KIP-345).
    bool is_static = false;
    env::Duration session_timeout = std::chrono::seconds(3);
    /// Longest between two commits.
    env::Duration pause_max = std::chrono::milliseconds(300);
};

class Member {
public:
    Member(Link link, MemberShape shape, SeededRandom random, History& history,
           SeeCoordinator sees);

    env::Task<void> run();
    env::Task<void> watch() { return link_.watch(); }
    /// Stays from now on.
    void finish() { is_finishing_ = true; }
    /// Since finish() it has committed all that is its own and read what is committed. Not if it
    /// has joined again since.
    bool is_settled() const { return is_settled_; }
    const std::string& group() const { return shape_.group; }
    std::int32_t generation() const { return generation_; }
    const std::vector<std::int32_t>& owned() const { return owned_; }
    std::string text() const;

private:
    enum class Next : std::uint8_t { goes_on, joins, connects };

    env::Task<Next> join();
    env::Task<Next> sync(const std::vector<std::string>& members);
    env::Task<Next> heartbeat();
    env::Task<Next> commit();
    /// Of all partitions; what is its own goes on there if `is_start`.
    env::Task<Next> fetch(bool is_start);
    env::Task<Next> work();
    /// One of the things that clients do and should not.
    env::Task<Next> misbehave();
    env::Task<void> leave();
    /// What follows from an error; complains of one that nothing explains.
    Next after(std::int16_t code, std::string_view what);
    void take(BytesView assignment, const Holds::Answer& when);
    void forget_membership();
    /// An answer that came now.
    Holds::Answer answer_to(env::Instant sent, const std::optional<CoordinatorSeen>& coordinator);
    env::Task<void> sleep(env::Duration duration);
    GroupHistory& seen() { return history_.groups[shape_.group]; }
    protocol::NullableString instance() const;
    const std::string& name() const { return shape_.is_static ? instance_ : member_id_; }

    Link link_;
    const MemberShape shape_;
    SeededRandom random_;
    History& history_;
    const SeeCoordinator sees_;
    const std::string instance_;
    Holds holds_;
    std::string member_id_;
    std::int32_t generation_ = -1;
    std::vector<std::int32_t> owned_;
    /// Of what is its own: the last offset that it committed, or tried to.
    std::map<std::int32_t, std::int64_t> at_;
    bool is_finishing_ = false;
    bool is_settled_ = false;
};

}  // namespace milena::sim
