// SPDX-License-Identifier: Apache-2.0
// Waits for a failure, looks which directories are left, tells.
#include "milena/drivers/directory_failures.h"

#include <algorithm>

#include <fmt/format.h>

namespace milena::drivers {

std::optional<std::string> reason_to_stop(std::span<const replication::FailedDirectory> failed,
                                          std::size_t directories,
                                          std::string_view metadata_directory) {
    if (std::ranges::any_of(failed,
                            [&](const auto& one) { return one.path == metadata_directory; })) {
        return fmt::format("the directory of the metadata log, {}, has failed", metadata_directory);
    }
    if (failed.size() < directories) return std::nullopt;
    return fmt::format("all directories of log.dirs have failed, the last of them {}",
                       failed.back().path);
}

DirectoryFailures::DirectoryFailures(env::Env& env, replication::Replicas& replicas,
                                     DirectoryFailuresOptions options)
    : env_(env),
      replicas_(replicas),
      options_(std::move(options)),
      work_(env, env.control()),
      ended_(env, env.control()) {}

void DirectoryFailures::start() {
    running_ = true;
    replicas_.when_failed(work_.handle());
    env::spawn(env_.control(), run());
}

env::Task<void> DirectoryFailures::run() {
    while (!stopping_) {
        // What failed before anybody listened is found too.
        co_await env_.offload(env::Pool::disk, [this] { replicas_.note_failed_logs(); });
        if (stopping_) break;
        judge();
        co_await work_.wait_until(env::kNever);
    }
    running_ = false;
    ended_.notify();
}

void DirectoryFailures::judge() {
    const auto failed = replicas_.failed_directories();
    if (failed.size() == known_) return;
    known_ = failed.size();
    if (const auto why =
            reason_to_stop(failed, options_.directories, options_.metadata_directory)) {
        options_.end(Error{ErrorCode::kafka_storage_error, *why});
        return;
    }
    std::vector<Uuid> ids;
    for (const auto& one : failed) {
        if (!one.id.is_zero()) ids.push_back(one.id);
    }
    if (!ids.empty()) options_.report(std::move(ids));
}

env::Task<void> DirectoryFailures::stop() {
    stopping_ = true;
    work_.notify();
    while (running_) co_await ended_.wait_until(env::kNever);
}

}  // namespace milena::drivers
