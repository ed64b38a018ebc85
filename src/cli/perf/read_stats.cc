// SPDX-License-Identifier: Apache-2.0
// Megabytes and rates, with four decimals.
#include "perf/read_stats.h"

#include <fmt/format.h>

namespace milena::cli {
namespace {

constexpr double kMegabyte = 1024.0 * 1024.0;

/// So much in a second, nothing in no time.
double per_second(double amount, std::int64_t ms) {
    return ms <= 0 ? 0 : amount * 1000.0 / static_cast<double>(ms);
}

/// What one line says of a stretch of time.
struct Stretch {
    double megabytes = 0;
    double records = 0;
    std::int64_t ms = 0;
    std::int64_t assigning_ms = 0;

    std::string times() const {
        const std::int64_t fetching_ms = ms - assigning_ms;
        return fmt::format("{}, {}, {:.4f}, {:.4f}", assigning_ms, fetching_ms,
                           per_second(megabytes, fetching_ms), per_second(records, fetching_ms));
    }
};

double megabytes(std::int64_t bytes) {
    return static_cast<double>(bytes) / kMegabyte;
}

}  // namespace

std::string_view ReadStats::header(bool is_detailed) {
    return is_detailed ? "time, threadId, data.consumed.in.MB, MB.sec, data.consumed.in.nMsg, "
                         "nMsg.sec, rebalance.time.ms, fetch.time.ms, fetch.MB.sec, "
                         "fetch.nMsg.sec\n"
                       : "start.time, end.time, data.consumed.in.MB, MB.sec, "
                         "data.consumed.in.nMsg, nMsg.sec, rebalance.time.ms, fetch.time.ms, "
                         "fetch.MB.sec, fetch.nMsg.sec\n";
}

std::string ReadStats::take_interval(std::int64_t now_ms, const DateFormat& dates) {
    const Stretch stretch{megabytes(bytes_ - reported_bytes_),
                          static_cast<double>(records_ - reported_records_), now_ms - reported_ms_,
                          assigned_ms_ - reported_assigned_ms_};
    std::string line =
        fmt::format("{}, 0, {:.4f}, {:.4f}, {}, {:.4f}, {}\n", dates.text(now_ms),
                    megabytes(bytes_), per_second(stretch.megabytes, stretch.ms), records_,
                    per_second(stretch.records, stretch.ms), stretch.times());
    reported_ms_ = now_ms;
    reported_records_ = records_;
    reported_bytes_ = bytes_;
    reported_assigned_ms_ = assigned_ms_;
    return line;
}

std::string ReadStats::total(std::int64_t end_ms, const DateFormat& dates) const {
    const Stretch all{megabytes(bytes_), static_cast<double>(records_), end_ms - start_ms_,
                      assigned_ms_};
    return fmt::format("{}, {}, {:.4f}, {:.4f}, {}, {:.4f}, {}\n", dates.text(start_ms_),
                       dates.text(end_ms), all.megabytes, per_second(all.megabytes, all.ms),
                       records_, per_second(all.records, all.ms), all.times());
}

}  // namespace milena::cli
