// SPDX-License-Identifier: Apache-2.0
// What is full gives up the sample that lies closest to its neighbours for its age; the first, from
// which everything is known, and the last stay.
#include "readable_history.h"

#include <algorithm>
#include <cmath>

#include "milena/base/invariant.h"

namespace milena::drivers {

void ReadableHistory::see(Offset high_watermark, LagTick now) {
    while (!samples_.empty() && samples_.back().offset > high_watermark) samples_.pop_back();
    if (!samples_.empty() && samples_.back().offset == high_watermark) {
        samples_.back().last = std::max(samples_.back().last, now);
        return;
    }
    if (samples_.size() == kSamplesMax) make_room(now);
    // Most partitions are idle and never have more than a few.
    if (samples_.size() == samples_.capacity())
        samples_.reserve(std::min(kSamplesMax, samples_.size() * 3 + 1));
    const LagTick at = samples_.empty() ? now : std::max(now, samples_.back().last);
    samples_.push_back({.offset = high_watermark, .first = at, .last = at});
}

void ReadableHistory::make_room(LagTick now) {
    std::size_t closest = 1;
    double closest_share = 0;
    for (std::size_t i = 1; i + 1 < samples_.size(); ++i) {
        const double gap = samples_[i + 1].first - samples_[i - 1].last;
        const double age = 1.0 + std::max(now, samples_[i].first) - samples_[i].first;
        if (i > 1 && gap / age >= closest_share) continue;
        closest = i;
        closest_share = gap / age;
    }
    samples_.erase(samples_.begin() + static_cast<std::ptrdiff_t>(closest));
}

double ReadableHistory::seconds_unread(Offset next, LagTick now) const {
    INVARIANT(!samples_.empty(), "how long is asked of who has seen nothing");
    const auto behind = std::ranges::upper_bound(samples_, next, {}, &Sample::offset);
    if (behind == samples_.end()) return 0;
    double readable = behind->first;
    if (behind != samples_.begin()) {
        const Sample& before = *std::prev(behind);
        const auto grown = static_cast<double>(behind->offset - before.offset);
        const double share = static_cast<double>(next - before.offset + 1) / grown;
        readable = before.last + share * (behind->first - before.last);
    }
    return std::round(std::max(0.0, now - readable)) / kLagTicksPerSecond;
}

}  // namespace milena::drivers
