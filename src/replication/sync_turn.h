// SPDX-License-Identifier: Apache-2.0
// Group commit of one log: however many appends ask, one sync runs at a time and one more is
// queued, which covers all that was appended before it begins. Guarded by its replica.
#pragma once

namespace milena::replication {

class SyncTurn {
public:
    /// An append wants a sync. True if the log is to be queued for one now.
    bool want() {
        if (state_ == State::running) state_ = State::running_and_wanted;
        if (state_ != State::idle) return false;
        state_ = State::queued;
        return true;
    }
    void begin() { state_ = State::running; }
    /// True if another was wanted meanwhile, and the log is to be queued again.
    bool end() {
        const bool again = state_ == State::running_and_wanted;
        state_ = again ? State::queued : State::idle;
        return again;
    }

private:
    enum class State { idle, queued, running, running_and_wanted };
    State state_ = State::idle;
};

}  // namespace milena::replication
