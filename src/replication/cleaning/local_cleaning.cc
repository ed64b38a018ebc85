// SPDX-License-Identifier: Apache-2.0
// A piece of work, or a swap, at a time; between them the log is asked whether it is still the
// same.
#include "cleaning/local_cleaning.h"

#include <utility>

#include "local_replicas.h"
#include "milena/env/disk_failure.h"

namespace milena::replication {
namespace {

/// A log that is offline, or a disk that fails, takes the directory with it.
void note_failure(LocalPartition& partition, const Error& error) {
    if (partition.offline() || env::is_disk_failure(error)) partition.take_offline();
}

/// Could not be begun, as its first step says.
class FailedCleaning final : public LogCleaning {
public:
    explicit FailedCleaning(Error why) : why_(std::move(why)) {}

    Result<Outcome> step() override { return std::unexpected(why_); }
    void give_up() override {}
    const storage::CleaningFigures& figures() const override { return figures_; }

private:
    const Error why_;
    const storage::CleaningFigures figures_;
};

}  // namespace

std::vector<CleanableLog> LocalCleanableLogs::list(const Limit& limit) {
    std::vector<CleanableLog> found;
    const auto table = replicas_.table();
    for (const auto& [id, topic] : *table) {
        for (const Hosted& hosted : topic->partitions) {
            if (hosted.local == nullptr || !hosted.local->settings()->log.compaction) continue;
            const Offset bound = limit(id, hosted.index).value_or(Offset(INT64_MAX));
            const auto dirty = hosted.local->dirty_part(bound);
            if (!dirty) {
                LOG_WARN(logger_, "a log can't be looked at for its cleaning",
                         kv("partition", hosted.local->name().text()),
                         kv("why", dirty.error().why));
            }
            if (!dirty || !*dirty) continue;
            found.push_back({id, hosted.index, hosted.local->name(),
                             replicas_.places()[hosted.directory].path(), **dirty});
        }
    }
    return found;
}

std::unique_ptr<LogCleaning> LocalCleanableLogs::begin(const CleanableLog& log,
                                                       const storage::CleaningLimits& limits) {
    const auto hosted = replicas_.hosted(log.topic, log.partition);
    if (!hosted || hosted->local == nullptr) return nullptr;
    auto source = hosted->local->begin_cleaning(log.dirty);
    if (!source) {
        note_failure(*hosted->local, source.error());
        return std::make_unique<FailedCleaning>(std::move(source).error());
    }
    if (!*source) return nullptr;
    return std::make_unique<LocalCleaning>(
        LocalCleaning::Parts{env_.files(), deleted_, hosted->local},
        storage::Cleaning::make(env_.files(), **std::move(source), limits));
}

Result<LogCleaning::Outcome> LocalCleaning::step() {
    auto outcome = parts_.partition->in_its_directory([this] { return step_in_directory(); });
    if (outcome && *outcome != Outcome::called_off) return outcome;
    // What fails when the log is gone, or is another, says nothing of the disk.
    const bool is_own = parts_.partition->may_clean(ticket());
    give_up();
    if (outcome || !is_own) return Outcome::called_off;
    note_failure(*parts_.partition, outcome.error());
    return outcome;
}

Result<LogCleaning::Outcome> LocalCleaning::step_in_directory() {
    if (!parts_.partition->may_clean(ticket())) return Outcome::called_off;
    TRY(const storage::Cleaning::Step step, cleaning_->step());
    if (step == storage::Cleaning::Step::goes_on) return Outcome::goes_on;
    if (step == storage::Cleaning::Step::done) {
        parts_.partition->set_cleaned_to(ticket(), cleaning_->cleaned_to());
        end();
        return Outcome::done;
    }
    TRY(const bool is_swapped, swap_in());
    return is_swapped ? Outcome::goes_on : Outcome::called_off;
}

Result<bool> LocalCleaning::swap_in() {
    if (!parts_.partition->begin_swap_in(ticket(), cleaning_->ready())) return false;
    const auto taken = take_place();
    if (taken && *taken) {
        cleaning_->swapped();
        return true;
    }
    const auto called_off = parts_.partition->call_off_swap_in(ticket());
    return taken && !called_off ? std::unexpected(called_off.error()) : taken;
}

Result<bool> LocalCleaning::take_place() {
    const storage::CleanedSegment& cleaned = cleaning_->ready();
    const std::string& directory = cleaning_->source().directory;
    TRY_VOID(storage::make_final(parts_.files, directory, cleaned));
    TRY(auto replaced, parts_.partition->replace_by(ticket(), cleaned));
    if (!replaced) return false;
    parts_.deleted.add(*std::move(replaced), parts_.partition->file_delete_delay());
    TRY_VOID(parts_.files.sync_directory(directory));
    return parts_.partition->come_home(ticket(), cleaned);
}

void LocalCleaning::give_up() {
    parts_.partition->in_its_directory([this] {
        if (parts_.partition->may_clear_up(ticket())) cleaning_->clear_up();
    });
    end();
}

void LocalCleaning::end() {
    if (!std::exchange(is_over_, true)) parts_.partition->end_cleaning(ticket());
}

}  // namespace milena::replication
