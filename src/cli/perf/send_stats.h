// SPDX-License-Identifier: Apache-2.0
// The figures of a producer's test, and the lines in which kafka-producer-perf-test prints them.
// It knows no clock: times are milliseconds that whoever has one hands in.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace milena::cli {

class SendStats {
public:
    /// `records` is how many are expected: latencies of at most 500,000 of them are kept, evenly
    /// spread, for the percentiles.
    SendStats(std::int64_t records, std::int64_t start_ms);

    void record(std::int64_t latency_ms, std::int64_t bytes);
    /// When the window that is open began.
    std::int64_t window_start_ms() const { return window_.start_ms; }
    /// The line of the window that is open; the next one begins.
    std::string take_window(std::int64_t now_ms);
    /// "20000 records sent, …"; `label` is "" or " steady state".
    std::string total(std::int64_t now_ms, std::string_view label) const;

private:
    struct Figures {
        std::int64_t start_ms = 0;
        std::int64_t count = 0;
        std::int64_t bytes = 0;
        std::int64_t latency_ms = 0;
        std::int64_t latency_ms_max = 0;
    };
    std::int64_t percentile(double part) const;

    Figures all_;
    Figures window_;
    std::int64_t sampling_;
    mutable std::vector<std::int32_t> latencies_;  ///< sorted by total()
};

}  // namespace milena::cli
