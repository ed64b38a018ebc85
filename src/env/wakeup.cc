// SPDX-License-Identifier: Apache-2.0
// A Wakeup is a flag of the owner's thread and the timer that its waiter sleeps on. Other threads
// reach the flag only through a post, and at most one post is under way: a burst of notifies costs
// one.
#include <atomic>
#include <utility>

#include "milena/base/invariant.h"
#include "milena/env/env.h"

namespace milena::env {

struct Wakeup::State : std::enable_shared_from_this<State> {
    State(Env& env, Executor of) : owner(of), timer(env.make_timer(of)) {}

    /// From any thread.
    void notify() {
        if (owner.running_in_this_thread()) return raise();
        if (posted.exchange(true)) return;
        post(owner, [self = shared_from_this()] {
            self->posted.store(false);
            self->raise();
        });
    }

    /// On the owner's thread.
    void raise() {
        raised = true;
        if (waiting && timer != nullptr) timer->cancel();
    }

    const Executor owner;
    std::unique_ptr<Timer> timer;  ///< none once the Wakeup is gone
    bool raised = false;
    bool waiting = false;
    std::atomic<bool> posted = false;
};

Wakeup::Wakeup(Env& env, Executor owner) : state_(std::make_shared<State>(env, owner)) {}

// The state may live on in handles and in a post; the timer must not, it belongs to the owner's
// thread.
Wakeup::~Wakeup() {
    state_->timer.reset();
}

void Wakeup::notify() {
    state_->notify();
}

std::function<void()> Wakeup::handle() const {
    return [state = state_] { state->notify(); };
}

Task<bool> Wakeup::wait_until(Instant when) {
    const std::shared_ptr<State> state = state_;
    INVARIANT(state->owner.running_in_this_thread(), "a Wakeup is waited for on another thread");
    INVARIANT(!state->waiting, "two coroutines wait on one Wakeup");
    if (!state->raised) {
        state->waiting = true;
        co_await state->timer->wait_until(when);
        state->waiting = false;
    }
    co_return std::exchange(state->raised, false);
}

}  // namespace milena::env
