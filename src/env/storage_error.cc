// SPDX-License-Identifier: Apache-2.0
// An Error has no room for errno, so its name closes the reason, where fail_at(), which writes in
// front, leaves it.
#include <algorithm>
#include <array>
#include <cstring>

#include <fmt/format.h>

#include "milena/env/disk_failure.h"
#include "milena/env/files.h"

namespace milena::env {
namespace {

constexpr std::array<std::string_view, 12> kDiskFailures{
    "(EIO)",     "(EROFS)",  "(EACCES)", "(EPERM)",  "(ENOENT)",     "(ENOTDIR)",
    "(EUCLEAN)", "(ENODEV)", "(ENXIO)",  "(ESTALE)", "(EOPNOTSUPP)", "(EREMOTEIO)"};

}  // namespace

Error storage_error(std::string_view call, std::string_view path, int error_number) {
    const char* const name = strerrorname_np(error_number);
    const char* const text = strerrordesc_np(error_number);
    return {ErrorCode::kafka_storage_error,
            fmt::format("{} {}: {} ({})", call, path, text == nullptr ? "unknown error" : text,
                        name == nullptr ? fmt::format("{}", error_number) : name)};
}

bool is_out_of_space(const Error& error) {
    return error.code == ErrorCode::kafka_storage_error &&
           (error.why.ends_with("(ENOSPC)") || error.why.ends_with("(EDQUOT)"));
}

bool is_disk_failure(const Error& error) {
    return error.code == ErrorCode::kafka_storage_error &&
           std::ranges::any_of(kDiskFailures,
                               [&](std::string_view name) { return error.why.ends_with(name); });
}

}  // namespace milena::env
