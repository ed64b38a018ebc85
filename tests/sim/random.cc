// SPDX-License-Identifier: Apache-2.0
// Draws in the shapes that a simulation needs.
#include "sim/random.h"

namespace milena::sim {

std::uint64_t SeededRandom::below(std::uint64_t bound) {
    // The high half of the product: its bias is below bound / 2^64, far under what a simulation
    // could notice.
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * bound) >> 64);
}

env::Duration SeededRandom::between(env::Duration low, env::Duration high) {
    const auto span = static_cast<std::uint64_t>((high - low).count());
    return low + env::Duration(static_cast<env::Duration::rep>(below(span + 1)));
}

bool SeededRandom::chance(double probability) {
    return static_cast<double>(next() >> 11) * 0x1.0p-53 < probability;
}

SeededRandom SeededRandom::fork(std::string_view name) {
    std::uint64_t seed = next();
    for (const char letter : name)
        seed = mix(seed ^ static_cast<unsigned char>(letter)) + 0x9E37'79B9'7F4A'7C15ULL;
    return SeededRandom(seed);
}

}  // namespace milena::sim
