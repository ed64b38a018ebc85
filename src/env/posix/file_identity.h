// SPDX-License-Identifier: Apache-2.0
// Which file it is that has a name, and what the system tells of it.
#pragma once

#include <compare>
#include <cstdint>
#include <expected>
#include <string>

#include "posix/descriptor.h"

namespace milena::env {

/// Tells a file from another that has its name later.
struct FileIdentity {
    std::uint64_t device = 0;
    std::uint64_t inode = 0;
    /// Time of its making, 0 where the file system keeps none: numbers of inodes are used again.
    std::int64_t born_s = 0;
    std::uint32_t born_ns = 0;

    auto operator<=>(const FileIdentity&) const = default;
};

struct FileStatus {
    FileIdentity identity;
    std::uint64_t size = 0;
};

/// Of what is open; errno if the system can't tell.
std::expected<FileIdentity, int> identify(const Descriptor& descriptor);

/// Of what has the name, for which no descriptor is needed; errno if the system can't tell.
std::expected<FileStatus, int> status_by_name(const std::string& path);

}  // namespace milena::env
