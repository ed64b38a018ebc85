// SPDX-License-Identifier: Apache-2.0
// The figures of a consumer's test, and the lines in which kafka-consumer-perf-test prints them.
// Times are milliseconds since 1970, handed in.
#pragma once

#include "perf/date_format.h"

namespace milena::cli {

class ReadStats {
public:
    explicit ReadStats(std::int64_t start_ms) : start_ms_(start_ms), reported_ms_(start_ms) {}

    static std::string_view header(bool is_detailed);

    void record(std::size_t bytes) {
        ++records_;
        bytes_ += static_cast<std::int64_t>(bytes);
    }
    /// Until it knew its partitions, which Kafka's tool spends in a rebalance.
    void assigned(std::int64_t now_ms) { assigned_ms_ = now_ms - start_ms_; }

    std::int64_t records() const { return records_; }
    std::int64_t bytes() const { return bytes_; }
    std::int64_t reported_ms() const { return reported_ms_; }
    /// The line of what came since the last one.
    std::string take_interval(std::int64_t now_ms, const DateFormat& dates);
    /// The line of the whole run.
    std::string total(std::int64_t end_ms, const DateFormat& dates) const;

private:
    std::int64_t start_ms_;
    std::int64_t assigned_ms_ = 0;
    std::int64_t records_ = 0;
    std::int64_t bytes_ = 0;
    std::int64_t reported_ms_;
    std::int64_t reported_records_ = 0;
    std::int64_t reported_bytes_ = 0;
    std::int64_t reported_assigned_ms_ = 0;
};

}  // namespace milena::cli
