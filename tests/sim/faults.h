// SPDX-License-Identifier: Apache-2.0
// Which of a node's calls into the world fail. Files and network ask here before they do anything.
#pragma once

#include <cerrno>
#include <cstdint>
#include <limits>
#include <optional>

#include "sim/random.h"

namespace milena::sim {

class FaultPlan {
public:
    explicit FaultPlan(SeededRandom random) : random_(random) {}

    /// The call that comes `after` further calls fails with `error_number`, once.
    void fail_call(std::uint64_t after, int error_number = EIO);
    /// From the call that comes `after` further calls on, nothing works and the node's power is
    /// gone.
    void lose_power_at_call(std::uint64_t after);
    /// Each call fails with EIO in that part of all cases.
    void set_error_rate(double probability) { error_rate_ = probability; }
    /// Every sync from now on fails, and forgets the writes it should have saved.
    void set_syncs_fail(bool fail) { syncs_fail_ = fail; }
    /// Calls between the two neither fail nor count: the preparation of a test.
    void pause() { paused_ = true; }
    void resume() { paused_ = false; }
    /// No more faults but those asked for again.
    void clear();

    std::uint64_t calls() const { return calls_; }
    /// True once the fault that fail_call() or lose_power_at_call() asked for has come.
    bool has_fired() const { return fired_; }
    bool power_is_lost() const { return power_lost_; }

    /// For files and network: counts a call and gives the errno it fails with, if it does.
    std::optional<int> next_call();
    bool syncs_fail() const { return syncs_fail_; }

private:
    static constexpr std::uint64_t kNoCall = std::numeric_limits<std::uint64_t>::max();

    SeededRandom random_;
    std::uint64_t calls_ = 0;
    std::uint64_t failing_call_ = kNoCall;
    std::uint64_t last_call_ = kNoCall;
    int error_number_ = EIO;
    double error_rate_ = 0;
    bool syncs_fail_ = false;
    bool fired_ = false;
    bool power_lost_ = false;
    bool paused_ = false;
};

}  // namespace milena::sim
