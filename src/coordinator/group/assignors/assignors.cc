// SPDX-License-Identifier: Apache-2.0
// The table of assignors.
#include <algorithm>
#include <array>

#include "assignor.h"

namespace milena::coordinator {

const Assignor* find_assignor(std::string_view name) {
    static constexpr std::array<Assignor, 2> kAssignors{{
        {.name = "uniform", .assign = &assign_uniform, .uses_racks = true},
        {.name = "range", .assign = &assign_range},
    }};
    const auto* const found = std::ranges::find(kAssignors, name, &Assignor::name);
    return found == kAssignors.end() ? nullptr : found;
}

}  // namespace milena::coordinator
