// SPDX-License-Identifier: Apache-2.0
// A Histogram that takes its memory with the first value: for what most nodes never see.
#pragma once

#include <atomic>
#include <memory>

#include "milena/telemetry/histogram.h"

namespace milena::telemetry {

/// Counted by any thread and read by any other.
class LazyHistogram {
public:
    LazyHistogram() = default;
    ~LazyHistogram() { delete values_.load(); }
    LazyHistogram(const LazyHistogram&) = delete;
    LazyHistogram& operator=(const LazyHistogram&) = delete;

    void record(std::uint64_t value) {
        Histogram* values = values_.load(std::memory_order_acquire);
        (values != nullptr ? *values : make()).record(value);
    }
    void add_to(Distribution& sum) const {
        if (const Histogram* const values = values_.load(std::memory_order_acquire))
            values->add_to(sum);
    }

private:
    Histogram& make();

    std::atomic<Histogram*> values_{nullptr};
};

}  // namespace milena::telemetry
