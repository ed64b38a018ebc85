// SPDX-License-Identifier: Apache-2.0
// Settling leftovers by name alone, then listing the segments.
#include "segment_files.h"

#include <fmt/format.h>

#include "batch_walk.h"
#include "checkpoint_text.h"
#include "segment.h"

namespace milena::storage {
namespace {

constexpr std::size_t kBaseDigits = 20;

/// What was read from the directory, kept true while files are removed and renamed.
class Listing {
public:
    static Result<Listing> read(env::FileSystem& files, const std::string& directory) {
        Listing listing(files, directory);
        TRY(const auto entries, files.list(directory));
        for (const env::DirectoryEntry& entry : entries) {
            if (!entry.is_directory) listing.sizes_[entry.name] = entry.size;
        }
        return listing;
    }

    std::string path(std::string_view name) const { return fmt::format("{}/{}", directory_, name); }
    env::FileSystem& files() const { return *files_; }
    const std::map<std::string, std::uint64_t, std::less<>>& sizes() const { return sizes_; }
    std::optional<std::uint64_t> size(const std::string& name) const {
        const auto found = sizes_.find(name);
        return found == sizes_.end() ? std::nullopt : std::optional(found->second);
    }

    Result<void> sync() { return files_->sync_directory(directory_); }
    template <class Condition>
    Result<void> remove_if(Condition condition) {
        for (auto entry = sizes_.begin(); entry != sizes_.end();) {
            if (!condition(std::string_view(entry->first))) {
                ++entry;
                continue;
            }
            TRY_VOID(files_->remove(path(entry->first)));
            entry = sizes_.erase(entry);
        }
        return ok();
    }
    Result<void> rename(const std::string& from, const std::string& to) {
        TRY_VOID(files_->rename(path(from), path(to)));
        sizes_[to] = sizes_[from];
        sizes_.erase(from);
        return ok();
    }

private:
    Listing(env::FileSystem& files, const std::string& directory)
        : files_(&files), directory_(directory) {}

