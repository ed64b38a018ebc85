// SPDX-License-Identifier: Apache-2.0
// Changes of names and what a power cut leaves of them.
#include "sim/disk/disk.h"

#include <algorithm>

namespace milena::sim {
namespace {

/// The parts of a path; empty ones and "." say nothing.
std::vector<std::string> parts_of(const std::string& path) {
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (begin <= path.size()) {
        const std::size_t end = std::min(path.find('/', begin), path.size());
        std::string part = path.substr(begin, end - begin);
        if (!part.empty() && part != ".") parts.push_back(std::move(part));
        begin = end + 1;
    }
    return parts;
}

std::shared_ptr<Inode> walk(std::shared_ptr<Inode> at, std::span<const std::string> parts) {
    for (const std::string& part : parts) {
        if (!at->is_directory) return nullptr;
        const auto entry = at->names.find(part);
        if (entry == at->names.end()) return nullptr;
        at = entry->second;
    }
    return at;
}

void set_name(Inode::Names& names, const std::string& name, const std::shared_ptr<Inode>& inode) {
    if (inode == nullptr) {
        names.erase(name);
    } else {
        names[name] = inode;
    }
}

}  // namespace

std::shared_ptr<Inode> Disk::find(const std::string& path) const {
    return walk(root_, parts_of(path));
}

std::pair<std::shared_ptr<Inode>, std::string> Disk::find_parent(const std::string& path) const {
    const std::vector<std::string> parts = parts_of(path);
    if (parts.empty()) return {nullptr, {}};
    const auto parent = walk(root_, std::span(parts).first(parts.size() - 1));
    if (parent == nullptr || !parent->is_directory) return {nullptr, {}};
    return {parent, parts.back()};
}

void Disk::change_names(std::vector<NameChange> changes) {
    ++names_version_;
    for (const NameChange& change : changes)
        set_name(change.directory->names, change.name, change.inode);
    undecided_.push_back(std::move(changes));
}

void Disk::apply(const Names& changes) {
    for (const NameChange& change : changes)
        set_name(change.directory->durable_names, change.name, change.inode);
}

void Disk::sync_names(const std::shared_ptr<Inode>& directory) {
    ++names_version_;
    // Backwards, to learn what the directory's changes follow: an earlier change of a directory
    // that a later one, which must be durable, touches too.
    std::set<const Inode*> touched{directory.get()};
    std::vector<bool> durable(undecided_.size());
    for (std::size_t i = undecided_.size(); i-- > 0;) {
        durable[i] = std::ranges::any_of(undecided_[i], [&](const NameChange& change) {
            return touched.contains(change.directory.get());
        });
        if (!durable[i]) continue;
        for (const NameChange& change : undecided_[i]) touched.insert(change.directory.get());
    }
    std::vector<Names> left;
    for (std::size_t i = 0; i < undecided_.size(); ++i) {
        if (durable[i]) {
            apply(undecided_[i]);
        } else {
            left.push_back(std::move(undecided_[i]));
        }
    }
    undecided_ = std::move(left);
}

void Disk::sync_all() {
    ++names_version_;
    for (const Names& changes : undecided_) apply(changes);
    undecided_.clear();
    sync_below(*root_);
}

void Disk::sync_below(Inode& directory) {
    for (const auto& [name, inode] : directory.names) {
        if (inode->is_directory) {
            sync_below(*inode);
        } else {
            inode->content.sync();
        }
    }
}

void Disk::lose_power() {
    ++names_version_;
    // Each directory keeps a beginning of its changes: a change is lost if one before it in any of
    // its directories was.
    std::set<const Inode*> cut;
    const bool is_cruel = random_.chance(0.5);
    for (const Names& changes : undecided_) {
        bool lost = random_.chance(is_cruel ? 0.5 : 0.05);
        for (const NameChange& change : changes)
            lost = lost || cut.contains(change.directory.get());
        if (lost) {
            for (const NameChange& change : changes) cut.insert(change.directory.get());
        } else {
            apply(changes);
        }
    }
    undecided_.clear();
    settle(*root_);
}

void Disk::settle(Inode& directory) {
    directory.names = directory.durable_names;
    for (const auto& [name, inode] : directory.names) {
        if (inode->is_directory) {
            settle(*inode);
        } else {
            inode->content.lose_power(random_);
        }
    }
}

std::uint64_t Disk::bytes_below(const Inode& inode) {
    if (!inode.is_directory) return inode.content.visible().size();
    std::uint64_t bytes = 0;
    for (const auto& [name, child] : inode.names) bytes += bytes_below(*child);
    return bytes;
}

std::uint64_t Disk::free_bytes() const {
    const std::uint64_t used = bytes_below(*root_);
    return used < capacity_ ? capacity_ - used : 0;
}

}  // namespace milena::sim
