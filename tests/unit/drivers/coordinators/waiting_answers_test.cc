// SPDX-License-Identifier: Apache-2.0
// Answers leave in the order of their decisions, when what they say is committed, and each asker
// hears exactly once.
#include "coordinators/waiting_answers.h"

#include <gtest/gtest.h>

namespace milena::drivers {
namespace {

using coordinator::HeartbeatReply;
using coordinator::Ticket;

const Error kLost{ErrorCode::not_coordinator, {}};

coordinator::GroupAnswer answer(Ticket ticket) {
    return {ticket, HeartbeatReply{}};
}

/// Adds `count` askers to `waiting`, and knows by their tickets who of them was told.
class Askers {
public:
    Askers(WaitingAnswers& waiting, int count) {
        for (int i = 0; i < count; ++i) {
            askers_.push_back(std::make_shared<Asker>());
            tickets.push_back(waiting.add(askers_.back()));
        }
    }
    std::vector<Ticket> told(const Deliveries& deliveries) const {
        std::vector<Ticket> out;
        for (const auto& delivery : deliveries) {
            const auto at = std::ranges::find(askers_, delivery.asker) - askers_.begin();
            out.push_back(tickets[static_cast<std::size_t>(at)]);
        }
        return out;
    }
    std::vector<Ticket> tickets;

private:
    std::vector<std::shared_ptr<Asker>> askers_;
};

TEST(WaitingAnswers, GivesWhatTheHighWatermarkHasReached) {
    WaitingAnswers waiting;
    const Askers askers(waiting, 3);
    waiting.park({answer(askers.tickets[0])}, Offset(5), 1);
    waiting.park({answer(askers.tickets[2]), answer(askers.tickets[1])}, Offset(7), 2);
    Deliveries out;
    waiting.committed(Offset(4), out);
    EXPECT_TRUE(out.empty());
    waiting.committed(Offset(5), out);
    EXPECT_EQ(askers.told(out), std::vector{askers.tickets[0]});
    out.clear();
    waiting.committed(Offset(9), out);
    EXPECT_EQ(askers.told(out), (std::vector{askers.tickets[2], askers.tickets[1]}));
    EXPECT_TRUE(out[0].answer.has_value());
    EXPECT_EQ(waiting.size(), 0U);
}

TEST(WaitingAnswers, GivesUpABatchAndThoseBeforeIt) {
    WaitingAnswers waiting;
    const Askers askers(waiting, 3);
    for (std::size_t i = 0; i < 3; ++i)
        waiting.park({answer(askers.tickets[i])}, Offset(static_cast<std::int64_t>(i)), i + 1);
    Deliveries out;
    waiting.give_up(2, {ErrorCode::coordinator_not_available, {}}, out);
    EXPECT_EQ(askers.told(out), (std::vector{askers.tickets[0], askers.tickets[1]}));
    EXPECT_EQ(out[0].answer.error().code, ErrorCode::coordinator_not_available);
    EXPECT_EQ(waiting.parked(), 1U);
}

TEST(WaitingAnswers, RefusesADecisionThatIsVoid) {
    WaitingAnswers waiting;
    const Askers askers(waiting, 2);
    Deliveries out;
    waiting.refuse({answer(askers.tickets[1])}, kLost, out);
    EXPECT_EQ(askers.told(out), std::vector{askers.tickets[1]});
    EXPECT_EQ(waiting.size(), 1U) << "the other waits";
}

TEST(WaitingAnswers, RefusesAllInTheOrderInWhichTheyCame) {
    WaitingAnswers waiting;
    const Askers askers(waiting, 20);
    waiting.park({answer(askers.tickets[3])}, Offset(9), 1);
    Deliveries out;
    waiting.refuse_all(kLost, out);
    EXPECT_EQ(askers.told(out), askers.tickets);
    EXPECT_EQ(waiting.parked(), 0U);
}

TEST(WaitingAnswers, PassesOverWhoWasAnsweredBefore) {
    WaitingAnswers waiting;
    const Askers askers(waiting, 1);
    Deliveries out;
    waiting.refuse({answer(askers.tickets[0])}, kLost, out);
    waiting.park({answer(askers.tickets[0])}, Offset(1), 1);
    waiting.committed(Offset(1), out);
    EXPECT_EQ(out.size(), 1U);
}

}  // namespace
}  // namespace milena::drivers