    env::FileSystem* files_;
    std::string directory_;
    std::map<std::string, std::uint64_t, std::less<>> sizes_;
};

/// Base offsets of the files that end in `suffix`, ascending.
std::vector<Offset> bases_of(const Listing& listing, std::string_view suffix) {
    std::vector<Offset> bases;
    for (const auto& [name, size] : listing.sizes()) {
        const auto parsed = parse_segment_file_name(name);
        if (parsed && parsed->suffix.ends_with(suffix)) bases.push_back(parsed->base);
    }
    return bases;
}

/// The offset behind the last batch of the log file `name`.
Result<Offset> next_offset_of(const Listing& listing, const std::string& name, Offset base) {
    TRY(const auto file, listing.files().open(listing.path(name), env::OpenMode::read_only));
    HeaderWalk walk(*file, 0, *listing.size(name));
    Offset next = base;
    while (true) {
        TRY(const auto batch, walk.next());
        if (!batch) return next;
        next = batch->view.next_offset();
    }
}

/// A .log.swap is whole: it replaces the segments it was made of, whose files may still be there,
/// wholly or in part.
Result<void> settle_swap(Listing& listing, Offset base) {
    constexpr std::string_view kSwap = ".swap";
    const std::string log = segment_file_name(base, ".log.swap");
    TRY(const Offset next, next_offset_of(listing, log, base));
    // A stop between the renames below may have left a .txnindex that has already come home and,
    // unlike an index, can't be built anew; the worst that a stale one does is to name transactions
    // that are gone.
    const bool is_txnindex_home = !listing.size(segment_file_name(base, ".txnindex.swap"));
    TRY_VOID(listing.remove_if([&](std::string_view name) {
        const auto parsed = parse_segment_file_name(name);
        if (!parsed || parsed->base < base || parsed->base >= std::max(next, base.next()))
            return false;
        if (parsed->suffix == ".txnindex") return parsed->base != base || !is_txnindex_home;
        return parsed->suffix == ".log" || parsed->suffix == ".index" ||
               parsed->suffix == ".timeindex";
    }));
    // A power cut must not keep the new name and bring back what it stands for: offsets would come
    // twice.
    TRY_VOID(listing.sync());
    for (const std::string_view suffix : {".index", ".timeindex", ".txnindex", ".log"}) {
        const std::string target = segment_file_name(base, suffix);
        const std::string source = target + std::string(kSwap);
        if (listing.size(source)) TRY_VOID(listing.rename(source, target));
    }
    return ok();
}

Result<void> settle_leftovers(Listing& listing) {
    const std::vector<Offset> cleaned = bases_of(listing, ".cleaned");
    TRY_VOID(listing.remove_if([&](std::string_view name) {
        const auto parsed = parse_segment_file_name(name);
        if (!parsed) return false;
        // A split writes all its .cleaned files before it renames the first: while one is left,
        // none of its .swap files is to be trusted.
        const bool is_part_of_unfinished = parsed->suffix.ends_with(".swap") && !cleaned.empty() &&
                                           parsed->base >= cleaned.front();
        return is_part_of_unfinished || parsed->suffix.ends_with(".cleaned") ||
               (parsed->suffix.ends_with(".deleted") && !parsed->suffix.starts_with(".checkpoint"));
    }));
    for (const Offset base : bases_of(listing, ".log.swap")) TRY_VOID(settle_swap(listing, base));
    // A .swap without its log, which is home already. Indexes are built anew, but for the one of
    // aborted transactions.
    for (const Offset base : bases_of(listing, ".txnindex.swap")) {
        const std::string home = segment_file_name(base, ".txnindex");
        if (listing.size(segment_file_name(base, ".log")))
            TRY_VOID(listing.rename(home + ".swap", home));
    }
    return listing.remove_if([](std::string_view name) {
        const auto parsed = parse_segment_file_name(name);
        return parsed && parsed->suffix.ends_with(".swap");
    });
}

Result<void> remove_orphans(Listing& listing) {
    return listing.remove_if([&](std::string_view name) {
        const auto parsed = parse_segment_file_name(name);
        if (!parsed) return false;
        const bool is_index = parsed->suffix == ".index" || parsed->suffix == ".timeindex" ||
                              parsed->suffix == ".txnindex";
        return is_index && !listing.size(segment_file_name(parsed->base, ".log"));
    });
}

}  // namespace

std::optional<SegmentFileName> parse_segment_file_name(std::string_view name) {
    if (name.size() <= kBaseDigits || name[kBaseDigits] != '.') return std::nullopt;
    const auto base = parse_number<std::int64_t>(name.substr(0, kBaseDigits));
    if (!base || *base < 0) return std::nullopt;
    return SegmentFileName{Offset(*base), name.substr(kBaseDigits)};
}

Result<FoundFiles> settle_segment_files(env::FileSystem& files, const std::string& directory) {
    TRY(Listing listing, Listing::read(files, directory));
    TRY_VOID(settle_leftovers(listing));
    TRY_VOID(remove_orphans(listing));
    FoundFiles found;
    for (const auto& [name, size] : listing.sizes()) {
        const auto parsed = parse_segment_file_name(name);
        if (parsed && parsed->suffix == ".snapshot") found.snapshots.push_back(parsed->base);
        if (!parsed || parsed->suffix != ".log") continue;
        found.segments[parsed->base] = {
            size, listing.size(segment_file_name(parsed->base, ".index")),
            listing.size(segment_file_name(parsed->base, ".timeindex")),
            listing.size(segment_file_name(parsed->base, ".txnindex")).value_or(0)};
    }
    return found;
}

Result<void> prune_snapshots(env::FileSystem& files, const std::string& directory,
                             const FoundFiles& found, Offset log_end) {
    Offset newest(-1);
    for (const Offset at : found.snapshots) {
        if (at <= log_end) newest = at;
    }
    for (const Offset at : found.snapshots) {
        if (at == newest || (at <= log_end && found.segments.contains(at))) continue;
        TRY_VOID(files.remove(directory + "/" + segment_file_name(at, ".snapshot")));
    }
    return ok();
}

Result<void> remove_snapshots_above(env::FileSystem& files, const std::string& directory,
                                    Offset end) {
    TRY(Listing listing, Listing::read(files, directory));
    return listing.remove_if([&](std::string_view name) {
        const auto parsed = parse_segment_file_name(name);
        return parsed && parsed->suffix == ".snapshot" && parsed->base > end;
    });
}

Result<std::vector<Offset>> list_snapshots(env::FileSystem& files, const std::string& directory) {
    TRY(const Listing listing, Listing::read(files, directory));
    return bases_of(listing, ".snapshot");
}

}  // namespace milena::storage
