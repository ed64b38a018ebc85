// SPDX-License-Identifier: Apache-2.0
// Where all chance in a simulation comes from: one seed, and from it one stream of numbers for each
// thing that draws, so that a change in how often one of them draws leaves the others alone.
#pragma once

#include <cstdint>
#include <string_view>

#include "milena/env/env.h"

namespace milena::sim {

/// Mixes the bits of `number` well (the finaliser of splitmix64).
constexpr std::uint64_t mix(std::uint64_t number) {
    number = (number ^ (number >> 30)) * 0xBF58'476D'1CE4'E5B9ULL;
    number = (number ^ (number >> 27)) * 0x94D0'49BB'1331'11EBULL;
    return number ^ (number >> 31);
}

/// splitmix64: any seed is a good one.
class SeededRandom final : public env::Random {
public:
    explicit SeededRandom(std::uint64_t seed) : state_(seed) {}

    std::uint64_t next() override { return mix(state_ += 0x9E37'79B9'7F4A'7C15ULL); }
    /// From 0 to below `bound`, which is not 0.
    std::uint64_t below(std::uint64_t bound);
    /// From `low` to `high`, both included.
    std::uint64_t between(std::uint64_t low, std::uint64_t high) {
        return low + below(high - low + 1);
    }
    env::Duration between(env::Duration low, env::Duration high);
    /// True in `probability` of all draws.
    bool chance(double probability);
    /// A stream of its own for what `name` names.
    SeededRandom fork(std::string_view name);

private:
    std::uint64_t state_;
};

}  // namespace milena::sim
