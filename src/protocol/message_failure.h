// SPDX-License-Identifier: Apache-2.0
// The errors of the codec, out of line: what went wrong in words that name message, version and
// field.
#pragma once

#include <expected>
#include <string_view>

#include "milena/base/result.h"
#include "milena/protocol/inspector.h"
#include "sizer.h"

namespace milena::protocol {

std::unexpected<Error> no_such_version(std::string_view message, std::int16_t version);
std::unexpected<Error> malformed(std::string_view message, std::int16_t version, const Field* field,
                                 std::size_t bytes);
std::unexpected<Error> refused(std::string_view message, std::int16_t version, const Field& field,
                               Sizer::Refusal refusal);

}  // namespace milena::protocol
