// SPDX-License-Identifier: Apache-2.0
// std::ranges::contains, which this standard library does not have yet.
#pragma once

#include <algorithm>
#include <functional>
#include <ranges>

namespace milena::config {

/// True if an element of `range`, seen through `projection`, equals `value`.
template <std::ranges::input_range Range, class Value, class Projection = std::identity>
bool contains(const Range& range, const Value& value, Projection projection = {}) {
    return std::ranges::find(range, value, projection) != std::ranges::end(range);
}

}  // namespace milena::config
