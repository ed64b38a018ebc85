// SPDX-License-Identifier: Apache-2.0
// Files and directories. Calls block; whoever must not wait sends them through Env::offload. Every
// failure is an Error with KAFKA_STORAGE_ERROR whose `why` names the call, the path and errno's
// text; use is_out_of_space() to tell ENOSPC. What was written is durable only after sync() (and,
// for a name, after sync_directory() of its parent).
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "milena/base/bytes.h"
#include "milena/base/result.h"

namespace milena::env {

/// An open file. Positions are bytes from its start. Reads and writes of different ranges may run
/// at the same time.
class File {
public:
    virtual ~File() = default;
    virtual const std::string& path() const = 0;

    /// Fills `into`; gives fewer bytes only where the file ends.
    virtual Result<std::size_t> read_at(std::uint64_t position, MutableBytes into) const = 0;
    /// Writes all pieces one after the other in one call to the system where it takes them all.
    virtual Result<void> write_at(std::uint64_t position, std::span<const BytesView> pieces) = 0;
    Result<void> write_at(std::uint64_t position, BytesView piece) {
        return write_at(position, std::span(&piece, 1));
    }
    /// Cuts the file, or grows it by a hole.
    virtual Result<void> truncate(std::uint64_t size) = 0;
    virtual Result<std::uint64_t> size() const = 0;
    /// fdatasync. After a failure the file's contents on disk are unknown: never retried, the
    /// directory goes offline.
    virtual Result<void> sync() = 0;
    /// Asks the system to begin writing the range back, without waiting.
    virtual void start_writeback(std::uint64_t position, std::uint64_t length) = 0;
    /// True if the byte at `position` can be read without waiting for the disk (or lies beyond the
    /// end).
    virtual bool is_cached(std::uint64_t position) const = 0;
};

enum class OpenMode {
    read_only,     ///< fails if the file is absent
    read_write,    ///< fails if the file is absent
    create,        ///< read and write; made if absent, kept if present
    create_empty,  ///< read and write; made if absent, emptied if present
};

struct DirectoryEntry {
    std::string name;
    bool is_directory = false;
    std::uint64_t size = 0;
};

/// Holds an exclusive lock until destroyed.
class FileLock {
public:
    virtual ~FileLock() = default;
    /// Syncs the whole file system that the locked file is in, names too: one call where thousands
    /// of files would be synced one by one. An error if anything that was written there since the
    /// lock was taken could not be saved, by whomever; final, as that of File::sync().
    virtual Result<void> sync_file_system() = 0;
};

/// Thread-safe.
class FileSystem {
public:
    virtual ~FileSystem() = default;
    virtual Result<std::unique_ptr<File>> open(const std::string& path, OpenMode mode) = 0;
    virtual bool exists(const std::string& path) = 0;
    /// In the order of the names.
    virtual Result<std::vector<DirectoryEntry>> list(const std::string& directory) = 0;
    /// With its parents; no error if it is there.
    virtual Result<void> create_directories(const std::string& path) = 0;
    /// Replaces `to` atomically.
    virtual Result<void> rename(const std::string& from, const std::string& to) = 0;
    /// A file, or a directory with all that is in it. No error if it is absent.
    virtual Result<void> remove(const std::string& path) = 0;
    virtual Result<void> sync_directory(const std::string& path) = 0;
    /// Mode 0400: a file that is complete and that nobody should change.
    virtual Result<void> make_read_only(const std::string& path) = 0;
    /// Takes the lock on the file `path`, made if absent. An error that says so if another process,
    /// or another holder in this one, has it.
    virtual Result<std::unique_ptr<FileLock>> lock(const std::string& path) = 0;
    /// Bytes that an ordinary user may still write to the file system that holds `path`.
    virtual Result<std::uint64_t> free_bytes(const std::string& path) = 0;
    /// The size of that file system.
    virtual Result<std::uint64_t> total_bytes(const std::string& path) = 0;
};

/// KAFKA_STORAGE_ERROR "call path: text of errno (NAME)", as every FileSystem here reports
/// failures.
Error storage_error(std::string_view call, std::string_view path, int error_number);

/// True if `error` came from a full disk or an exhausted quota, through however many fail_at().
bool is_out_of_space(const Error& error);

/// The whole of a small file; an error if it is longer than `bytes_max`.
Result<std::string> read_file(FileSystem& files, const std::string& path, std::size_t bytes_max);

/// Replaces `path` by `content` so that after a crash it has the old content or the new, whole:
/// `path`.tmp, sync, rename, sync of the directory.
Result<void> replace_file(FileSystem& files, const std::string& path, std::string_view content);

/// create_directories(), and every name that was new is durable when it returns.
Result<void> create_durable_directories(FileSystem& files, const std::string& path);

}  // namespace milena::env
