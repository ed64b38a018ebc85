// SPDX-License-Identifier: Apache-2.0
// How restless a classic group is: how closely the generations follow one another in which somebody
// came or went, which says how long the next is put off for others to come too, and which clients
// leave again and again. Nothing of it is written: another coordinator begins anew.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "milena/env/clock.h"

namespace milena::coordinator {

struct Member;

/// A client that has left, or was taken out, several times of late. Its member ids are others each
/// time, so it is known by what it says of itself.
struct FlappingClient {
    std::string client_id;
    std::string client_host;
    std::optional<std::string> instance_id;
    std::uint32_t departures = 0;

    auto operator<=>(const FlappingClient&) const = default;
};

class Churn {
public:
    /// A generation that has lasted so long was calm: the rebalance that ends it is the first of
    /// whatever comes.
    static constexpr env::Duration kCalm = std::chrono::seconds(15);
    /// As many generations follow a calm one without a delay: somebody came, or left and came back.
    static constexpr std::uint32_t kFree = 2;
    /// The delay after these, which doubles with each one more.
    static constexpr env::Duration kShortest = std::chrono::milliseconds(500);
    /// Departures of a client are forgotten after this time.
    static constexpr env::Duration kRemembered = std::chrono::minutes(5);
    /// A client that has left so often flaps.
    static constexpr std::uint32_t kFlaps = 3;
    /// Clients whose departures are counted; of more, those that left last.
    static constexpr std::size_t kClientsMax = 16;

    void member_came() { has_changed_ = true; }
    void member_left(const Member& member, env::Instant now);

    void rebalance_begins(env::Instant now);
    void generation_begins(env::Instant now);

    /// Before it the next generation is not to begin, though all have joined, for others may come
    /// too. It is in the past in a calm group, and where nobody came or went since the last one: a
    /// rebalance that partitions or cooperative members ask for waits for nobody.
    env::Instant next_generation_at(env::Duration longest) const;

    /// Generations of the storm that there is, one close after the other.
    std::uint32_t storm() const { return storm_; }
    /// Those that have left most often first.
    std::vector<FlappingClient> flapping(env::Instant now) const;

private:
    struct Departed {
        FlappingClient client;
        env::Instant last;
    };

    bool has_changed_ = false;  ///< since the last generation began
    std::uint32_t storm_ = 0;
    std::optional<env::Instant> began_;  ///< the last generation
    std::vector<Departed> departed_;
};

}  // namespace milena::coordinator
