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

/// errno of what went wrong, or 0.
int list_into(std::vector<DirectoryEntry>& entries, const std::string& directory) {
    entries.clear();
    std::error_code error;
    std::filesystem::directory_iterator at(directory, error);
    for (; !error && at != std::filesystem::directory_iterator(); at.increment(error))
        entries.push_back(describe(*at));
    return error.value();
}

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

}  // namespace

Result<std::unique_ptr<File>> PosixFileSystem::open(const std::string& path, OpenMode mode) {
    TRY(auto file, descriptors_.open(path, mode));
    return std::make_unique<PosixFile>(descriptors_, std::move(file));
}

bool PosixFileSystem::exists(const std::string& path) {
    return ::access(path.c_str(), F_OK) == 0;
}

Result<std::vector<DirectoryEntry>> PosixFileSystem::list(const std::string& directory) {
    std::vector<DirectoryEntry> entries;
    const int error_number = descriptors_.with_room([&] { return list_into(entries, directory); });
    if (error_number != 0) return failed("list", directory, error_number);
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
    const int error_number = descriptors_.rename(from, to);
    if (error_number != 0) return failed("rename", from + " to " + to, error_number);
    return ok();
}

Result<void> PosixFileSystem::remove(const std::string& path) {
    const int error_number = descriptors_.with_room([&] {
        std::error_code error;
        std::filesystem::remove_all(path, error);
        return error.value();
    });
    if (error_number != 0) return failed("remove", path, error_number);
    descriptors_.mark_removed(path);
    return ok();
}

Result<void> PosixFileSystem::sync_directory(const std::string& path) {
    TRY(const auto directory, descriptors_.open_descriptor(path, O_RDONLY | O_DIRECTORY));
    if (::fsync(directory.number()) < 0) return failed("fsync", path, errno);
    return ok();
}

Result<void> PosixFileSystem::make_read_only(const std::string& path) {
    if (::chmod(path.c_str(), S_IRUSR) < 0) return failed("chmod", path, errno);
    return ok();
}

Result<std::unique_ptr<FileLock>> PosixFileSystem::lock(const std::string& path) {
    TRY(auto lock, take_record_lock(path));
    descriptors_.watch_file_system(parent_of(path));
    return lock;
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

DescriptorFigures descriptor_figures(FileSystem& files) {
    auto* const posix = dynamic_cast<PosixFileSystem*>(&files);
    return posix == nullptr ? DescriptorFigures{} : posix->descriptors().figures();
}

}  // namespace milena::env
