// SPDX-License-Identifier: Apache-2.0
// Bytes that several owners take from one limit, so that memory is a function of configuration.
#pragma once

#include <atomic>
#include <cstdint>

namespace milena::env {

/// How many bytes all connections together may hold of requests that are not answered yet.
/// Thread-safe; counts only, so it never blocks.
class ByteBudget {
public:
    explicit ByteBudget(std::uint64_t bytes_max) : bytes_max_(bytes_max) {}

    /// Takes `bytes` if they fit. A single holder may always go beyond when nobody else holds
    /// anything, so that a request larger than the budget is slow and not impossible.
    bool try_charge(std::uint64_t bytes) {
        std::uint64_t used = used_.load(std::memory_order_relaxed);
        do {
            if (used != 0 && used + bytes > bytes_max_) return false;
        } while (!used_.compare_exchange_weak(used, used + bytes, std::memory_order_relaxed));
        return true;
    }
    /// Takes `bytes` that are held already, whether they fit or not.
    void charge(std::uint64_t bytes) { used_.fetch_add(bytes, std::memory_order_relaxed); }
    void release(std::uint64_t bytes) { used_.fetch_sub(bytes, std::memory_order_relaxed); }
    std::uint64_t used() const { return used_.load(std::memory_order_relaxed); }
    std::uint64_t left() const {
        const std::uint64_t now = used();
        return now < bytes_max_ ? bytes_max_ - now : 0;
    }
    std::uint64_t bytes_max() const { return bytes_max_; }

private:
    const std::uint64_t bytes_max_;
    std::atomic<std::uint64_t> used_{0};
};

}  // namespace milena::env
