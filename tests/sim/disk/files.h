// SPDX-License-Identifier: Apache-2.0
// The file system of one simulated node: env's door in front of its Disk, with the faults that were
// asked for. Calls take no virtual time; whoever must not wait offloads them, and that takes some.
#pragma once

#include <set>

#include "milena/env/files.h"
#include "sim/disk/disk.h"
#include "sim/faults.h"
#include "sim/trace.h"

namespace milena::sim {

class SimFileSystem final : public env::FileSystem {
public:
    SimFileSystem(SeededRandom random, FaultPlan& faults, Trace& trace);

    Result<std::unique_ptr<env::File>> open(const std::string& path, env::OpenMode mode) override;
    bool exists(const std::string& path) override;
    Result<std::vector<env::DirectoryEntry>> list(const std::string& directory) override;
    Result<void> create_directories(const std::string& path) override;
    Result<void> rename(const std::string& from, const std::string& to) override;
    Result<void> remove(const std::string& path) override;
    Result<void> sync_directory(const std::string& path) override;
    Result<void> make_read_only(const std::string& path) override;
    Result<std::unique_ptr<env::FileLock>> lock(const std::string& path) override;
    Result<std::uint64_t> free_bytes(const std::string& path) override;
    Result<std::uint64_t> total_bytes(const std::string& path) override;

    /// For those who look at it from outside.
    const Disk& disk() const { return disk_; }
    /// What the disk holds in all, from now on.
    void set_capacity(std::uint64_t bytes) { disk_.set_capacity(bytes); }
    void set_endless() { disk_.set_endless(); }
    /// Bit rot: `bit` counts from the first of the file's first byte; the file must exist.
    void flip_bit(const std::string& path, std::uint64_t bit);
    /// The process ended: its open files and locks are dead, what it wrote is not.
    void lose_process();
    /// And the power went: what was not synced is there, or not, or torn.
    void lose_power();

private:
    friend class SimFile;
    friend class SimFileLock;

    /// The error of this call, if it is to fail; else it is part of the history.
    Result<void> admit(std::string_view call, const std::string& path);
    Result<void> remove_tree(const std::shared_ptr<Inode>& parent, const std::string& name);

    Disk disk_;
    FaultPlan& faults_;
    Trace& trace_;
    std::uint64_t life_ = 0;  ///< of the process: files of an earlier one are dead
    std::set<const Inode*> locked_;
};

}  // namespace milena::sim
