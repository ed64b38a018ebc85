// SPDX-License-Identifier: Apache-2.0
// Partitions that have something to be done, in the order in which they asked; each is in it at
// most once (whoever adds sees to that), so it is never longer than there are partitions.
// Thread-safe.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <utility>

#include "milena/env/guarded.h"

namespace milena::replication {

template <class Partition>
class PartitionQueue {
public:
    /// From now on `tell` hears, on any thread, that something was added.
    void when_added(std::function<void()> tell) {
        state_.with([&](State& state) { state.tell = std::move(tell); });
    }
    void add(std::weak_ptr<Partition> partition) {
        const auto tell = state_.with([&](State& state) {
            state.waiting.push_back(std::move(partition));
            return state.tell;
        });
        if (tell) tell();
    }
    /// The one that asked first and is still there; null if none is.
    std::shared_ptr<Partition> take() {
        return state_.with([](State& state) {
            std::shared_ptr<Partition> next;
            while (next == nullptr && !state.waiting.empty()) {
                next = state.waiting.front().lock();
                state.waiting.pop_front();
            }
            return next;
        });
    }

private:
    struct State {
        std::deque<std::weak_ptr<Partition>> waiting;
        std::function<void()> tell;
    };
    env::Guarded<State> state_;
};

}  // namespace milena::replication
