// SPDX-License-Identifier: Apache-2.0
// When more cores are put to work, and when fewer.
#include "core_spread.h"

#include <algorithm>
#include <numeric>

namespace milena::env {
namespace {

constexpr std::int64_t kBusyPercent = 60;
/// Of what half the cores could do. Far below kBusyPercent: the same work costs half as much again
/// when it is spread.
constexpr std::int64_t kQuietPercent = 30;
constexpr Duration kQuietFor = std::chrono::seconds(10);

bool exceeds(Duration used, std::int64_t percent, Duration elapsed) {
    return used * 100 > elapsed * percent;
}

}  // namespace

void CoreSpread::note(std::span<const Duration> used, Duration elapsed) {
    const auto at_work = used.first(std::min(working_, used.size()));
    if (std::ranges::any_of(at_work,
                            [&](Duration one) { return exceeds(one, kBusyPercent, elapsed); })) {
        working_ = std::min(working_ * 2, cores_);
        quiet_ = {};
        return;
    }
    if (working_ == 1) return;
    const Duration together = std::accumulate(used.begin(), used.end(), Duration{});
    const std::size_t fewer = (working_ + 1) / 2;
    if (exceeds(together, kQuietPercent * static_cast<std::int64_t>(fewer), elapsed)) {
        quiet_ = {};
        return;
    }
    quiet_ += elapsed;
    if (quiet_ < kQuietFor) return;
    working_ = fewer;
    quiet_ = {};
}

}  // namespace milena::env
