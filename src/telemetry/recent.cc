// SPDX-License-Identifier: Apache-2.0
// A window begins with its first value; an old one is overwritten, never moved.
#include "milena/telemetry/recent.h"

#include <algorithm>

namespace milena::telemetry {

namespace {
constexpr env::Duration kWindow = std::chrono::seconds(30);
}  // namespace

bool RecentValues::counts(const Window& window, env::Instant now) const {
    return window.count > 0 && now - window.begin < 2 * kWindow;
}

void RecentValues::add(double value, env::Instant now) {
    if (windows_[newest_].count == 0 || now - windows_[newest_].begin >= kWindow) {
        newest_ = 1 - newest_;
        windows_[newest_] = {now, 0, value, 0};
    }
    Window& window = windows_[newest_];
    window.sum += value;
    window.count += 1;
    window.greatest = std::max(window.greatest, value);
}

std::optional<double> RecentValues::average(env::Instant now) const {
    double sum = 0;
    double count = 0;
    for (const Window& window : windows_) {
        if (!counts(window, now)) continue;
        sum += window.sum;
        count += window.count;
    }
    if (count == 0) return std::nullopt;
    return sum / count;
}

std::optional<double> RecentValues::greatest(env::Instant now) const {
    std::optional<double> greatest;
    for (const Window& window : windows_) {
        if (counts(window, now))
            greatest = std::max(greatest.value_or(window.greatest), window.greatest);
    }
    return greatest;
}

double RecentValues::per_second(env::Instant now) const {
    double sum = 0;
    env::Duration span = kWindow;
    for (const Window& window : windows_) {
        if (!counts(window, now)) continue;
        sum += window.sum;
        span = std::max(span, now - window.begin);
    }
    return sum / std::chrono::duration<double>(span).count();
}

}  // namespace milena::telemetry
