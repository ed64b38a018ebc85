// SPDX-License-Identifier: Apache-2.0
// All partitions of this node: found on disk, started and stopped as the metadata says, looked up
// by every request.
#pragma once

#include <memory>
#include <span>
#include <string_view>

#include "milena/metadata/image.h"
#include "milena/replication/cleaning.h"
#include "milena/replication/moves.h"
#include "milena/replication/partition.h"

namespace milena::replication {

/// One entry of log.dirs and the logs of this node's replicas in it.
struct DirectoryState {
    struct Log {
        TopicPartition name;
        std::uint64_t bytes = 0;
        /// How far the log's end is behind the high watermark; a copy's, behind its log's end.
        std::int64_t lag = 0;
        /// It is being made here, of a log in another directory.
        bool is_copy = false;
    };
    std::string path;
    bool is_usable = true;
    std::vector<Log> logs;  ///< by name
};

/// A log directory that can't be used.
struct FailedDirectory {
    std::string path;
    Uuid id;  ///< zero if it was never read

    bool operator==(const FailedDirectory&) const = default;
};

/// A replica of this node, and the id of the log directory that it lies in.
struct PlacedReplica {
    Uuid topic;
    PartitionIndex partition;
    Uuid directory;

    bool operator==(const PlacedReplica&) const = default;
};

/// How a log directory takes its writes, see env::WriteLane.
struct WriteLaneState {
    std::string path;
    bool is_calm = true;
    std::uint64_t disturbances = 0;
};

class Replicas {
public:
    /// Turns a topic's overrides into settings; asked on every start and configuration change.
    using SettingsOf =
        std::function<PartitionSettings(const metadata::Image&, std::string_view topic)>;

    /// `directories` are open and formatted; they stay owned by the caller and outlive this.
    static std::unique_ptr<Replicas> make(env::Env& env, Logger logger, BrokerId self,
                                          std::vector<storage::LogDirectory*> directories,
                                          SettingsOf settings);
    virtual ~Replicas() = default;

    /// Before load(): these of log.dirs could not be opened. What the metadata has in them is
    /// offline.
    virtual void lacks(std::vector<std::string> paths) = 0;
    /// Opens every log found on disk, recovering those of directories whose last stop was not
    /// clean. Blocks. A log that can't be opened is logged, and its replica offline; a directory
    /// that can't be read has failed; an error means that something in one is wrong, or that two
    /// hold the same partition.
    virtual Result<void> load(const std::vector<bool>& directory_was_clean) = 0;
    /// load() in two steps, for more threads than one: find_logs() lists, then open_logs() opens
    /// one log after the other until none is left, and may be called by several threads of the disk
    /// pool at once.
    virtual Result<void> find_logs(const std::vector<bool>& directory_was_clean) = 0;
    virtual void open_logs() = 0;
    /// How far open_logs() has come; from any thread, after find_logs().
    struct OpenProgress {
        std::size_t opened = 0;
        std::size_t total = 0;
    };
    virtual OpenProgress open_progress() const = 0;

    /// Makes the node's replicas what `image` says; only topics in `changed` are looked at. One
    /// caller at a time, after load(). Blocks for new partitions (directories are made). A
    /// directory's failure takes its partitions offline and is not an error of this call. Replicas
    /// that this node has no more (their topic was deleted, or they moved) stop being served at
    /// once; their directories are renamed to "-delete" and removed later.
    virtual void apply(const metadata::Image& image, std::span<const Uuid> changed) = 0;

    /// Those replicas of these topics that lie in another directory than `image` says, by topic and
    /// partition; those that are offline are not told. One whose copy has caught up counts as lying
    /// where the copy is.
    virtual std::vector<PlacedReplica> misplaced(const metadata::Image& image,
                                                 std::span<const Uuid> topics) const = 0;

    /// The replica, or nothing if this node has none. Wait-free but for one pointer load.
    virtual std::shared_ptr<Partition> find(Uuid topic_id, PartitionIndex partition) const = 0;
    virtual std::vector<std::shared_ptr<Partition>> all() const = 0;

    virtual Moves& moves() = 0;
    virtual CleanableLogs& cleanable_logs() = 0;
    /// In the order of log.dirs; those that could not be opened come last.
    virtual std::vector<DirectoryState> directories() const = 0;
    /// Those that are not usable.
    virtual std::vector<FailedDirectory> failed_directories() const = 0;
    /// Takes the directories offline whose logs have met an error. From any thread; may wait for a
    /// write that is under way.
    virtual void note_failed_logs() = 0;
    /// From now on `tell` hears, on any thread, that note_failed_logs() has something to do, or
    /// that a directory has failed.
    virtual void when_failed(std::function<void()> tell) = 0;
    /// In the order of the directories; without a guard of a partition.
    virtual std::vector<WriteLaneState> write_lanes() const = 0;

    /// Takes segments that are too old or too many out of every log, as its topic's retention.ms
    /// and retention.bytes say. One caller at a time; blocks.
    virtual void enforce_retention() = 0;
    /// Removes files of segments and partitions whose delay is over, some hundred at once; gives
    /// when the next are due, kNever if there are none. One caller at a time; blocks.
    virtual env::Instant remove_deleted() = 0;
    /// From now on `tell` hears, on any thread, that remove_deleted() has something new.
    virtual void when_deleted(std::function<void()> tell) = 0;

    /// Syncs logs of one directory that have asked for it, one after the other until none is left:
    /// those with flush.messages unsynced records, and those that have closed a segment. For
    /// several threads of the disk pool at once; blocks. A failure takes the directory offline.
    virtual void sync_queued(std::size_t directory) = 0;
    /// Lets every log ask whose last sync was flush.ms ago (log.flush.scheduler.interval.ms).
    virtual void queue_due_syncs() = 0;
    /// From now on `tell` hears, on any thread, that sync_queued() has something to do.
    virtual void when_sync_queued(std::function<void()> tell) = 0;

    /// Partitions that this broker leads and whose in-sync set should change: somebody has caught
    /// up. At most `most`, each once until its propose_isr() was called.
    virtual std::vector<std::shared_ptr<Partition>> take_isr_changes(std::size_t most) = 0;
    /// From now on `tell` hears, on any thread, that take_isr_changes() has something.
    virtual void when_isr_change_due(std::function<void()> tell) = 0;

    /// Writes recovery-point-, log-start-, cleaner- and replication-offset-checkpoint of every
    /// directory, those that have changed. Callers wait for each other; may run beside apply(). The
    /// first call, which comes when the metadata is complete, also tells of logs that belong to no
    /// replica.
    virtual Result<void> checkpoint() = 0;
    /// Syncs and closes every log of a directory that is usable and writes the checkpoints; these
    /// directories may then be marked clean. The last call but for directories().
    virtual Result<void> close() = 0;
};

}  // namespace milena::replication
