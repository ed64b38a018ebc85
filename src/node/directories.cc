// SPDX-License-Identifier: Apache-2.0
// Opens log directories, finds what they disagree about, and formats those that are new.
#include "directories.h"

#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "format.h"
#include "milena/env/disk_failure.h"

namespace milena::node {
namespace {

using storage::LogDirectory;
using storage::MetaProperties;

struct Opened {
    std::unique_ptr<LogDirectory> storage;
    std::optional<MetaProperties> meta;
};

/// Which directories can be done without.
class Failures {
public:
    Failures(const Logger& log, const config::BrokerConfig& config) : log_(log), config_(config) {}

    /// True if the node goes on without it.
    bool take(const std::string& path, const Error& error) {
        if (path == config_.metadata_log_dir || !env::is_disk_failure(error)) return false;
        LOG_ERROR(log_, "log directory failed", kv("directory", path), kv("why", error.why));
        paths_.push_back(path);
        return paths_.size() < config_.log_dirs.size();
    }
    std::vector<std::string>& paths() { return paths_; }

private:
    const Logger& log_;
    const config::BrokerConfig& config_;
    std::vector<std::string> paths_;
};

Result<Opened> open_one(env::Env& env, const Logger& log, const std::string& path) {
    TRY(auto storage, LogDirectory::open(env, log, path));
    TRY(auto meta, storage->meta());
    return Opened{std::move(storage), std::move(meta)};
}

Result<std::vector<Opened>> open_all(env::Env& env, const Logger& log,
                                     const std::vector<std::string>& paths, Failures& failures) {
    std::vector<Opened> out;
    for (const auto& path : paths) {
        auto opened = open_one(env, log, path);
        if (opened) {
            out.push_back(*std::move(opened));
        } else if (!failures.take(path, opened.error())) {
            return fail_at("log directory", opened.error());
        }
    }
    return out;
}

/// A directory that was copied with its meta.properties: the controller could not tell the two
/// apart.
Result<void> check_directory_ids(const std::vector<Opened>& opened) {
    for (auto one = opened.begin(); one != opened.end(); ++one) {
        const auto same = std::find_if(opened.begin(), one, [&](const Opened& other) {
            return one->meta && other.meta && other.meta->directory_id == one->meta->directory_id;
        });
        if (same == one) continue;
        return fail(
            ErrorCode::invalid_config,
            fmt::format("{} and {} both have directory.id={}: one is a copy of the other. "
                        "Take the copy out of log.dirs, or empty it to have it formatted",
                        same->storage->path(), one->storage->path(), one->meta->directory_id));
    }
    return ok();
}

/// The cluster id that the formatted directories agree on; nothing if none is formatted.
Result<std::optional<std::string>> agreed_cluster(const std::vector<Opened>& opened,
                                                  BrokerId node_id) {
    const Opened* first = nullptr;
    for (const auto& one : opened) {
        if (!one.meta) continue;
        const std::string& path = one.storage->path();
        if (one.meta->node_id != node_id) {
            return fail(ErrorCode::invalid_config,
                        fmt::format("{} belongs to node.id={}, the configuration says node.id={}: "
                                    "correct node.id, or "
                                    "name another directory in log.dirs",
                                    path, one.meta->node_id, node_id));
        }
        if (first != nullptr && first->meta->cluster_id != one.meta->cluster_id) {
            return fail(
                ErrorCode::inconsistent_cluster_id,
                fmt::format(
                    "{} belongs to cluster {}, {} to cluster {}: take the one that is not of this "
                    "cluster out of log.dirs",
                    first->storage->path(), first->meta->cluster_id, path, one.meta->cluster_id));
        }
        if (first == nullptr) first = &one;
    }
    if (first == nullptr) return std::nullopt;
    return first->meta->cluster_id;
}

std::vector<std::string> paths_of(const config::BrokerConfig& config) {
    std::vector<std::string> paths = config.log_dirs;
    if (std::ranges::find(paths, config.metadata_log_dir) == paths.end())
        paths.push_back(config.metadata_log_dir);
    return paths;
}

Result<void> format_one(const Logger& log, Opened& one, const MetaProperties& meta) {
    TRY_VOID(one.storage->write_meta(meta));
    one.meta = meta;
    LOG_INFO(log, "directory formatted", kv("path", one.storage->path()),
             kv("cluster_id", meta.cluster_id), kv("directory_id", meta.directory_id));
    return ok();
}

Result<void> format_missing(env::Env& env, const Logger& log, const config::BrokerConfig& config,
                            std::vector<Opened>& opened, std::optional<std::string> cluster_id) {
    // The metadata directory first: once it has its meta.properties the cluster exists, and the
    // others are new disks.
    auto& metadata = *std::ranges::find(opened, config.metadata_log_dir,
                                        [](const Opened& one) { return one.storage->path(); });
    if (!metadata.meta) {
        if (cluster_id) {
            return fail(
                ErrorCode::invalid_config,
                fmt::format("{} has no meta.properties, but another directory of log.dirs belongs "
                            "to cluster {}: "
                            "the metadata log is missing. Bring its directory back, or name it in "
                            "metadata.log.dir",
                            config.metadata_log_dir, *cluster_id));
        }
        TRY_VOID(check_unambiguous(config));
        TRY_VOID(check_formattable(env, *metadata.storage));
        cluster_id = env::random_uuid(env.random()).text();
        const MetaProperties meta{*cluster_id, config.node_id, env::random_uuid(env.random())};
        TRY_VOID(write_bootstrap(env, default_bootstrap(config, meta), metadata.storage->path()));
        TRY_VOID(format_one(log, metadata, meta));
    }
    for (auto& one : opened) {
        if (one.meta) continue;
        TRY_VOID(check_formattable(env, *one.storage));
        TRY_VOID(
            format_one(log, one, {*cluster_id, config.node_id, env::random_uuid(env.random())}));
    }
    return ok();
}

}  // namespace

Result<Directories> open_directories(env::Env& env, const Logger& log,
                                     const config::BrokerConfig& config) {
    const auto paths = paths_of(config);
    Failures failures(log, config);
    TRY(auto opened, open_all(env, log, paths, failures));
    TRY(auto cluster_id, agreed_cluster(opened, config.node_id));
    TRY_VOID(check_directory_ids(opened));
    TRY_VOID(format_missing(env, log, config, opened, std::move(cluster_id)));

    Directories out;
    for (auto& one : opened) {
        const std::string path = one.storage->path();
        const auto epoch = one.storage->take_clean_shutdown();
        if (!epoch && failures.take(path, epoch.error())) continue;
        TRY_VOID(epoch);
        if (path == config.metadata_log_dir) out.metadata = out.all.size();
        out.all.push_back({std::move(one.storage), *one.meta, epoch->has_value(),
                           epoch->value_or(BrokerEpoch(-1))});
    }
    out.failed = std::move(failures.paths());
    out.log_dir_count = config.log_dirs.size() - out.failed.size();
    return out;
}

std::string Directories::metadata_log_path() const {
    return all[metadata].storage->path() + "/" + std::string(storage::kClusterMetadataTopic) + "-0";
}

std::vector<LogDirectory*> Directories::log_dirs() const {
    std::vector<LogDirectory*> out;
    for (std::size_t i = 0; i < log_dir_count; ++i) out.push_back(all[i].storage.get());
    return out;
}

std::vector<Uuid> Directories::log_dir_ids() const {
    std::vector<Uuid> out;
    for (std::size_t i = 0; i < log_dir_count; ++i) out.push_back(all[i].meta.directory_id);
    std::ranges::sort(out);
    return out;
}

BrokerEpoch Directories::previous_epoch() const {
    BrokerEpoch epoch{-1};
    if (!failed.empty()) return epoch;
    for (std::size_t i = 0; i < log_dir_count; ++i) {
        if (!all[i].was_clean) return BrokerEpoch(-1);
        epoch = std::max(epoch, all[i].last_epoch);
    }
    return epoch;
}

}  // namespace milena::node
