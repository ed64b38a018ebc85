// SPDX-License-Identifier: Apache-2.0
// SplitMix64, and numbers below a bound by rejection.
#include "perf/splittable_random.h"

namespace milena::cli {
namespace {

constexpr std::uint64_t kGamma = 0x9E3779B97F4A7C15;
constexpr std::uint32_t kSignBit = 1U << 31;

std::uint32_t mix32(std::uint64_t z) {
    z = (z ^ (z >> 33)) * 0x62A9D9ED799705F5;
    return static_cast<std::uint32_t>(((z ^ (z >> 28)) * 0xCB24D0A5C88C35B3) >> 32);
}

/// Inlined where `bound` is a constant, so that the compiler divides by multiplying.
inline std::uint32_t below(std::uint64_t& seed, std::uint32_t bound) {
    const std::uint32_t most = bound - 1;
    if ((bound & most) == 0) return mix32(seed += kGamma) & most;
    for (;;) {
        const std::uint32_t drawn = mix32(seed += kGamma) >> 1;
        const std::uint32_t rest = drawn % bound;
        // What is drawn from the last, incomplete multiple of the bound is drawn again.
        if (drawn + most - rest < kSignBit) return rest;
    }
}

}  // namespace

std::uint32_t SplittableRandom::next_below(std::uint32_t bound) {
    return below(seed_, bound);
}

void SplittableRandom::fill_with_letters(std::span<char> into) {
    constexpr std::uint32_t kLetters = 26;
    std::uint64_t seed = seed_;
    for (char& c : into) c = static_cast<char>('A' + below(seed, kLetters));
    seed_ = seed;
}

}  // namespace milena::cli
