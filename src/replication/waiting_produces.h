// SPDX-License-Identifier: Apache-2.0
// The callers of parked produces, by ticket. Tickets are slots that are used again, so that parking
// takes no memory once the partition has seen its usual number of waiting produces.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "milena/replication/partition.h"

namespace milena::replication {

struct WaitingProduce {
    ProduceDone done;
    Offset base_offset;
    Timestamp log_append_time{-1};
};

class WaitingProduces {
public:
    /// The ticket that the next add() gives.
    std::uint64_t next_ticket() const { return free_.empty() ? slots_.size() : free_.back(); }

    void add(WaitingProduce produce) {
        if (free_.empty()) {
            slots_.push_back(std::move(produce));
        } else {
            slots_[free_.back()] = std::move(produce);
            free_.pop_back();
        }
    }

    WaitingProduce take(std::uint64_t ticket) {
        INVARIANT(ticket < slots_.size() && slots_[ticket].done, "nobody waits with this ticket");
        free_.push_back(ticket);
        return std::exchange(slots_[ticket], {});
    }

private:
    std::vector<WaitingProduce> slots_;
    std::vector<std::uint64_t> free_;
};

}  // namespace milena::replication
