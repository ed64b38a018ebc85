// SPDX-License-Identifier: Apache-2.0
// The queue is under one mutex; a job runs, lets go of what it captured, then posts its coroutine
// home.
#include "work_pool.h"

#include <pthread.h>
#include <memory>
#include <utility>

#include <boost/asio/async_result.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/post.hpp>

#include "milena/base/invariant.h"

namespace milena::env {
namespace {

thread_local bool serves_a_pool = false;

void run_caught(const std::function<void()>& work) {
    try {
        work();
    } catch (const std::exception& exception) {
        INVARIANT(false, exception.what());
    }
}

}  // namespace

bool is_pool_thread() {
    return serves_a_pool;
}

WorkPool::WorkPool(std::size_t threads, const char* name) {
    threads_.reserve(threads);
    for (std::size_t i = 0; i < threads; ++i) threads_.emplace_back([this, name] { serve(name); });
}

WorkPool::~WorkPool() {
    stop();
}

Task<void> WorkPool::run(std::function<void()> work) {
    // The handler is the waiting coroutine: it can be moved but not copied, so std::function holds
    // it by a pointer.
    co_await boost::asio::async_initiate<const boost::asio::deferred_t, void()>(
        [this, &work](auto handler) {
            auto waiting = std::make_shared<decltype(handler)>(std::move(handler));
            add({std::move(work), [waiting] {
                     const auto executor = boost::asio::get_associated_executor(*waiting);
                     boost::asio::post(executor, std::move(*waiting));
                 }});
        },
        boost::asio::deferred);
}

void WorkPool::add(Job job) {
    {
        const std::lock_guard lock(mutex_);
        queue_.push_back(std::move(job));
    }
    changed_.notify_one();
}

void WorkPool::serve(const char* name) {
    ::pthread_setname_np(::pthread_self(), name);
    serves_a_pool = true;
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [this] { return stopping_ || !queue_.empty(); });
        if (stopping_) return;
        Job job = std::move(queue_.front());
        queue_.pop_front();
        lock.unlock();
        run_caught(job.work);
        job.work = nullptr;  // what it captured dies here, before its owner goes on
        job.resume();
        job.resume = nullptr;
        lock.lock();
    }
}

void WorkPool::stop() {
    {
        const std::lock_guard lock(mutex_);
        stopping_ = true;
    }
    changed_.notify_all();
    for (std::thread& thread : threads_) thread.join();
    threads_.clear();
    // Dropping a job destroys the coroutine that waits for it, which may want to add another: not
    // under the lock.
    std::deque<Job> dropped;
    {
        const std::lock_guard lock(mutex_);
        dropped.swap(queue_);
    }
}

}  // namespace milena::env
