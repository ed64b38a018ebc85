// SPDX-License-Identifier: Apache-2.0
// The names of all open files, so that a rename or a removal of a directory finds those below it.
// Names are compared as they are spelled. Guarded by the descriptor cache.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "posix/cached_file.h"

namespace milena::env {

class FileNames {
public:
    void add(CachedFile& file) { files_.insert(&file); }
    void remove(CachedFile& file) { files_.erase(&file); }

    /// `from`, a file or a directory with all below it, is called `to` now; what was there before
    /// has no name any more.
    void rename(const std::string& from, const std::string& to);
    /// `path` and all below it is gone.
    void mark_removed(const std::string& path);

private:
    /// One file may be open several times.
    struct ByName {
        using is_transparent = void;
        bool operator()(const CachedFile* left, const CachedFile* right) const {
            const int order = left->name().compare(right->name());
            return order != 0 ? order < 0 : left < right;
        }
        bool operator()(const CachedFile* left, std::string_view right) const {
            return left->name() < right;
        }
    };
    std::vector<CachedFile*> at_or_below(const std::string& path) const;

    std::set<CachedFile*, ByName> files_;
};

}  // namespace milena::env
