// SPDX-License-Identifier: Apache-2.0
// The parked are a queue: they are given from its front.
#include "waiting_answers.h"

#include <algorithm>

namespace milena::drivers {

using coordinator::GroupAnswer;
using coordinator::Ticket;

void deliver(Deliveries& deliveries) {
    for (Delivery& one : deliveries) one.asker->answer(std::move(one.answer));
    deliveries.clear();
}

Ticket WaitingAnswers::add(std::shared_ptr<Asker> asker) {
    const Ticket ticket = next_ticket_++;
    askers_.emplace(ticket, std::move(asker));
    return ticket;
}

void WaitingAnswers::park(std::vector<GroupAnswer> answers, Offset end, std::uint64_t batch) {
    INVARIANT(parked_.empty() || parked_.back().end <= end, "a decision before the one before it");
    for (GroupAnswer& answer : answers) parked_.push_back({end, batch, std::move(answer)});
}

void WaitingAnswers::committed(Offset high_watermark, Deliveries& out) {
    while (!parked_.empty() && parked_.front().end <= high_watermark) {
        GroupAnswer answer = std::move(parked_.front().answer);
        parked_.pop_front();
        give(answer.ticket, std::move(answer.reply), out);
    }
}

void WaitingAnswers::give_up(std::uint64_t batch, const Error& why, Deliveries& out) {
    while (!parked_.empty() && parked_.front().batch <= batch) {
        give(parked_.front().answer.ticket, std::unexpected(why), out);
        parked_.pop_front();
    }
}

void WaitingAnswers::refuse(const std::vector<GroupAnswer>& answers, const Error& why,
                            Deliveries& out) {
    for (const GroupAnswer& answer : answers) give(answer.ticket, std::unexpected(why), out);
}

void WaitingAnswers::refuse_all(const Error& why, Deliveries& out) {
    parked_.clear();
    // In the order in which they came, so that the same run is the same run again.
    std::vector<Ticket> tickets;
    tickets.reserve(askers_.size());
    for (const auto& [ticket, asker] : askers_) tickets.push_back(ticket);
    std::ranges::sort(tickets);
    for (const Ticket ticket : tickets) give(ticket, std::unexpected(why), out);
}

void WaitingAnswers::give(Ticket ticket, Asker::Answer answer, Deliveries& out) {
    const auto found = askers_.find(ticket);
    if (found == askers_.end()) return;
    out.push_back({std::move(found->second), std::move(answer)});
    askers_.erase(found);
}

}  // namespace milena::drivers
