// SPDX-License-Identifier: Apache-2.0
// How values are distributed, in memory that does not depend on how many there were. Values are
// put into buckets whose width is at most an eighth of where they begin, so a quantile is right to
// 12.5 %.
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>

namespace milena::telemetry {

/// Buckets 0 to 7 hold one value each; then each power of two has eight buckets, up to 2^40 − 1,
/// where larger values are counted too.
inline constexpr std::size_t kHistogramBuckets = 8 * (40 - 3 + 1);

/// The sum of histograms at one time; not thread-safe.
class Distribution {
public:
    std::uint64_t count() const { return count_; }
    /// The least value that at least the share `quantile` (0 to 1) of all is not above, to the
    /// bucket's end; 0 if there are none.
    std::uint64_t quantile(double quantile) const;

private:
    friend class Histogram;
    std::array<std::uint64_t, kHistogramBuckets> buckets_{};
    std::uint64_t count_ = 0;
};

/// Counted by any thread and read by any other.
class Histogram {
public:
    void record(std::uint64_t value) {
        buckets_[bucket_of(value)].fetch_add(1, std::memory_order_relaxed);
    }
    void add_to(Distribution& sum) const;

    static std::size_t bucket_of(std::uint64_t value);
    /// The largest value that the bucket holds.
    static std::uint64_t end_of(std::size_t bucket);

private:
    std::array<std::atomic<std::uint64_t>, kHistogramBuckets> buckets_{};
};

}  // namespace milena::telemetry
