// SPDX-License-Identifier: Apache-2.0
// Our own mistakes stop the process: a broker that has lost a property it relies on must not go on
// and spread it.
#pragma once

#include <string_view>

namespace milena::detail {
/// Writes the condition, the place and the message to standard error and aborts.
[[noreturn]] void invariant_failed(std::string_view condition, std::string_view message,
                                   const char* file, int line);
}  // namespace milena::detail

/// INVARIANT(high_watermark <= log_end_offset, "high watermark beyond the log"): what must hold, in
/// release builds too.
#define INVARIANT(condition, message)                                                      \
    do {                                                                                   \
        if (!(condition)) [[unlikely]]                                                     \
            ::milena::detail::invariant_failed(#condition, (message), __FILE__, __LINE__); \
    } while (false)
