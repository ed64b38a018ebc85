// SPDX-License-Identifier: Apache-2.0
// The generator of java.util.SplittableRandom (SplitMix64: Steele, Lea, Flood 2014), so that one
// seed gives the payloads that Kafka's tool makes of it.
#pragma once

#include <cstdint>
#include <span>

namespace milena::cli {

class SplittableRandom {
public:
    explicit SplittableRandom(std::uint64_t seed) : seed_(seed) {}

    /// From 0 to `bound` - 1, as nextInt(bound). `bound` is at least 1.
    std::uint32_t next_below(std::uint32_t bound);
    /// Capital letters, each of one next_below(26).
    void fill_with_letters(std::span<char> into);

private:
    std::uint64_t seed_;
};

}  // namespace milena::cli
