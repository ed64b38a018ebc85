// SPDX-License-Identifier: Apache-2.0
// Whole small files: checkpoints, meta.properties, quorum-state. Written against the door, so that
// the simulator's crashes find out whether the steps of replace_file() are the right ones.
#include <fmt/format.h>

#include "milena/env/files.h"

namespace milena::env {
namespace {

std::string parent_of(const std::string& path) {
    const std::size_t slash = path.rfind('/');
    if (slash == std::string::npos) return ".";
    return slash == 0 ? "/" : path.substr(0, slash);
}

Result<void> write_synced(FileSystem& files, const std::string& path, std::string_view content) {
    TRY(const auto file, files.open(path, OpenMode::create_empty));
    TRY_VOID(file->write_at(0, as_bytes(content)));
    return file->sync();
}

}  // namespace

Result<std::string> read_file(FileSystem& files, const std::string& path, std::size_t bytes_max) {
    TRY(const auto file, files.open(path, OpenMode::read_only));
    TRY(const std::uint64_t size, file->size());
    if (size > bytes_max) {
        return fail(ErrorCode::kafka_storage_error,
                    fmt::format("read {}: {} bytes, more than the {} that such a file may have",
                                path, size, bytes_max));
    }
    std::string content(size, '\0');
    TRY(const std::size_t read, file->read_at(0, std::as_writable_bytes(std::span(content))));
    content.resize(read);
    return content;
}

Result<void> replace_file(FileSystem& files, const std::string& path, std::string_view content) {
    const std::string temporary = path + ".tmp";
    TRY_VOID(write_synced(files, temporary, content));
    TRY_VOID(files.rename(temporary, path));
    return files.sync_directory(parent_of(path));
}

Result<void> create_durable_directories(FileSystem& files, const std::string& path) {
    // Each directory that is missing is a name in the one above it, which is synced.
    std::vector<std::string> holders;
    std::string missing = path;
    while (missing.size() > 1 && missing.back() == '/') missing.pop_back();
    while (!missing.empty() && !files.exists(missing)) {
        const auto slash = missing.rfind('/');
        const bool is_top = slash == std::string::npos;
        holders.push_back(is_top ? "." : missing.substr(0, std::max<std::size_t>(slash, 1)));
        missing = is_top ? "" : missing.substr(0, slash);
    }
    TRY_VOID(files.create_directories(path));
    for (const auto& holder : holders) TRY_VOID(files.sync_directory(holder));
    return ok();
}

}  // namespace milena::env
