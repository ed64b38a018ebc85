// SPDX-License-Identifier: Apache-2.0
// The disk of one simulated node: a tree of inodes, the changes of names that no sync has made
// durable yet, and its size. It outlives the node's crashes. What it promises is what POSIX
// promises and no more: a name is durable after a sync of its directory, whatever was synced
// elsewhere.
#pragma once

#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "sim/disk/inode.h"

namespace milena::sim {

class Disk {
public:
    explicit Disk(SeededRandom random) : random_(random) {}

    /// Nothing if there is no such name. The empty path is the root.
    std::shared_ptr<Inode> find(const std::string& path) const;
    /// The directory that holds `path`, and the last part of it.
    std::pair<std::shared_ptr<Inode>, std::string> find_parent(const std::string& path) const;

    /// One change of names, all of it or nothing after a power cut: `name` in `directory` becomes
    /// `inode`, or nothing.
    struct NameChange {
        std::shared_ptr<Inode> directory;
        std::string name;
        std::shared_ptr<Inode> inode;
    };
    void change_names(std::vector<NameChange> changes);
    /// Makes the names of `directory` durable, and what they depend on.
    void sync_names(const std::shared_ptr<Inode>& directory);

    /// Makes all names and all contents durable.
    void sync_all();
    /// Grows with every change of a name, and whenever one becomes durable.
    std::uint64_t names_version() const { return names_version_; }

    /// The power goes and comes.
    void lose_power();
    void fail_sync(Inode& file) { file.content.fail_sync(random_); }
    /// Some first bytes of a write that failed, maybe none.
    void write_part(Inode& file, std::uint64_t position, BytesView bytes) {
        file.content.write(position, bytes.first(random_.below(bytes.size() + 1)));
    }

    void set_capacity(std::uint64_t bytes) { capacity_ = bytes; }
    void set_endless() { capacity_ = kEndless; }
    std::uint64_t used_bytes() const { return bytes_below(*root_); }
    bool has_capacity() const { return capacity_ != kEndless; }
    std::uint64_t total_bytes() const { return capacity_; }
    /// Bytes that may still be written.
    std::uint64_t free_bytes() const;

private:
    using Names = std::vector<NameChange>;
    static constexpr std::uint64_t kEndless = std::uint64_t{1} << 50;

    static void apply(const Names& changes);
    static std::uint64_t bytes_below(const Inode& inode);
    void settle(Inode& directory);
    static void sync_below(Inode& directory);

    SeededRandom random_;
    std::shared_ptr<Inode> root_ = std::make_shared<Inode>(true);
    std::vector<Names> undecided_;  ///< in the order in which they were made
    std::uint64_t capacity_ = kEndless;
    std::uint64_t names_version_ = 1;
};

}  // namespace milena::sim
