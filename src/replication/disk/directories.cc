// SPDX-License-Identifier: Apache-2.0
// Choice and failure of log directories, and their checkpoints.
#include "disk/directories.h"

#include <algorithm>

namespace milena::replication {
namespace {

constexpr std::array<std::string_view, 4> kFiles{
    storage::kRecoveryPointCheckpoint, storage::kReplicationCheckpoint,
    storage::kLogStartCheckpoint, storage::kCleanerCheckpoint};

}  // namespace

Directories::Directories(Logger logger, std::vector<storage::LogDirectory*> directories)
    : logger_(std::move(logger)),
      directories_(std::move(directories)),
      states_(directories_.size()) {
    states_.with([&](std::vector<State>& states) {
        for (std::size_t i = 0; i < directories_.size(); ++i) {
            if (const auto meta = directories_[i]->meta(); meta && *meta)
                states[i].id = (*meta)->directory_id;
        }
    });
}

Uuid Directories::id(std::size_t index) const {
    return states_.with([&](const std::vector<State>& states) { return states[index].id; });
}

bool Directories::usable(std::size_t index) const {
    return states_.with([&](const std::vector<State>& states) { return !states[index].failed; });
}

bool Directories::all_usable() const {
    if (!lacking_.empty()) return false;
    return states_.with([](const std::vector<State>& states) {
        return std::ranges::none_of(states, &State::failed);
    });
}

bool Directories::fail(std::size_t index, const Error& error) {
    const bool was_failed = states_.with(
        [&](std::vector<State>& states) { return std::exchange(states[index].failed, true); });
    if (was_failed) return false;
    LOG_ERROR(logger_, "log directory failed", kv("directory", directories_[index]->path()),
              kv("why", error.why));
    if (const auto tell = tell_.with([](const auto& known) { return known; })) tell();
    return true;
}

std::vector<FailedDirectory> Directories::failed() const {
    std::vector<FailedDirectory> out;
    states_.with([&](const std::vector<State>& states) {
        for (std::size_t i = 0; i < states.size(); ++i) {
            if (states[i].failed) out.push_back({directories_[i]->path(), states[i].id});
        }
    });
    for (const std::string& path : lacking_) out.push_back({path, {}});
    return out;
}

void Directories::when_failed(std::function<void()> tell) {
    tell_.with([&](auto& known) { known = std::move(tell); });
}

void Directories::count(std::size_t index, int partitions) {
    states_.with([&](std::vector<State>& states) { states[index].partitions += partitions; });
}

std::optional<std::size_t> Directories::pick(Uuid assigned) const {
    return states_.with([&](const std::vector<State>& states) {
        std::optional<std::size_t> best;
        for (std::size_t i = 0; i < states.size(); ++i) {
            if (states[i].failed) continue;
            if (!assigned.is_reserved() && states[i].id == assigned) return std::optional(i);
            if (!best || states[i].partitions < states[*best].partitions) best = i;
        }
        return best;
    });
}

Result<void> Directories::write(std::size_t index, const Checkpoints& checkpoints) {
    // High watermarks last: after a crash between, each is at or below what the others speak of.
    TRY_VOID(write_one(index, 0, checkpoints.recovery_points));
    TRY_VOID(write_one(index, 2, checkpoints.log_starts));
    TRY_VOID(write_one(index, 3, checkpoints.cleaned_to));
    return write_one(index, 1, checkpoints.high_watermarks);
}

Result<void> Directories::write_one(std::size_t index, std::size_t file,
                                    const storage::OffsetCheckpoint& offsets) {
    const bool same = states_.with(
        [&](const std::vector<State>& states) { return states[index].written[file] == offsets; });
    if (same) return ok();
    TRY_VOID(directories_[index]->write_checkpoint(kFiles[file], offsets));
    states_.with([&](std::vector<State>& states) { states[index].written[file] = offsets; });
    return ok();
}

}  // namespace milena::replication
