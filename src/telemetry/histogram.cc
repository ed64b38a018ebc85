// SPDX-License-Identifier: Apache-2.0
// Buckets of a histogram: linear within each power of two.
#include "milena/telemetry/histogram.h"

#include <algorithm>
#include <bit>
#include <cmath>

namespace milena::telemetry {
namespace {

constexpr std::size_t kPerPower = 8;
constexpr int kPowerBits = 3;  // 2^3 == kPerPower
constexpr std::uint64_t kValueMax = (1ULL << 40) - 1;

}  // namespace

std::size_t Histogram::bucket_of(std::uint64_t value) {
    value = std::min(value, kValueMax);
    if (value < kPerPower) return static_cast<std::size_t>(value);
    const int power = static_cast<int>(std::bit_width(value)) - 1;
    const auto within = static_cast<std::size_t>(value >> (power - kPowerBits)) - kPerPower;
    return static_cast<std::size_t>(power - kPowerBits + 1) * kPerPower + within;
}

std::uint64_t Histogram::end_of(std::size_t bucket) {
    if (bucket < kPerPower) return bucket;
    const std::size_t shift = bucket / kPerPower - 1;
    return ((kPerPower + bucket % kPerPower + 1) << shift) - 1;
}

void Histogram::add_to(Distribution& sum) const {
    for (std::size_t i = 0; i < kHistogramBuckets; ++i) {
        const std::uint64_t count = buckets_[i].load(std::memory_order_relaxed);
        sum.buckets_[i] += count;
        sum.count_ += count;
    }
}

std::uint64_t Distribution::quantile(double quantile) const {
    const auto wanted = static_cast<std::uint64_t>(
        std::ceil(std::clamp(quantile, 0.0, 1.0) * static_cast<double>(count_)));
    std::uint64_t seen = 0;
    for (std::size_t i = 0; i < kHistogramBuckets; ++i) {
        seen += buckets_[i];
        if (seen != 0 && seen >= wanted) return Histogram::end_of(i);
    }
    return 0;
}

}  // namespace milena::telemetry
