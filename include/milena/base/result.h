// SPDX-License-Identifier: Apache-2.0
// How a function says that it did not do its work. Two of the three kinds of error travel here:
// what a client may be told, and what the world did to us (disk, network, peer; turned into a code
// at the door where it happened, with errno and path in `why`). The third kind, our own mistakes,
// is INVARIANT. No exception crosses a module's door.
#pragma once

#include <expected>
#include <string>
#include <utility>

#include "milena/base/error_code.h"

namespace milena {

/// A failure: the code that a client may be told, and for the log why it happened, in words that
/// name the cause (the key, the file, the listener, the topic).
struct [[nodiscard]] Error {
    ErrorCode code = ErrorCode::unknown_server_error;
    std::string why;

    bool operator==(const Error&) const = default;
};

/// A value or an Error. Never ignored: pass it up with TRY, or handle it.
template <class T>
using Result = std::expected<T, Error>;

/// Success of a Result<void>.
inline Result<void> ok() {
    return {};
}

/// fail(ErrorCode::corrupt_message, "batch at 17 has length 3") as the return value of any Result.
inline std::unexpected<Error> fail(ErrorCode code, std::string why) {
    return std::unexpected<Error>(Error{code, std::move(why)});
}

/// The same failure, with the place it came through put before its reason.
inline std::unexpected<Error> fail_at(std::string_view where, Error error) {
    return fail(error.code, std::string(where) + ": " + error.why);
}

}  // namespace milena

#define MILENA_CONCAT_(a, b) a##b
#define MILENA_CONCAT(a, b) MILENA_CONCAT_(a, b)
#define MILENA_TRY_(ret, tmp, decl, ...)                                    \
    auto tmp = (__VA_ARGS__);                                               \
    if (!tmp) ret std::unexpected<::milena::Error>(std::move(tmp).error()); \
    decl = *std::move(tmp)
#define MILENA_TRY_VOID_(ret, tmp, ...) \
    if (auto tmp = (__VA_ARGS__); !tmp) ret std::unexpected<::milena::Error>(std::move(tmp).error())

/// TRY(auto batch, parse(bytes)); takes the value out of a Result, or returns its error from the
/// enclosing function.
#define TRY(decl, ...) \
    MILENA_TRY_(return, MILENA_CONCAT(try_result_, __COUNTER__), decl, __VA_ARGS__)
/// TRY_VOID(file.sync()); returns the error from the enclosing function if there is one.
#define TRY_VOID(...) MILENA_TRY_VOID_(return, MILENA_CONCAT(try_result_, __COUNTER__), __VA_ARGS__)
/// The same two in a coroutine.
#define CO_TRY(decl, ...) \
    MILENA_TRY_(co_return, MILENA_CONCAT(try_result_, __COUNTER__), decl, __VA_ARGS__)
#define CO_TRY_VOID(...) \
    MILENA_TRY_VOID_(co_return, MILENA_CONCAT(try_result_, __COUNTER__), __VA_ARGS__)
