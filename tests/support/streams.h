// SPDX-License-Identifier: Apache-2.0
// What the test servers on a simulated network have in common.
#pragma once

#include <vector>

#include "milena/env/network.h"

namespace milena::support {

/// The next `size` bytes; none if the connection ends before.
inline env::Task<std::vector<std::byte>> read_exactly(env::Stream& stream, std::size_t size) {
    std::vector<std::byte> bytes(size);
    std::size_t have = 0;
    while (have < size) {
        const auto count = co_await stream.read_some(MutableBytes(bytes).subspan(have));
        if (!count || *count == 0) co_return std::vector<std::byte>{};
        have += *count;
    }
    co_return bytes;
}

}  // namespace milena::support
