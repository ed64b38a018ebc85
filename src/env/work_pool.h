// SPDX-License-Identifier: Apache-2.0
// A few threads for work that blocks or computes for long. The queue's nodes are jobs of coroutines
// that wait for them, one each, so it is never longer than there are coroutines, and each of those
// is accounted for by its owner.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "milena/env/task.h"

namespace milena::env {

/// True on the threads of every WorkPool: those may wait where a core must not.
bool is_pool_thread();

class WorkPool {
public:
    WorkPool(std::size_t threads, const char* name);
    ~WorkPool();

    /// Runs `work` on a thread of the pool, then resumes the caller where it was. Work that throws
    /// is a bug of ours.
    Task<void> run(std::function<void()> work);

    /// Ends the threads after the jobs that they are in; jobs still queued are dropped, and with
    /// them whoever waits.
    void stop();

private:
    struct Job {
        std::function<void()> work;
        std::function<void()> resume;
    };

    void serve(const char* name);
    void add(Job job);

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Job> queue_;
    bool stopping_ = false;
    std::vector<std::thread> threads_;
};

}  // namespace milena::env
