// SPDX-License-Identifier: Apache-2.0
// What is being done by several threads at once and must be over before somebody goes on: writes
// into a directory that is to be renamed. Who waits blocks his thread, so it is one of a pool.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <mutex>

namespace milena::env {

/// Thread-safe.
class UnderWay {
public:
    /// One of them, from here to its end.
    class Mark {
    public:
        explicit Mark(UnderWay& under_way) : under_way_(under_way) { under_way_.begin(); }
        ~Mark() { under_way_.end(); }
        Mark(const Mark&) = delete;
        Mark& operator=(const Mark&) = delete;

    private:
        UnderWay& under_way_;
    };

    /// Returns when there is none. Never to be called by a thread that holds a Mark.
    void wait_for_none() {
        std::unique_lock lock(mutex_);
        none_.wait(lock, [this] { return marks_ == 0; });
    }

private:
    void begin() {
        const std::lock_guard lock(mutex_);
        ++marks_;
    }
    void end() {
        const std::lock_guard lock(mutex_);
        if (--marks_ == 0) none_.notify_all();
    }

    std::mutex mutex_;
    std::condition_variable none_;
    std::size_t marks_ = 0;
};

}  // namespace milena::env
