// SPDX-License-Identifier: Apache-2.0
// The only two ways in which threads share state: a value behind its one mutex, and an immutable
// snapshot that is replaced as a whole.
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace milena::env {

/// A value that is reached only under its mutex: held for one decision and its write, never across
/// a suspension, never two at once.
template <class T>
class Guarded {
public:
    template <class... Args>
    explicit Guarded(Args&&... args) : value_(std::forward<Args>(args)...) {}

    /// What `use(T&)` returns, which must not refer into the value.
    template <class F>
    auto with(F&& use) {
        const std::lock_guard lock(mutex_);
        return std::forward<F>(use)(value_);
    }
    template <class F>
    auto with(F&& use) const {
        const std::lock_guard lock(mutex_);
        return std::forward<F>(use)(std::as_const(value_));
    }

private:
    mutable std::mutex mutex_;
    T value_;
};

/// The newest snapshot of something that everybody reads. A reader keeps what it loaded for as long
/// as it needs it. The lock is held for the copy of a pointer; std::atomic<std::shared_ptr> does
/// the same with a spin lock, which libstdc++ 12 lets go without ordering the read before it.
template <class T>
class Published {
public:
    explicit Published(std::shared_ptr<const T> first) : current_(std::move(first)) {}

    std::shared_ptr<const T> load() const {
        const std::lock_guard lock(mutex_);
        return current_;
    }
    void store(std::shared_ptr<const T> next) {
        const std::lock_guard lock(mutex_);
        current_.swap(next);  // the old one is let go after the lock
    }

private:
    mutable std::mutex mutex_;
    std::shared_ptr<const T> current_;
};

}  // namespace milena::env
