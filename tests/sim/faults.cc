// SPDX-License-Identifier: Apache-2.0
// Calls of files and network are counted together, so "the n-th call" walks both.
#include "sim/faults.h"

namespace milena::sim {

void FaultPlan::fail_call(std::uint64_t after, int error_number) {
    failing_call_ = calls_ + after;
    error_number_ = error_number;
    fired_ = false;
}

void FaultPlan::lose_power_at_call(std::uint64_t after) {
    last_call_ = calls_ + after;
    fired_ = false;
}

void FaultPlan::clear() {
    failing_call_ = last_call_ = kNoCall;
    error_rate_ = 0;
    syncs_fail_ = fired_ = power_lost_ = paused_ = false;
}

std::optional<int> FaultPlan::next_call() {
    if (paused_) return std::nullopt;
    const std::uint64_t call = calls_++;
    if (call >= last_call_) {
        fired_ = power_lost_ = true;
        return EIO;
    }
    if (call == failing_call_) {
        fired_ = true;
        return error_number_;
    }
    if (error_rate_ > 0 && random_.chance(error_rate_)) return EIO;
    return std::nullopt;
}

}  // namespace milena::sim
