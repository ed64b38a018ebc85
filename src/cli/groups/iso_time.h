// SPDX-License-Identifier: Apache-2.0
// Times and durations as reset-offsets is given them.
#pragma once

#include <cstdint>
#include <string_view>

#include "milena/base/result.h"

namespace milena::cli {

/// "2026-01-01T00:00:00.000", in UTC unless a zone follows ("Z", "+05:00", "+0500", "+05"), in
/// milliseconds since 1970. Numbers beyond their range count on, as Java's do: the 32nd of January
/// is the first of February.
Result<std::int64_t> parse_datetime(std::string_view text);

/// "P1DT2H3M4.5S" in milliseconds; any of its parts may be left out or negative.
Result<std::int64_t> parse_duration(std::string_view text);

}  // namespace milena::cli
