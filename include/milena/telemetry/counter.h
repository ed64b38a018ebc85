// SPDX-License-Identifier: Apache-2.0
// A number that only grows, counted by any thread and read by any other.
#pragma once

#include <atomic>
#include <cstdint>

namespace milena::telemetry {

class Counter {
public:
    void add(std::uint64_t count = 1) { value_.fetch_add(count, std::memory_order_relaxed); }
    std::uint64_t value() const { return value_.load(std::memory_order_relaxed); }

private:
    std::atomic<std::uint64_t> value_{0};
};

}  // namespace milena::telemetry
