// SPDX-License-Identifier: Apache-2.0
// Wall time begins on one fixed day, so that what a run writes depends on the seed alone.
#include "sim/clock.h"

namespace milena::sim {
namespace {

/// 2026-01-01 00:00 UTC, when every world begins.
constexpr std::int64_t kBeginMs = 1'767'225'600'000;

}  // namespace

env::Timestamp SimClock::wall() const {
    const auto since_begin = timeline_.now().time_since_epoch() + skew_;
    return env::Timestamp(kBeginMs +
                          std::chrono::floor<std::chrono::milliseconds>(since_begin).count());
}

}  // namespace milena::sim
