// SPDX-License-Identifier: Apache-2.0
// What clients do and should not, or what is done to them. Each of it leaves the group with members
// that are gone, or requests that come late.
#include "sim/workload/consumer_frame.h"

namespace milena::sim {
namespace {

using namespace std::chrono_literals;

constexpr std::int32_t kLeaves = -1;
constexpr std::int32_t kGoesAway = -2;
constexpr env::Duration kFramePauseMax = 20ms;
constexpr env::Duration kAbsenceMax = 3s;
constexpr double kGoesAwayChance = 0.7;
constexpr double kSameIdChance = 0.3;

}  // namespace

env::Task<void> Consumer::misbehave() {
    switch (random_.below(4)) {
        case 0: return leave();
        case 1: return die();
        case 2: return heartbeat_unheard();
        // SIGSTOP: it goes on as if nothing had been.
        default: return sleep(any_pause());
    }
}

env::Task<void> Consumer::leave() {
    const bool goes_away = shape_.is_static && random_.chance(kGoesAwayChance);
    const Frame frame(*this, {.epoch = goes_away ? kGoesAway : kLeaves});
    holds_.give_up_all(link_.now());
    const auto answer = co_await link_.call<HeartbeatAnswer>(frame.request(), kConsumerVersion);
    const bool has_left = answer && answer->error_code == 0;
    // A process may join again by the same id; not while its leave may yet come.
    if (has_left && !shape_.is_static && random_.chance(kSameIdChance)) {
        forget_assignment();
    } else {
        begin_life();
    }
    co_await sleep(random_.between(env::Duration(10ms), kAbsenceMax));
}

/// Without a word, or with a last one that it does not hear answered.
env::Task<void> Consumer::die() {
    if (random_.chance(0.5)) {
        link_.drop();
    } else {
        const Said said = next_said();
        const Frame frame(*this, said);
        co_await link_.send_only(frame.request(), kConsumerVersion,
                                 random_.between(env::Duration(0), kFramePauseMax));
    }
    begin_life();
    co_await sleep(random_.between(env::Duration(10ms), shape_.session_timeout * 2));
}

env::Task<void> Consumer::heartbeat_unheard() {
    give_up_what_is_wanted();
    const Said said = next_said();
    const Frame frame(*this, said);
    asked_since_ = std::min(asked_since_, link_.now());
    co_await link_.send_only(frame.request(), kConsumerVersion,
                             random_.between(env::Duration(0), kFramePauseMax));
    lose(said);
}

/// What it said last, on a connection of its own, as a network does that has kept it.
env::Task<void> Consumer::say_again() {
    if (!last_said_) co_return;
    const Said said = *last_said_;
    if (co_await other_.ready_for_group(shape_.group) == nullptr) co_return;
    const Frame frame(*this, said);
    if (said.owned) holds_.ghost(*said.owned, link_.now());
    co_await other_.send_only(frame.request(), kConsumerVersion,
                              random_.between(env::Duration(0), kFramePauseMax));
}

env::Task<void> Consumer::commit_late() {
    Commit late{.epoch = last_commit_->epoch};
    for (const auto& [partition, offset] : last_commit_->offsets) {
        if (!owned_.contains(partition)) late.offsets[partition] = offset + 1;
    }
    const bool is_late = late.epoch < epoch_ && !late.offsets.empty();
    if (is_late) co_await send_commit(std::move(late), true);
}

}  // namespace milena::sim
