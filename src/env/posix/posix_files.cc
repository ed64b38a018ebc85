// SPDX-License-Identifier: Apache-2.0
// Paths and directories. Where the standard library reports an error code, that is errno; nothing
// throws.
#include "posix/posix_files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <system_error>

#include "posix/posix_file.h"
#include "posix/record_lock.h"

namespace milena::env {
namespace {

std::unexpected<Error> failed(std::string_view call, const std::string& path, int error_number) {
    return std::unexpected<Error>(storage_error(call, path, error_number));
}

int flags_of(OpenMode mode) {
    switch (mode) {
        case OpenMode::read_only: return O_RDONLY;
        case OpenMode::read_write: return O_RDWR;
        case OpenMode::create: return O_RDWR | O_CREAT;
        case OpenMode::create_empty: return O_RDWR | O_CREAT | O_TRUNC;
    }
    return O_RDONLY;
}

Result<Descriptor> open_descriptor(const std::string& path, int flags) {
    Descriptor descriptor;
    do {
        descriptor = Descriptor(::open(path.c_str(), flags | O_CLOEXEC, 0644));
    } while (!descriptor && errno == EINTR);
    if (!descriptor) return failed("open", path, errno);
    return descriptor;
}

DirectoryEntry describe(const std::filesystem::directory_entry& found) {
    std::error_code unknown;  // an entry that vanishes meanwhile is listed as an empty file
    DirectoryEntry entry{.name = found.path().filename().string(),
                         .is_directory = found.is_directory(unknown)};
    if (!entry.is_directory) {
        const std::uintmax_t size = found.file_size(unknown);
        if (!unknown) entry.size = size;
    }
    return entry;
}

}  // namespace

Result<std::unique_ptr<File>> PosixFileSystem::open(const std::string& path, OpenMode mode) {
    TRY(auto descriptor, open_descriptor(path, flags_of(mode)));
    return std::make_unique<PosixFile>(path, std::move(descriptor));
}

bool PosixFileSystem::exists(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

Result<std::vector<DirectoryEntry>> PosixFileSystem::list(const std::string& directory) {
    std::error_code error;
    std::vector<DirectoryEntry> entries;
    std::filesystem::directory_iterator at(directory, error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error)) {
        entries.push_back(describe(*at));
    }
    if (error) return failed("list", directory, error.value());
    std::ranges::sort(entries, {}, &DirectoryEntry::name);
    return entries;
}

Result<void> PosixFileSystem::create_directories(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(path, error);
    if (error) return failed("mkdir", path, error.value());
    return ok();
}

Result<void> PosixFileSystem::rename(const std::string& from, const std::string& to) {
    if (::rename(from.c_str(), to.c_str()) < 0) {
        const int error_number = errno;
        return failed("rename", from + " to " + to, error_number);
    }
    return ok();
}

Result<void> PosixFileSystem::remove(const std::string& path) {
    std::error_code error;
    std::filesystem::remove_all(path, error);
    if (error) return failed("remove", path, error.value());
    return ok();
}

Result<void> PosixFileSystem::sync_directory(const std::string& path) {
    TRY(const auto directory, open_descriptor(path, O_RDONLY | O_DIRECTORY));
    if (::fsync(directory.number()) < 0) return failed("fsync", path, errno);
    return ok();
}

Result<void> PosixFileSystem::make_read_only(const std::string& path) {
    if (::chmod(path.c_str(), S_IRUSR) < 0) return failed("chmod", path, errno);
    return ok();
}

Result<std::unique_ptr<FileLock>> PosixFileSystem::lock(const std::string& path) {
    return take_record_lock(path);
}

Result<std::uint64_t> PosixFileSystem::free_bytes(const std::string& path) {
    struct ::statvfs status{};
    if (::statvfs(path.c_str(), &status) < 0) return failed("statvfs", path, errno);
    return std::uint64_t{status.f_bavail} * status.f_frsize;
}

Result<std::uint64_t> PosixFileSystem::total_bytes(const std::string& path) {
    struct ::statvfs status{};
    if (::statvfs(path.c_str(), &status) < 0) return failed("statvfs", path, errno);
    return std::uint64_t{status.f_blocks} * status.f_frsize;
}

}  // namespace milena::env
