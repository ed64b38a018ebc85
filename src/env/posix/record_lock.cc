// SPDX-License-Identifier: Apache-2.0
// POSIX record locks belong to the process: a second one is granted to it, and closing any
// descriptor of the file drops them all. So the process keeps a register of the files it has
// locked, by device and inode, and looks there before it opens one. The register describes the
// process, as the locks do, so it is static.
#include "posix/record_lock.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <cerrno>
#include <cstdio>
#include <set>
#include <utility>

#include "milena/env/guarded.h"
#include "posix/descriptor.h"

namespace milena::env {
namespace {

using FileId = std::pair<dev_t, ino_t>;
using Register = std::set<FileId>;

Guarded<Register>& locked_files() {
    static Guarded<Register> files;
    return files;
}

std::unexpected<Error> failed(std::string_view call, const std::string& path, int error_number) {
    return std::unexpected<Error>(storage_error(call, path, error_number));
}

std::unexpected<Error> held(const std::string& path, std::string_view by) {
    return fail(ErrorCode::kafka_storage_error, fmt::format("lock {}: {} holds it", path, by));
}

class RecordLock final : public FileLock {
public:
    RecordLock(FileId id, std::string path, Descriptor descriptor)
        : id_(id), path_(std::move(path)), descriptor_(std::move(descriptor)) {}
    ~RecordLock() override {
        locked_files().with([&](Register& files) {
            descriptor_ = Descriptor();
            files.erase(id_);
        });
    }

    Result<void> sync_file_system() override {
        // The descriptor remembers which errors of writing back came after it was opened.
        if (::syncfs(descriptor_.number()) < 0) return failed("syncfs", path_, errno);
        return ok();
    }

private:
    FileId id_;
    std::string path_;
    Descriptor descriptor_;
};

Result<std::unique_ptr<FileLock>> take(Register& files, const std::string& path) {
    struct ::stat status{};
    if (::stat(path.c_str(), &status) == 0 && files.contains({status.st_dev, status.st_ino})) {
        return held(path, "this process");
    }
    Descriptor descriptor(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0644));
    if (!descriptor) return failed("open", path, errno);
    if (::fstat(descriptor.number(), &status) < 0) return failed("fstat", path, errno);

    struct ::flock whole_file{};
    whole_file.l_type = F_WRLCK;
    whole_file.l_whence = SEEK_SET;
    if (::fcntl(descriptor.number(), F_SETLK, &whole_file) < 0) {
        if (errno == EACCES || errno == EAGAIN) return held(path, "another process");
        return failed("lock", path, errno);
    }
    const FileId id{status.st_dev, status.st_ino};
    files.insert(id);
    return std::make_unique<RecordLock>(id, path, std::move(descriptor));
}

}  // namespace

Result<std::unique_ptr<FileLock>> take_record_lock(const std::string& path) {
    return locked_files().with([&](Register& files) { return take(files, path); });
}

}  // namespace milena::env
