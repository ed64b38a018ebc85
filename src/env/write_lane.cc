// SPDX-License-Identifier: Apache-2.0
// One slow write is enough to be careful; many quick ones end that.
#include "milena/env/write_lane.h"

namespace milena::env {

void WriteLane::disturb() {
    state_.with([this](State& state) {
        state.quick_in_a_row = 0;
        if (is_calm_.exchange(false)) ++state.disturbances;
    });
}

void WriteLane::wrote_in_pool(std::size_t bytes, Duration took) {
    if (took > allowed(bytes)) return disturb();
    if (is_calm()) return;
    state_.with([this](State& state) {
        if (++state.quick_in_a_row >= kQuickForCalm) is_calm_ = true;
    });
}

std::uint64_t WriteLane::disturbances() const {
    return state_.with([](const State& state) { return state.disturbances; });
}

}  // namespace milena::env
