// SPDX-License-Identifier: Apache-2.0
// The first value of a histogram; of two threads that bring one at once, one makes it for both.
#include "milena/telemetry/lazy_histogram.h"

namespace milena::telemetry {

Histogram& LazyHistogram::make() {
    auto made = std::make_unique<Histogram>();
    Histogram* known = nullptr;
    if (values_.compare_exchange_strong(known, made.get(), std::memory_order_acq_rel))
        return *made.release();
    return *known;
}

}  // namespace milena::telemetry
