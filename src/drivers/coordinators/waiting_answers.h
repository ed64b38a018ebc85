// SPDX-License-Identifier: Apache-2.0
// Who has asked one coordinator and has no answer yet, by ticket; and the answers that are decided
// and wait until the records below them are committed, in the order of their decisions. Not
// thread-safe: the coordinator's guard is around it. Who is to be told what comes out as
// deliveries, for when the guard has been released.
#pragma once

#include <deque>
#include <memory>
#include <unordered_map>
#include <utility>
#include <vector>

#include "asker.h"
#include "milena/coordinator/groups.h"

namespace milena::drivers {

/// What somebody is to be told.
struct Delivery {
    std::shared_ptr<Asker> asker;
    Asker::Answer answer;
};
using Deliveries = std::vector<Delivery>;

/// Tells all of them; without a guard.
void deliver(Deliveries& deliveries);

class WaitingAnswers {
public:
    /// The ticket under which he is answered.
    coordinator::Ticket add(std::shared_ptr<Asker> asker);
    std::size_t size() const { return askers_.size(); }
    std::size_t parked() const { return parked_.size(); }

    /// Answers of a decision whose records, and all before them, end at `end`; `batch` is the
    /// number of the last batch among these. Ends and numbers never go back.
    void park(std::vector<coordinator::GroupAnswer> answers, Offset end, std::uint64_t batch);
    /// Those that wait for no more than that are given.
    void committed(Offset high_watermark, Deliveries& out);
    /// That batch is not committed in time: who waits for it, or for one before it, is told so.
    void give_up(std::uint64_t batch, const Error& why, Deliveries& out);
    /// Answers of a decision that is void.
    void refuse(const std::vector<coordinator::GroupAnswer>& answers, const Error& why,
                Deliveries& out);
    /// All, whether an answer was decided or not.
    void refuse_all(const Error& why, Deliveries& out);

private:
    struct Parked {
        Offset end;
        std::uint64_t batch = 0;
        coordinator::GroupAnswer answer;
    };
    /// A ticket that was answered before is passed over.
    void give(coordinator::Ticket ticket, Asker::Answer answer, Deliveries& out);

    std::unordered_map<coordinator::Ticket, std::shared_ptr<Asker>> askers_;
    std::deque<Parked> parked_;
    coordinator::Ticket next_ticket_ = 1;
};

}  // namespace milena::drivers
