// SPDX-License-Identifier: Apache-2.0
// What lies below a directory stands together in the order of the names.
#include "posix/file_names.h"

namespace milena::env {

std::vector<CachedFile*> FileNames::at_or_below(const std::string& path) const {
    std::vector<CachedFile*> found;
    for (auto at = files_.lower_bound(std::string_view(path));
         at != files_.end() && (*at)->name() == path; ++at)
        found.push_back(*at);
    const std::string stem = path + "/";
    for (auto at = files_.lower_bound(std::string_view(stem));
         at != files_.end() && (*at)->name().starts_with(stem); ++at)
        found.push_back(*at);
    return found;
}

void FileNames::rename(const std::string& from, const std::string& to) {
    if (from == to) return;
    mark_removed(to);
    for (CachedFile* const file : at_or_below(from)) {
        files_.erase(file);
        file->rename(to + file->name().substr(from.size()));
        files_.insert(file);
    }
}

void FileNames::mark_removed(const std::string& path) {
    for (CachedFile* const file : at_or_below(path)) file->set_removed();
}

}  // namespace milena::env
