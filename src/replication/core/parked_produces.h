// SPDX-License-Identifier: Apache-2.0
// Produces with acks=all that wait for the high watermark, in the order of the offset they wait
// for: when it moves, the front pops, and what has not been reached is not looked at. Part of the
// leader core: pure, no clock, no callbacks; a produce is a ticket that the host can turn back into
// its caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "milena/base/error_code.h"
#include "milena/base/ids.h"
#include "milena/env/clock.h"

namespace milena::replication {

struct ParkedProduce {
    /// The high watermark that answers it: the offset after its last record.
    Offset required;
    env::Instant deadline;
    std::uint64_t ticket = 0;
};

/// The end of a parked produce.
struct Completion {
    std::uint64_t ticket = 0;
    ErrorCode code = ErrorCode::none;

    bool operator==(const Completion&) const = default;
};

class ParkedProduces {
public:
    /// Most that wait on one partition.
    static constexpr std::size_t kParkedMax = 65'536;

    std::size_t size() const { return queue_.size() - front_; }
    bool full() const { return size() >= kParkedMax; }

    /// Normally at the end. A duplicate waits for the offset its batch got the first time, and goes
    /// before.
    void park(const ParkedProduce& produce);

    /// Those that `high_watermark` has reached, as successes: O(completed).
    void pop_reached(Offset high_watermark, std::vector<Completion>& completed);
    /// Those whose deadline is at or before `now`, in queue order. Looks at the queue only if there
    /// may be one.
    void pop_expired(env::Instant now, ErrorCode code, std::vector<Completion>& completed);
    void pop_all(ErrorCode code, std::vector<Completion>& completed);

    /// No deadline comes before this; kNever if nothing waits. Exact after pop_expired().
    env::Instant next_deadline() const { return size() == 0 ? env::kNever : earliest_; }

private:
    std::vector<ParkedProduce>::iterator begin() {
        return queue_.begin() + static_cast<std::ptrdiff_t>(front_);
    }
    void drop_front(std::size_t count);

    /// From front_ on; what lies before has been popped and goes when it is half of the whole.
    std::vector<ParkedProduce> queue_;
    std::size_t front_ = 0;
    env::Instant earliest_ = env::kNever;
};

}  // namespace milena::replication
