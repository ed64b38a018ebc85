// SPDX-License-Identifier: Apache-2.0
// One entry of log.dirs as a whole: who it belongs to, its lock, its checkpoints, the partitions
// found in it.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "milena/storage/log.h"

namespace milena::storage {

/// meta.properties, version 1.
struct MetaProperties {
    std::string cluster_id;
    BrokerId node_id = kNoBroker;
    Uuid directory_id;

    bool operator==(const MetaProperties&) const = default;
};

/// Those in `directory`, without its lock: for those who only look. Nothing if it is not formatted.
Result<std::optional<MetaProperties>> read_meta(env::FileSystem& files,
                                                const std::string& directory);

struct TopicPartition {
    std::string topic;
    PartitionIndex partition;

    auto operator<=>(const TopicPartition&) const = default;
    /// "topic-3", which is also the directory's name.
    std::string text() const;
    /// The inverse, split at the last dash; nothing for names that no partition can have.
    static std::optional<TopicPartition> parse(std::string_view text);
};

/// A partition directory found at start.
struct FoundPartition {
    TopicPartition partition;
    Uuid topic_id;  ///< from partition.metadata; zero if that is absent
};

/// The copy of a partition that was being made in this directory (KIP-113).
struct FoundCopy {
    TopicPartition partition;
    Uuid topic_id;  ///< as above
    std::string path;
};

/// The quorum's own log, whose directory lies in metadata.log.dir beside the partitions.
inline constexpr std::string_view kClusterMetadataTopic = "__cluster_metadata";

using OffsetCheckpoint = std::map<TopicPartition, Offset>;

class LogDirectory {
public:
    /// Takes the lock (.lock). The error of a second process names the directory. Creates the
    /// directory if absent.
    static Result<std::unique_ptr<LogDirectory>> open(env::Env& env, Logger logger,
                                                      std::string path);
    virtual ~LogDirectory() = default;
    virtual const std::string& path() const = 0;

    /// Nothing if the directory is not formatted; an error that names file and line if it can't be
    /// read.
    virtual Result<std::optional<MetaProperties>> meta() const = 0;
    virtual Result<void> write_meta(const MetaProperties& meta) = 0;
    /// No entry but the lock (and lost+found): may be formatted without being asked.
    virtual Result<bool> is_empty() const = 0;

    /// Reads and deletes the clean-shutdown marker: the broker epoch in it, or nothing after an
    /// unclean stop.
    virtual Result<std::optional<BrokerEpoch>> take_clean_shutdown() = 0;
    /// Leaves the marker; the last act of a clean stop.
    virtual Result<void> mark_clean_shutdown(BrokerEpoch epoch) = 0;

    /// Partition directories, without __cluster_metadata's. Those of deleted topics (-delete) are
    /// left to take_deleted(), unfinished copies (-future) to take_copies(), -stray are left alone,
    /// unknown ones are an error as in Apache Kafka.
    virtual Result<std::vector<FoundPartition>> find_partitions() = 0;
    /// The directories of deleted partitions that find_partitions() has met: for the caller to
    /// remove.
    virtual std::vector<std::string> take_deleted() = 0;
    /// The copies that find_partitions() has met, those that can be read.
    virtual std::vector<FoundCopy> take_copies() = 0;
    /// The partition's directory, with partition.metadata written if absent; both are synced
    /// with the log's first sync. INCONSISTENT_TOPIC_ID if it is there and names another topic.
    virtual Result<std::string> prepare_partition(const TopicPartition& partition,
                                                  Uuid topic_id) = 0;
    /// A new directory for a copy of the partition, "<topic>-<n>.<unique>-future".
    virtual Result<std::string> prepare_copy(const TopicPartition& partition, Uuid topic_id,
                                             Uuid unique) = 0;

    /// Makes all that was written to the directory's file system durable, in one call. A failure
    /// takes the directory offline.
    virtual Result<void> sync_all() = 0;

    /// `name` is one of the checkpoint files: recovery-point-offset-checkpoint,
    /// replication-offset-checkpoint, log-start-offset-checkpoint, cleaner-offset-checkpoint. Empty
    /// if absent; a malformed one is an error that names file and line.
    virtual Result<OffsetCheckpoint> read_checkpoint(std::string_view name) const = 0;
    virtual Result<void> write_checkpoint(std::string_view name,
                                          const OffsetCheckpoint& offsets) = 0;
};

/// "<topic>-<n>.<32 hex digits>-<suffix>", as the directories of deleted, stray and unfinished
/// partitions are called.
std::string unique_name(const TopicPartition& partition, Uuid unique, std::string_view suffix);

inline constexpr std::string_view kRecoveryPointCheckpoint = "recovery-point-offset-checkpoint";
inline constexpr std::string_view kReplicationCheckpoint = "replication-offset-checkpoint";
inline constexpr std::string_view kLogStartCheckpoint = "log-start-offset-checkpoint";
inline constexpr std::string_view kCleanerCheckpoint = "cleaner-offset-checkpoint";

}  // namespace milena::storage
