// SPDX-License-Identifier: Apache-2.0
// Kept out of the code that is compiled per message, and out of the way of its hot paths.
#include "message_failure.h"

#include <fmt/format.h>

namespace milena::protocol {

std::unexpected<Error> no_such_version(std::string_view message, std::int16_t version) {
    return fail(ErrorCode::unsupported_version,
                fmt::format("{} has no version {}", message, version));
}

std::unexpected<Error> malformed(std::string_view message, std::int16_t version, const Field* field,
                                 std::size_t bytes) {
    return fail(ErrorCode::invalid_request,
                fmt::format("{} version {} in {} bytes is malformed at {}", message, version, bytes,
                            field ? field->name : "a tag section"));
}

std::unexpected<Error> refused(std::string_view message, std::int16_t version, const Field& field,
                               Sizer::Refusal refusal) {
    switch (refusal) {
        case Sizer::Refusal::absent_from_version:
            return fail(ErrorCode::unsupported_version,
                        fmt::format("{} version {} has no {}, which has a value", message, version,
                                    field.name));
        case Sizer::Refusal::null_in_version:
            return fail(
                ErrorCode::unsupported_version,
                fmt::format("{} version {}: {} can't be null", message, version, field.name));
        case Sizer::Refusal::too_long:
        case Sizer::Refusal::none: break;
    }
    return fail(ErrorCode::invalid_request,
                fmt::format("{} version {}: {} is too long", message, version, field.name));
}

}  // namespace milena::protocol
