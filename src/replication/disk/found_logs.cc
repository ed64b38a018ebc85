// SPDX-License-Identifier: Apache-2.0
// Finds, opens and hands out the logs that lay on the disk at start.
#include "disk/found_logs.h"

#include <limits>

#include "disk/unsynced.h"
#include "milena/env/disk_failure.h"

namespace milena::replication {
namespace {

constexpr env::Duration kProgressInterval = std::chrono::seconds(5);

/// The topic's own settings come with its metadata. Until then no producer is forgotten.
storage::LogOptions options_until_claimed() {
    storage::LogOptions options;
    options.producer_expiration_ms = std::numeric_limits<std::int64_t>::max();
    return options;
}

Offset offset_in(const storage::OffsetCheckpoint& checkpoint,
                 const storage::TopicPartition& partition) {
    const auto at = checkpoint.find(partition);
    return at == checkpoint.end() ? Offset(0) : at->second;
}

}  // namespace

FoundLogs::FoundLogs(env::Env& env, Logger logger, Directories& directories, Fail fail)
    : env_(env), logger_(std::move(logger)), directories_(directories), fail_(std::move(fail)) {}

Result<void> FoundLogs::find(const std::vector<bool>& directory_was_clean) {
    INVARIANT(directory_was_clean.size() == directories_.size(), "one word on each directory");
    ByPartition found;
    for (std::size_t i = 0; i < directories_.size(); ++i) {
        auto in_this = find_in(i, directory_was_clean[i]);
        if (!in_this && env::is_disk_failure(in_this.error())) {
            directories_.fail(i, in_this.error());
            continue;
        }
        if (!in_this) return std::unexpected(std::move(in_this).error());
        TRY_VOID(add(*std::move(in_this), found));
    }
    state_.with([&](State& state) {
        state.logs = std::move(found);
        state.next = state.logs.begin();
        state.next_line = env_.clock().now() + kProgressInterval;
    });
    return ok();
}

Result<FoundLogs::ByPartition> FoundLogs::find_in(std::size_t directory, bool was_clean) const {
    ByPartition found;
    storage::LogDirectory& place = directories_[directory];
    TRY(const auto partitions, place.find_partitions());
    TRY(const auto recovery_points, place.read_checkpoint(storage::kRecoveryPointCheckpoint));
    TRY(const auto high_watermarks, place.read_checkpoint(storage::kReplicationCheckpoint));
    TRY(const auto log_starts, place.read_checkpoint(storage::kLogStartCheckpoint));
    TRY(const auto cleaned_to, place.read_checkpoint(storage::kCleanerCheckpoint));
    for (const auto& [partition, topic_id] : partitions) {
        Found log;
        log.topic_id = topic_id;
        log.directory = directory;
        log.recovery = {was_clean, offset_in(recovery_points, partition),
                        offset_in(log_starts, partition), std::nullopt};
        if (const auto at = cleaned_to.find(partition); at != cleaned_to.end())
            log.recovery.cleaned_to = at->second;
        log.high_watermark = offset_in(high_watermarks, partition);
        found.emplace(partition, std::move(log));
    }
    return found;
}

Result<void> FoundLogs::add(ByPartition&& more, ByPartition& found) const {
    found.merge(more);
    if (more.empty()) return ok();
    const auto& [partition, twice] = *more.begin();
    return fail(ErrorCode::kafka_storage_error,
                fmt::format("{} and {} both hold {}: remove the one that is older",
                            directories_[twice.directory].path(),
                            directories_[found.at(partition).directory].path(), partition.text()));
}

void FoundLogs::open() {
    for (;;) {
        ByPartition::value_type* const job = state_.with(
            [](State& state) { return state.next == state.logs.end() ? nullptr : &*state.next++; });
        if (job == nullptr) return;
        auto log = open_one(job->first, job->second);
        const env::Instant now = env_.clock().now();
        state_.with([&](State& state) {
            if (log != nullptr) job->second.take(std::move(log));
            const bool is_last = ++state.opened == state.logs.size();
            if (!is_last && now < state.next_line) return;
            state.next_line = now + kProgressInterval;
            LOG_INFO(logger_, "opened logs", kv("done", state.opened),
                     kv("all", state.logs.size()));
        });
    }
}

Replicas::OpenProgress FoundLogs::progress() const {
    return state_.with(
        [](const State& state) { return Replicas::OpenProgress{state.opened, state.logs.size()}; });
}

/// Null if it can't be opened.
std::unique_ptr<storage::Log> FoundLogs::open_one(const storage::TopicPartition& partition,
                                                  const Found& found) const {
    auto log = storage::Log::open(
        env_, logger_, fmt::format("{}/{}", directories_[found.directory].path(), partition.text()),
        options_until_claimed(), found.recovery);
    if (log) return *std::move(log);
    LOG_ERROR(logger_, "a log can't be opened", kv("partition", partition.text()),
              kv("why", log.error().why));
    if (env::is_disk_failure(log.error())) fail_(found.directory, log.error());
    return nullptr;
}

std::optional<FoundLogs::Claimed> FoundLogs::claim(const storage::TopicPartition& partition,
                                                   Uuid topic_id) {
    Found* const found = state_.with([&](State& state) -> Found* {
        const auto at = state.logs.find(partition);
        if (at == state.logs.end()) return nullptr;
        Found& log = at->second;
        return log.topic_id.is_zero() || log.topic_id == topic_id ? &log : nullptr;
    });
    if (found == nullptr) return std::nullopt;
    // Only the caller of claim() changes it now. Whoever checkpoints does not wait for a recovery.
    auto again = found->log == nullptr && directories_.usable(found->directory)
                     ? open_one(partition, *found)
                     : nullptr;
    return state_.with([&](State& state) {
        if (again != nullptr) found->take(std::move(again));
        Claimed claimed{std::move(found->log), found->directory, found->high_watermark};
        if (claimed.log != nullptr) state.logs.erase(partition);
        return claimed;
    });
}

void FoundLogs::drop(const storage::TopicPartition& partition, std::size_t directory) {
    const auto stray = state_.with([&](State& state) -> std::unique_ptr<storage::Log> {
        const auto at = state.logs.find(partition);
        if (at == state.logs.end() || at->second.directory != directory) return nullptr;
        std::unique_ptr<storage::Log> log = std::move(at->second.log);
        state.logs.erase(at);
        return log;
    });
    if (stray == nullptr) return;
    if (const auto closed = stray->close(); !closed) {
        LOG_WARN(logger_, "a stray log did not close", kv("partition", partition.text()),
                 kv("why", closed.error().why));
    }
}

void FoundLogs::add_checkpoints(std::size_t directory, Checkpoints& checkpoints) const {
    state_.with([&](const State& state) {
        for (const auto& [partition, found] : state.logs) {
            if (found.directory != directory) continue;
            checkpoints.recovery_points[partition] = found.recovery.recovery_point;
            checkpoints.high_watermarks[partition] = found.high_watermark;
            if (found.recovery.log_start_offset > Offset(0)) {
                checkpoints.log_starts[partition] = found.recovery.log_start_offset;
            }
            if (found.recovery.cleaned_to)
                checkpoints.cleaned_to[partition] = *found.recovery.cleaned_to;
        }
    });
}

std::vector<storage::FoundPartition> FoundLogs::unclaimed() const {
    return state_.with([](const State& state) {
        std::vector<storage::FoundPartition> all;
        for (const auto& [partition, found] : state.logs) {
            if (found.log != nullptr) all.push_back({partition, found.topic_id});
        }
        return all;
    });
}

std::size_t FoundLogs::count_unsynced(std::size_t directory) const {
    return state_.with([&](const State& state) {
        std::size_t count = 0;
        for (const auto& [partition, found] : state.logs) {
            count +=
                found.directory == directory && found.log != nullptr && is_unsynced(*found.log);
        }
        return count;
    });
}

/// The last step of a close: what is open is whole then.
Result<void> FoundLogs::close_each(std::size_t directory, Result<void> (storage::Log::*step)()) {
    return state_.with([&](State& state) {
        Result<void> all = ok();
        for (auto& [partition, found] : state.logs) {
            if (found.directory != directory) continue;
            const Result<void> closed =
                found.log == nullptr
                    ? fail(ErrorCode::kafka_storage_error,
                           partition.text() + " could not be opened and has to be recovered")
                    : (*found.log.*step)();
            if (closed) found.recovery.recovery_point = found.log->log_end_offset();
            if (all && !closed) all = closed;
        }
        return all;
    });
}

Result<void> FoundLogs::close(std::size_t directory) {
    return close_each(directory, &storage::Log::close);
}

Result<void> FoundLogs::begin_close(std::size_t directory) {
    return state_.with([&](State& state) {
        Result<void> all = ok();
        for (auto& [partition, found] : state.logs) {
            if (found.directory != directory || found.log == nullptr) continue;
            const Result<void> begun = found.log->begin_close();
            if (all && !begun) all = begun;
        }
        return all;
    });
}

Result<void> FoundLogs::end_close(std::size_t directory) {
    return close_each(directory, &storage::Log::end_close);
}

}  // namespace milena::replication
