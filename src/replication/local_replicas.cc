// SPDX-License-Identifier: Apache-2.0
// Starts and stops replicas as the metadata says, and publishes the table of them.
#include "local_replicas.h"

#include <algorithm>

#include "milena/env/disk_failure.h"
#include "offline_partition.h"

namespace milena::replication {
namespace {

/// Strays that are named in the log line about them.
constexpr std::size_t kStraysNamed = 20;
/// Longest name of a file on the systems we know; a stray's name is cut to it.
constexpr std::size_t kNameMax = 255;

/// Files and directories that are removed in one go.
constexpr std::size_t kRemovedAtOnce = 256;

/// Logs that a stop syncs one by one: what others have written to the same file system is not
/// waited for then.
constexpr std::size_t kSyncedOneByOne = 32;

bool is_replica(const metadata::PartitionRegistration& registration, BrokerId broker) {
    return std::ranges::find(registration.replicas, broker) != registration.replicas.end();
}

PartitionState state_of(const metadata::PartitionRegistration& registration) {
    return {registration.leader, registration.leader_epoch, registration.partition_epoch,
            registration.replicas.to_vector(), registration.in_sync_replicas.to_vector()};
}

/// The directory that the metadata says `broker` has its replica in; zero if it says none.
Uuid assigned_directory(const metadata::PartitionRegistration& registration, BrokerId broker) {
    const auto at = std::ranges::find(registration.replicas, broker);
    const auto index = static_cast<std::size_t>(at - registration.replicas.begin());
    return index < registration.directories.size() ? registration.directories[index] : Uuid{};
}

/// Nothing has happened to the partition since it was created.
bool is_new(const metadata::PartitionRegistration& registration) {
    return registration.leader_epoch == LeaderEpoch(0) &&
           registration.partition_epoch == PartitionEpoch(0);
}

}  // namespace

std::unique_ptr<Replicas> Replicas::make(env::Env& env, Logger logger, BrokerId self,
                                         std::vector<storage::LogDirectory*> directories,
                                         SettingsOf settings) {
    return std::make_unique<LocalReplicas>(env, logger, self, std::move(directories),
                                           std::move(settings));
}

LocalReplicas::LocalReplicas(env::Env& env, const Logger& logger, BrokerId self,
                             std::vector<storage::LogDirectory*> directories, SettingsOf settings)
    : env_(env),
      logger_(logger),
      self_(self),
      settings_(std::move(settings)),
      directories_(logger, std::move(directories)),
      found_(env, logger, directories_,
             [this](std::size_t i, const Error& error) { fail_directory(i, error); }),
      deleted_(env, logger),
      syncs_(directories_.size()),
      table_(std::make_shared<const HostedTopics>()),
      moves_(env, logger, *this, deleted_),
      cleanable_logs_(env, logger, *this, deleted_),
      told_of_strays_(false) {
    for (std::size_t i = 0; i < directories_.size(); ++i)
        lanes_.push_back(std::make_shared<env::WriteLane>());
}

Result<void> LocalReplicas::load(const std::vector<bool>& directory_was_clean) {
    TRY_VOID(find_logs(directory_was_clean));
    open_logs();
    return ok();
}

Result<void> LocalReplicas::find_logs(const std::vector<bool>& directory_was_clean) {
    TRY_VOID(found_.find(directory_was_clean));
    // A start does not wait for what was deleted before it.
    for (std::size_t i = 0; i < directories_.size(); ++i) {
        deleted_.add(directories_[i].take_deleted(), env::Duration::zero());
        moves_.found(i, directories_[i].take_copies());
    }
    return ok();
}

std::vector<PlacedReplica> LocalReplicas::misplaced(const metadata::Image& image,
                                                    std::span<const Uuid> topics) const {
    std::vector<PlacedReplica> found;
    const auto table = table_.load();
    for (const Uuid topic_id : topics) {
        const auto topic = image.topics->find(topic_id);
        const auto* const hosted_topic = table->find(topic_id);
        if (topic == nullptr || hosted_topic == nullptr) continue;
        for (const Hosted& hosted : (*hosted_topic)->partitions) {
            const auto* const registration = topic->partitions.find(hosted.index);
            if (hosted.local == nullptr || registration == nullptr) continue;
            const auto announced = moves_.announced({topic_id, hosted.index});
            const Uuid lies_in = directories_.id(announced.value_or(hosted.directory));
            const bool is_known = lies_in != Uuid{};
            if (is_known && is_replica(*registration, self_) &&
                assigned_directory(*registration, self_) != lies_in)
                found.push_back({topic_id, hosted.index, lies_in});
        }
    }
    return found;
}

std::shared_ptr<Partition> LocalReplicas::find(Uuid topic_id, PartitionIndex partition) const {
    const auto table = table_.load();
    const auto* const topic = table->find(topic_id);
    const Hosted* const hosted = topic == nullptr ? nullptr : (*topic)->find(partition);
    return hosted == nullptr ? nullptr : hosted->partition;
}

std::vector<std::shared_ptr<Partition>> LocalReplicas::all() const {
    std::vector<std::shared_ptr<Partition>> partitions;
    const auto table = table_.load();
    for (const auto& [id, topic] : *table) {
        for (const Hosted& hosted : topic->partitions) partitions.push_back(hosted.partition);
    }
    return partitions;
}

template <class F>
void LocalReplicas::for_each_local(F&& use) const {
    const auto table = table_.load();
    for (const auto& [id, topic] : *table) {
        for (const Hosted& hosted : topic->partitions) {
            if (hosted.local != nullptr) use(hosted);
        }
    }
}

std::optional<Hosted> LocalReplicas::hosted(Uuid topic_id, PartitionIndex partition) const {
    const auto table = table_.load();
    const auto* const topic = table->find(topic_id);
    const Hosted* const found = topic == nullptr ? nullptr : (*topic)->find(partition);
    return found == nullptr ? std::nullopt : std::optional(*found);
}

std::optional<std::size_t> LocalReplicas::find_directory(std::string_view path) const {
    for (std::size_t i = 0; i < directories_.size(); ++i) {
        if (directories_[i].path() == path) return i;
    }
    return std::nullopt;
}

void LocalReplicas::put_in(LocalPartition& partition, std::size_t directory) {
    partition.queue_syncs_in(syncs_[directory]);
    partition.write_through(lanes_[directory]);
}

void LocalReplicas::lies_in(Uuid topic_id, PartitionIndex partition, std::size_t directory) {
    HostedTopics::Editor table(*table_.load());
    HostedTopic topic = **table.find(topic_id);
    Hosted moved = *topic.find(partition);
    directories_.count(moved.directory, -1);
    directories_.count(directory, 1);
    moved.directory = directory;
    put_in(*moved.local, directory);
    topic.set(std::move(moved));
    table.set(topic_id, std::make_shared<const HostedTopic>(std::move(topic)));
    table_.store(std::make_shared<const HostedTopics>(std::move(table).finish()));
}

void LocalReplicas::apply(const metadata::Image& image, std::span<const Uuid> changed) {
    change_table([&] { apply_all(image, changed); });
}

void LocalReplicas::apply_all(const metadata::Image& image, std::span<const Uuid> changed) {
    // What is gone first: a topic that was made anew needs the names that the old one has.
    const std::size_t stopped = stop_gone(image, changed);
    Change change{HostedTopics::Editor(*table_.load()), std::vector<bool>(directories_.size()), 0};
    for (const Uuid topic_id : changed) start_topic(image, topic_id, change);
    finish(change);
    if (change.started + stopped == 0) return;
    LOG_INFO(logger_, "replicas changed", kv("started", change.started), kv("stopped", stopped));
}

std::size_t LocalReplicas::stop_gone(const metadata::Image& image, std::span<const Uuid> changed) {
    HostedTopics::Editor table(*table_.load());
    std::vector<Hosted> stopped;
    for (const Uuid topic_id : changed) {
        const auto* const before = table.find(topic_id);
        if (before == nullptr) continue;
        const auto topic = image.topics->find(topic_id);
        const auto is_gone = [&](const Hosted& hosted) {
            const auto* const registration =
                topic == nullptr ? nullptr : topic->partitions.find(hosted.index);
            return registration == nullptr || !is_replica(*registration, self_);
        };
        HostedTopic next = **before;
        std::ranges::copy_if(next.partitions, std::back_inserter(stopped), is_gone);
        if (std::erase_if(next.partitions, is_gone) == 0) continue;
        if (next.partitions.empty()) {
            table.erase(topic_id);
        } else {
            table.set(topic_id, std::make_shared<const HostedTopic>(std::move(next)));
        }
    }
    if (stopped.empty()) return 0;
    table_.store(std::make_shared<const HostedTopics>(std::move(table).finish()));
    for (const Hosted& hosted : stopped) remove(hosted);
    return stopped.size();
}

/// The log is not synced: what is in it is of no use any more. Who reads from it may go on.
void LocalReplicas::remove(const Hosted& hosted) {
    moves_.cancel({hosted.partition->topic_id(), hosted.index});
    hosted.partition->stop();
    if (hosted.local == nullptr) return;
    hosted.local->abandon();
    // A write that is under way opens files by their names: it must not find the next log there.
    hosted.local->wait_for_writes();
    directories_.count(hosted.directory, -1);
    auto renamed = rename_away(hosted.local->name(), hosted.directory, "delete");
    if (renamed) {
        deleted_.add({*std::move(renamed)}, hosted.local->directory_delete_delay());
    } else {
        LOG_WARN(logger_, "a deleted partition stays on the disk",
                 kv("partition", hosted.local->name().text()), kv("why", renamed.error().why));
    }
}

void LocalReplicas::start_topic(const metadata::Image& image, Uuid topic_id, Change& change) {
    const auto topic = image.topics->find(topic_id);
    if (topic == nullptr) return;
    const auto* const before = change.table.find(topic_id);
    HostedTopic next = before == nullptr ? HostedTopic{} : **before;
    next.name = topic->name;
    std::optional<PartitionSettings> settings;
    for (const auto& [index, registration] : topic->partitions) {
        if (!is_replica(registration, self_)) continue;
        if (!settings) settings = settings_(image, topic->name);
        apply_partition({{topic->name, index}, topic_id, registration, *settings}, next, change);
    }
    if (next.partitions.empty()) return;
    change.table.set(topic_id, std::make_shared<const HostedTopic>(std::move(next)));
}

void LocalReplicas::apply_partition(const Start& start, HostedTopic& topic, Change& change) {
    const MoveKey key{start.topic_id, start.name.partition};
    const Hosted* const before = topic.find(start.name.partition);
    const bool is_there = before != nullptr && before->local != nullptr;
    Hosted next = is_there ? *before : host(start, change);
    next.assigned = assigned_directory(start.registration, self_);
    if (is_there) next.local->configure(start.settings);
    if (!is_there && next.local != nullptr) moves_.resume(key, start.name, next);
    moves_.assigned(key, next.assigned);
    topic.set(std::move(next));
    const Hosted* const hosted = topic.find(start.name.partition);
    const Result<void> done = hosted->partition->become(state_of(start.registration));
    if (done || hosted->local == nullptr || !hosted->local->offline()) return;
    fail_directory(hosted->directory, done.error());
}

/// The partition over the log it had, or over a new one; offline if neither can be had.
Hosted LocalReplicas::host(const Start& start, Change& change) {
    auto claimed = found_.claim(start.name, start.topic_id);
    if (!claimed) claimed = take_over(start, change);
    if (!claimed) claimed = new_log(start, change);
    Hosted hosted;
    hosted.index = start.name.partition;
    if (claimed && claimed->log != nullptr && directories_.usable(claimed->directory)) {
        claimed->log->set_options(start.settings.log);
        hosted.directory = claimed->directory;
        hosted.local = std::make_shared<LocalPartition>(
            env_, logger_,
            ReplicaParts{self_, start.name, start.topic_id, std::move(claimed->log),
                         claimed->high_watermark, start.settings});
        put_in(*hosted.local, hosted.directory);
        hosted.local->queue_isr_changes_in(isr_changes_);
        hosted.local->queue_failure_in(failures_);
        hosted.partition = hosted.local;
        directories_.count(hosted.directory, 1);
        ++change.started;
    } else {
        LOG_ERROR(logger_, "a replica is offline", kv("partition", start.name.text()));
        hosted.partition = std::make_shared<OfflinePartition>(start.name, start.topic_id);
    }
    return hosted;
}

/// Nothing is known of how far it is synced, but that it was whole.
std::optional<FoundLogs::Claimed> LocalReplicas::take_over(const Start& start, Change& change) {
    const auto copy = moves_.copy_of({start.topic_id, start.name.partition}, start.name,
                                     assigned_directory(start.registration, self_));
    if (!copy) return std::nullopt;
    // The log that the copy was made of may be there, and the copy lack what it has.
    if (!directories_.all_usable()) return FoundLogs::Claimed{nullptr, copy->directory, Offset(0)};
    const std::string path =
        fmt::format("{}/{}", directories_[copy->directory].path(), start.name.text());
    const Result<void> renamed = env_.files().rename(copy->path, path);
    // Until then it is found again, and nobody makes an empty log in its place.
    if (renamed) moves_.taken_over(start.name, *copy);
    auto log = renamed ? storage::Log::open(env_, logger_, path, start.settings.log, {})
                       : std::unexpected(renamed.error());
    if (!log) {
        LOG_ERROR(logger_, "the copy of a log can't take over", kv("directory", copy->path),
                  kv("why", log.error().why));
        if (env::is_disk_failure(log.error())) fail_directory(copy->directory, log.error());
        return FoundLogs::Claimed{nullptr, copy->directory, Offset(0)};
    }
    LOG_INFO(logger_, "the copy of a log takes over", kv("directory", path));
    change.has_new_names[copy->directory] = true;
    const Offset high_watermark = (*log)->log_start_offset();
    return FoundLogs::Claimed{*std::move(log), copy->directory, high_watermark};
}

std::optional<FoundLogs::Claimed> LocalReplicas::new_log(const Start& start, Change& change) {
    auto left = left_log(start);
    if (!left) return std::nullopt;
    std::optional<std::size_t> directory = *left;
    const bool is_made = !directory;
    if (is_made) {
        // The log of a partition that is not new may lie in the directory that failed: an empty one
        // in another place would be a replica that has lost everything and does not know it.
        if (!directories_.all_usable() && !is_new(start.registration)) return std::nullopt;
        directory = moves_.take_wanted(start.name);
        if (!directory)
            directory = directories_.pick(assigned_directory(start.registration, self_));
    }
    if (!directory) return std::nullopt;
    auto log = open_new(start, *directory, is_made);
    if (!log) {
        LOG_ERROR(logger_, "a log can't be made", kv("partition", start.name.text()),
                  kv("why", log.error().why));
        if (env::is_disk_failure(log.error())) fail_directory(*directory, log.error());
        return std::nullopt;
    }
    change.has_new_names[*directory] = true;
    const Offset start_offset = (*log)->log_start_offset();
    return FoundLogs::Claimed{*std::move(log), *directory, start_offset};
}

/// Nobody knows how far a log is synced that is left of a replica this node had before: all of it
/// is checked.
Result<std::unique_ptr<storage::Log>> LocalReplicas::open_new(const Start& start,
                                                              std::size_t directory, bool is_made) {
    TRY(std::string path, directories_[directory].prepare_partition(start.name, start.topic_id));
    storage::Recovery recovery;
    recovery.clean = is_made;
    return storage::Log::open(env_, logger_, std::move(path), start.settings.log, recovery);
}

/// The directory in which this node had the replica before, if it has. Logs of other topics of the
/// same name are set aside on the way, wherever they are: a name may be in one directory only. An
/// error if a directory does not tell for now.
Result<std::optional<std::size_t>> LocalReplicas::left_log(const Start& start) {
    for (std::size_t i = 0; i < directories_.size(); ++i) {
        if (!directories_.usable(i)) continue;
        if (!env_.files().exists(fmt::format("{}/{}", directories_[i].path(), start.name.text())))
            continue;
        const auto path = directories_[i].prepare_partition(start.name, start.topic_id);
        if (path) return i;
        const bool is_other = path.error().code == ErrorCode::inconsistent_topic_id;
        const Result<void> done =
            is_other ? set_aside(start.name, i) : std::unexpected(path.error());
        if (done) continue;
        if (!env::is_disk_failure(done.error())) return std::unexpected(done.error());
        fail_directory(i, done.error());
    }
    return std::nullopt;
}

/// The topic was deleted and made anew: what is left of the old one is renamed out of the way.
Result<void> LocalReplicas::set_aside(const storage::TopicPartition& partition,
                                      std::size_t directory) {
    found_.drop(partition, directory);
    TRY(const std::string to, rename_away(partition, directory, "stray"));
    LOG_WARN(logger_, "a log of another topic of the same name is set aside", kv("as", to));
    return ok();
}

/// To "topic-0.<32 hex digits>-<suffix>", as Apache Kafka names what no partition owns any more.
Result<std::string> LocalReplicas::rename_away(const storage::TopicPartition& partition,
                                               std::size_t directory, std::string_view suffix,
                                               std::string from) {
    const Uuid unique = env::random_uuid(env_.random());
    const std::string end =
        fmt::format("-{}.{:016x}{:016x}-{}", partition.partition, unique.high, unique.low, suffix);
    const std::string& parent = directories_[directory].path();
    std::string to =
        fmt::format("{}/{}{}", parent, partition.topic.substr(0, kNameMax - end.size()), end);
    if (from.empty()) from = fmt::format("{}/{}", parent, partition.text());
    TRY_VOID(env_.files().rename(from, to));
    return to;
}

/// Publishes the new table. The names of new directories are made durable once for all of them.
void LocalReplicas::finish(Change& change) {
    table_.store(std::make_shared<const HostedTopics>(std::move(change.table).finish()));
    // A directory that has failed since the start of the change did not have its replicas yet.
    if (!directories_.all_usable()) {
        for_each_local([&](const Hosted& hosted) {
            if (!directories_.usable(hosted.directory) && !hosted.local->offline())
                hosted.local->take_offline();
        });
    }
    for (std::size_t i = 0; i < directories_.size(); ++i) {
        if (!change.has_new_names[i]) continue;
        if (const auto synced = env_.files().sync_directory(directories_[i].path()); !synced) {
            fail_directory(i, synced.error());
        }
    }
}

void LocalReplicas::fail_directory(std::size_t directory, const Error& error) {
    if (!directories_.fail(directory, error)) return;
    moves_.directory_failed(directory);
    for_each_local([&](const Hosted& hosted) {
        if (hosted.directory == directory) hosted.local->take_offline();
    });
}

Checkpoints LocalReplicas::checkpoints_of(std::size_t directory) const {
    Checkpoints checkpoints;
    for_each_local([&](const Hosted& hosted) {
        if (hosted.directory != directory) return;
        const storage::TopicPartition& name = hosted.local->name();
        checkpoints.high_watermarks[name] = hosted.local->high_watermark();
        checkpoints.recovery_points[name] = hosted.local->durable_end_offset();
        if (const auto start = hosted.local->start_to_checkpoint())
            checkpoints.log_starts[name] = *start;
        if (const auto end = hosted.local->cleaned_to()) checkpoints.cleaned_to[name] = *end;
    });
    found_.add_checkpoints(directory, checkpoints);
    return checkpoints;
}

std::vector<DirectoryState> LocalReplicas::directories() const {
    std::vector<DirectoryState> states(directories_.size());
    for (std::size_t i = 0; i < states.size(); ++i) {
        states[i].path = directories_[i].path();
        states[i].is_usable = directories_.usable(i);
    }
    for (const std::string& path : directories_.lacking()) states.push_back({path, false, {}});
    for_each_local([&](const Hosted& hosted) {
        const LocalPartition& log = *hosted.local;
        const std::int64_t lag = log.high_watermark() - log.log_end_offset();
        states[hosted.directory].logs.push_back(
            {log.name(), log.size_bytes(), std::max<std::int64_t>(lag, 0)});
    });
    for (const auto& copy : moves_.copies()) {
        const auto of = hosted(copy.key.topic, copy.key.partition);
        if (!of || of->local == nullptr) continue;
        const std::int64_t lag = of->local->log_end_offset() - copy.end;
        states[copy.directory].logs.push_back(
            {copy.name, copy.bytes, std::max<std::int64_t>(lag, 0), true});
    }
    for (DirectoryState& state : states)
        std::ranges::sort(state.logs, {}, &DirectoryState::Log::name);
    return states;
}

std::vector<WriteLaneState> LocalReplicas::write_lanes() const {
    std::vector<WriteLaneState> states;
    for (std::size_t i = 0; i < lanes_.size(); ++i)
        states.push_back({directories_[i].path(), lanes_[i]->is_calm(), lanes_[i]->disturbances()});
    return states;
}

std::vector<std::shared_ptr<Partition>> LocalReplicas::take_isr_changes(std::size_t most) {
    std::vector<std::shared_ptr<Partition>> taken;
    while (taken.size() < most) {
        auto next = isr_changes_.take();
        if (next == nullptr) break;
        taken.push_back(std::move(next));
    }
    return taken;
}

void LocalReplicas::sync_queued(std::size_t directory) {
    while (const auto partition = syncs_[directory].take()) {
        const auto synced = partition->flush();
        if (synced) continue;
        // One that was deleted meanwhile has no files to be synced.
        for_each_local([&](const Hosted& hosted) {
            if (hosted.local == partition) fail_directory(hosted.directory, synced.error());
        });
    }
}

void LocalReplicas::queue_due_syncs() {
    for_each_local([](const Hosted& hosted) { hosted.local->sync_if_due(); });
}

void LocalReplicas::enforce_retention() {
    for_each_local([&](const Hosted& hosted) {
        for (;;) {
            auto removed = hosted.local->remove_old_segments();
            if (!removed) {
                LOG_WARN(logger_, "old segments can't be removed",
                         kv("partition", hosted.local->name().text()),
                         kv("why", removed.error().why));
            }
            if (!removed || removed->empty()) return;
            deleted_.add(*std::move(removed), hosted.local->file_delete_delay());
        }
    });
}

env::Instant LocalReplicas::remove_deleted() {
    return deleted_.remove_due(kRemovedAtOnce);
}

/// An error that one log has met is one of its disk.
void LocalReplicas::note_failed_logs() {
    while (failures_.take() != nullptr) {
    }
    for_each_local([&](const Hosted& hosted) {
        if (hosted.local->offline()) {
            fail_directory(hosted.directory, {ErrorCode::kafka_storage_error,
                                              hosted.local->name().text() + " failed"});
        }
    });
}

Result<void> LocalReplicas::checkpoint() {
    return checkpointing_.with([this](std::monostate&) { return checkpoint_all(); });
}

Result<void> LocalReplicas::checkpoint_all() {
    tell_of_strays();
    note_failed_logs();
    Result<void> all = ok();
    for (std::size_t i = 0; i < directories_.size(); ++i) {
        if (!directories_.usable(i)) continue;
        const Result<void> written = directories_.write(i, checkpoints_of(i));
        if (written) continue;
        if (all) all = written;
        if (env::is_disk_failure(written.error())) fail_directory(i, written.error());
    }
    return all;
}

void LocalReplicas::tell_of_strays() {
    if (told_of_strays_.with([](bool& told) { return std::exchange(told, true); })) return;
    const auto strays = found_.unclaimed();
    if (strays.empty()) return;
    std::string names;
    for (std::size_t i = 0; i < std::min(strays.size(), kStraysNamed); ++i) {
        names += (names.empty() ? "" : " ") + strays[i].partition.text();
    }
    LOG_WARN(logger_, "logs of no known replica are kept and not served", kv("logs", strays.size()),
             kv("first", names));
}

std::size_t LocalReplicas::count_unsynced(std::size_t directory) const {
    std::size_t count = found_.count_unsynced(directory);
    for_each_local([&](const Hosted& hosted) {
        count += hosted.directory == directory && hosted.local->is_unsynced();
    });
    return count;
}

/// Few logs are synced each by itself. Many take two syncs of the file system: one for all that
/// they have written, one for the names that were changed after it.
Result<void> LocalReplicas::close_logs(std::size_t directory) {
    if (!directories_.usable(directory)) return ok();
    Result<void> all = ok();
    const auto each = [&](Result<void> (LocalPartition::*step)(),
                          Result<void> (FoundLogs::*step_of_found)(std::size_t)) {
        for_each_local([&](const Hosted& hosted) {
            if (hosted.directory != directory) return;
            const Result<void> done = (*hosted.local.*step)();
            if (all && !done) all = done;
        });
        const Result<void> done = (found_.*step_of_found)(directory);
        if (all && !done) all = done;
    };
    if (count_unsynced(directory) <= kSyncedOneByOne) {
        each(&LocalPartition::close, &FoundLogs::close);
        return all;
    }
    each(&LocalPartition::begin_close, &FoundLogs::begin_close);
    TRY_VOID(directories_[directory].sync_all());
    each(&LocalPartition::end_close, &FoundLogs::end_close);
    TRY_VOID(directories_[directory].sync_all());
    return all;
}

Result<void> LocalReplicas::close() {
    Result<void> all = ok();
    const auto note = [&](const Result<void>& closed) {
        if (all && !closed) all = closed;
    };
    note_failed_logs();
    moves_.close();
    for (std::size_t i = 0; i < directories_.size(); ++i) note(close_logs(i));
    note(checkpoint());
    return all;
}

}  // namespace milena::replication
