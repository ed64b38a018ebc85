// SPDX-License-Identifier: Apache-2.0
// The operating system's file systems behind env's door.
#pragma once

#include "milena/env/files.h"
#include "posix/descriptor_cache.h"

namespace milena::env {

class PosixFileSystem final : public FileSystem {
public:
    /// Keeps at most `descriptors_max` files open.
    explicit PosixFileSystem(std::size_t descriptors_max = descriptors_for_files())
        : descriptors_(descriptors_max) {}

    DescriptorCache& descriptors() { return descriptors_; }

    Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) override;
    bool exists(const std::string& path) override;
    Result<std::vector<DirectoryEntry>> list(const std::string& directory) override;
    Result<void> create_directories(const std::string& path) override;
    Result<void> rename(const std::string& from, const std::string& to) override;
    Result<void> remove(const std::string& path) override;
    Result<void> sync_directory(const std::string& path) override;
    Result<void> make_read_only(const std::string& path) override;
    Result<std::unique_ptr<FileLock>> lock(const std::string& path) override;
    Result<std::uint64_t> free_bytes(const std::string& path) override;
    Result<std::uint64_t> total_bytes(const std::string& path) override;

private:
    DescriptorCache descriptors_;
};

}  // namespace milena::env
