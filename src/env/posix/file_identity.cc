// SPDX-License-Identifier: Apache-2.0
// statx(2) is the one call that knows when a file was made.
#include "posix/file_identity.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <cerrno>

namespace milena::env {
namespace {

std::expected<FileStatus, int> status_at(int directory, const char* path, int flags) {
    struct ::statx found{};
    constexpr unsigned kWanted = STATX_INO | STATX_SIZE | STATX_BTIME;
    if (::statx(directory, path, flags, kWanted, &found) < 0) return std::unexpected(errno);
    FileStatus status;
    status.identity.device = ::makedev(found.stx_dev_major, found.stx_dev_minor);
    status.identity.inode = found.stx_ino;
    if ((found.stx_mask & STATX_BTIME) != 0) {
        status.identity.born_s = found.stx_btime.tv_sec;
        status.identity.born_ns = found.stx_btime.tv_nsec;
    }
    status.size = found.stx_size;
    return status;
}

}  // namespace

std::expected<FileIdentity, int> identify(const Descriptor& descriptor) {
    const auto status = status_at(descriptor.number(), "", AT_EMPTY_PATH);
    if (!status) return std::unexpected(status.error());
    return status->identity;
}

std::expected<FileStatus, int> status_by_name(const std::string& path) {
    return status_at(AT_FDCWD, path.c_str(), 0);
}

}  // namespace milena::env
