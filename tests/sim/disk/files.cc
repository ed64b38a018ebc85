// SPDX-License-Identifier: Apache-2.0
// Errors are those that Linux gives for the same call; the contract tests compare.
#include "sim/disk/files.h"

#include "milena/base/invariant.h"
#include "sim/disk/file.h"

namespace milena::sim {
namespace {

std::unexpected<Error> failed(std::string_view call, const std::string& path, int error_number) {
    return std::unexpected<Error>(env::storage_error(call, path, error_number));
}

/// The errno of rename() onto what stands there, if it may not be replaced.
int refusal(const Inode& source, const std::shared_ptr<Inode>& target) {
    if (target == nullptr) return 0;
    if (source.is_directory != target->is_directory) return source.is_directory ? ENOTDIR : EISDIR;
    return target->names.empty() ? 0 : ENOTEMPTY;
}

}  // namespace

class SimFileLock final : public env::FileLock {
public:
    SimFileLock(SimFileSystem& files, std::shared_ptr<Inode> inode)
        : files_(files), inode_(std::move(inode)), life_(files.life_) {}
    ~SimFileLock() override {
        if (life_ == files_.life_) files_.locked_.erase(inode_.get());
    }
    Result<void> sync_file_system() override {
        TRY_VOID(files_.admit("syncfs", "/"));
        if (files_.faults_.syncs_fail()) return failed("syncfs", "/", EIO);
        files_.disk_.sync_all();
        return ok();
    }

private:
    SimFileSystem& files_;
    std::shared_ptr<Inode> inode_;
    std::uint64_t life_;
};

SimFileSystem::SimFileSystem(SeededRandom random, FaultPlan& faults, Trace& trace)
    : disk_(random), faults_(faults), trace_(trace) {}

Result<void> SimFileSystem::admit(std::string_view call, const std::string& path) {
    trace_.fold(as_bytes(call));
    trace_.fold(as_bytes(path));
    if (const auto error_number = faults_.next_call()) return failed(call, path, *error_number);
    return ok();
}

Result<std::unique_ptr<env::File>> SimFileSystem::open(const std::string& path,
                                                       env::OpenMode mode) {
    TRY_VOID(admit("open", path));
    const bool creates = mode == env::OpenMode::create || mode == env::OpenMode::create_empty;
    std::shared_ptr<Inode> inode = disk_.find(path);
    if (inode == nullptr) {
        const auto [parent, name] = disk_.find_parent(path);
        if (!creates || parent == nullptr) return failed("open", path, ENOENT);
        inode = std::make_shared<Inode>(false);
        disk_.change_names({{parent, name, inode}});
    } else if (inode->is_directory) {
        return failed("open", path, EISDIR);
    } else if (mode == env::OpenMode::create_empty && !inode->content.visible().empty()) {
        inode->content.truncate(0);
    }
    return std::make_unique<SimFile>(*this, path, std::move(inode),
                                     mode != env::OpenMode::read_only);
}

bool SimFileSystem::exists(const std::string& path) {
    return disk_.find(path) != nullptr;
}

Result<std::vector<env::DirectoryEntry>> SimFileSystem::list(const std::string& directory) {
    TRY_VOID(admit("list", directory));
    const auto inode = disk_.find(directory);
    if (inode == nullptr) return failed("list", directory, ENOENT);
    if (!inode->is_directory) return failed("list", directory, ENOTDIR);
    std::vector<env::DirectoryEntry> entries;
    for (const auto& [name, child] : inode->names) {
        entries.push_back({name, child->is_directory, child->content.visible().size()});
    }
    return entries;
}

Result<void> SimFileSystem::create_directories(const std::string& path) {
    TRY_VOID(admit("mkdir", path));
    for (std::size_t end = path.find('/', 1);; end = path.find('/', end + 1)) {
        const std::string part = path.substr(0, end);
        const auto there = disk_.find(part);
        if (there != nullptr && !there->is_directory) return failed("mkdir", path, ENOTDIR);
        if (there == nullptr) {
            const auto [parent, name] = disk_.find_parent(part);
            disk_.change_names({{parent, name, std::make_shared<Inode>(true)}});
        }
        if (end == std::string::npos) return ok();
    }
}

Result<void> SimFileSystem::rename(const std::string& from, const std::string& to) {
    const std::string both = from + " to " + to;
    TRY_VOID(admit("rename", both));
    const auto source = disk_.find(from);
    const auto [from_parent, from_name] = disk_.find_parent(from);
    const auto [to_parent, to_name] = disk_.find_parent(to);
    if (source == nullptr || from_parent == nullptr || to_parent == nullptr)
        return failed("rename", both, ENOENT);
    const auto target = disk_.find(to);
    if (source == target) return ok();
    if (const int error_number = refusal(*source, target))
        return failed("rename", both, error_number);
    disk_.change_names({{from_parent, from_name, nullptr}, {to_parent, to_name, source}});
    return ok();
}

Result<void> SimFileSystem::make_read_only(const std::string& path) {
    TRY_VOID(admit("chmod", path));
    if (disk_.find(path) == nullptr) return failed("chmod", path, ENOENT);
    return ok();
}

Result<void> SimFileSystem::remove(const std::string& path) {
    TRY_VOID(admit("remove", path));
    const auto [parent, name] = disk_.find_parent(path);
    if (parent == nullptr || !parent->names.contains(name)) return ok();
    return remove_tree(parent, name);
}

Result<void> SimFileSystem::remove_tree(const std::shared_ptr<Inode>& parent,
                                        const std::string& name) {
    const std::shared_ptr<Inode> inode = parent->names.at(name);
    while (!inode->names.empty())
        TRY_VOID(remove_tree(inode, std::string(inode->names.begin()->first)));
    disk_.change_names({{parent, name, nullptr}});
    return ok();
}

Result<void> SimFileSystem::sync_directory(const std::string& path) {
    TRY_VOID(admit("fsync", path));
    const auto inode = disk_.find(path);
    if (inode == nullptr) return failed("fsync", path, ENOENT);
    if (!inode->is_directory) return failed("fsync", path, ENOTDIR);
    if (faults_.syncs_fail()) return failed("fsync", path, EIO);
    disk_.sync_names(inode);
    return ok();
}

Result<std::unique_ptr<env::FileLock>> SimFileSystem::lock(const std::string& path) {
    TRY(const auto file, open(path, env::OpenMode::create));
    const std::shared_ptr<Inode> inode = disk_.find(path);
    if (!locked_.insert(inode.get()).second) {
        return fail(ErrorCode::kafka_storage_error, "lock " + path + ": this process holds it");
    }
    return std::make_unique<SimFileLock>(*this, inode);
}

Result<std::uint64_t> SimFileSystem::free_bytes(const std::string& path) {
    TRY_VOID(admit("statvfs", path));
    if (disk_.find(path) == nullptr) return failed("statvfs", path, ENOENT);
    return disk_.free_bytes();
}

Result<std::uint64_t> SimFileSystem::total_bytes(const std::string& path) {
    TRY_VOID(admit("statvfs", path));
    if (disk_.find(path) == nullptr) return failed("statvfs", path, ENOENT);
    return disk_.total_bytes();
}

void SimFileSystem::flip_bit(const std::string& path, std::uint64_t bit) {
    const auto inode = disk_.find(path);
    INVARIANT(inode != nullptr && !inode->is_directory, "no such file to flip a bit of");
    inode->content.flip_bit(bit);
}

void SimFileSystem::lose_process() {
    ++life_;
    locked_.clear();
}

void SimFileSystem::lose_power() {
    lose_process();
    disk_.lose_power();
}

}  // namespace milena::sim
