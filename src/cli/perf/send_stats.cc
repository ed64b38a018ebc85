// SPDX-License-Identifier: Apache-2.0
// Counts, and formats.
#include "perf/send_stats.h"

#include <algorithm>

#include <fmt/format.h>

namespace milena::cli {
namespace {

constexpr std::int64_t kSamplesMax = 500'000;
constexpr double kMegabyte = 1024.0 * 1024.0;

/// So much in a second; nothing of nothing.
double per_second(std::int64_t amount, std::int64_t ms) {
    return amount == 0 ? 0
                       : 1000.0 * static_cast<double>(amount) /
                             static_cast<double>(std::max<std::int64_t>(ms, 1));
}

/// The mean with so many decimals; Java's word for none.
std::string mean(std::int64_t sum, std::int64_t count, int decimals) {
    if (count == 0) return "NaN";
    return fmt::format("{:.{}f}", static_cast<double>(sum) / static_cast<double>(count), decimals);
}

}  // namespace

SendStats::SendStats(std::int64_t records, std::int64_t start_ms)
    : sampling_(records / std::clamp<std::int64_t>(records, 1, kSamplesMax)) {
    all_.start_ms = window_.start_ms = start_ms;
    sampling_ = std::max<std::int64_t>(sampling_, 1);
}

void SendStats::record(std::int64_t latency_ms, std::int64_t bytes) {
    if (all_.count % sampling_ == 0) latencies_.push_back(static_cast<std::int32_t>(latency_ms));
    for (Figures* const figures : {&all_, &window_}) {
        ++figures->count;
        figures->bytes += bytes;
        figures->latency_ms += latency_ms;
        figures->latency_ms_max = std::max(figures->latency_ms_max, latency_ms);
    }
}

std::string SendStats::take_window(std::int64_t now_ms) {
    const std::int64_t ms = now_ms - window_.start_ms;
    std::string line = fmt::format(
        "{} records sent, {:.1f} records/sec ({:.2f} MB/sec), {} ms avg latency, {:.1f} ms max "
        "latency.\n",
        window_.count, per_second(window_.count, ms), per_second(window_.bytes, ms) / kMegabyte,
        mean(window_.latency_ms, window_.count, 1), static_cast<double>(window_.latency_ms_max));
    window_ = {.start_ms = now_ms};
    return line;
}

std::int64_t SendStats::percentile(double part) const {
    if (latencies_.empty()) return 0;
    return latencies_[static_cast<std::size_t>(part * static_cast<double>(latencies_.size()))];
}

std::string SendStats::total(std::int64_t now_ms, std::string_view label) const {
    const std::int64_t ms = now_ms - all_.start_ms;
    std::ranges::sort(latencies_);
    return fmt::format(
        "{}{} records sent, {:.6f} records/sec ({:.2f} MB/sec), {} ms avg latency, {:.2f} ms max "
        "latency, {} ms 50th, {} ms 95th, {} ms 99th, {} ms 99.9th.\n",
        all_.count, label, per_second(all_.count, ms), per_second(all_.bytes, ms) / kMegabyte,
        mean(all_.latency_ms, all_.count, 2), static_cast<double>(all_.latency_ms_max),
        percentile(0.5), percentile(0.95), percentile(0.99), percentile(0.999));
}

}  // namespace milena::cli
