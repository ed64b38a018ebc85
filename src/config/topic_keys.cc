// SPDX-License-Identifier: Apache-2.0
// The keys of topics, and the broker keys that give them their defaults: the first that is set, in
// the unit that the broker key counts in.
#include "key_table.h"

namespace milena::config {

using enum ValueType;
using enum Update;
using enum Effect;

// clang-format off
static constexpr Synonym kCleanupPolicy[] = {{"log.cleanup.policy"}};
static constexpr Synonym kCompressionGzipLevel[] = {{"compression.gzip.level"}};
static constexpr Synonym kCompressionLz4Level[] = {{"compression.lz4.level"}};
static constexpr Synonym kCompressionType[] = {{"compression.type"}};
static constexpr Synonym kCompressionZstdLevel[] = {{"compression.zstd.level"}};
static constexpr Synonym kDeleteRetentionMs[] = {{"log.cleaner.delete.retention.ms"}};
static constexpr Synonym kFileDeleteDelayMs[] = {{"log.segment.delete.delay.ms"}};
static constexpr Synonym kFlushMessages[] = {{"log.flush.interval.messages"}};
static constexpr Synonym kFlushMs[] =
    {{"log.flush.interval.ms"}, {"log.flush.scheduler.interval.ms"}};
static constexpr Synonym kIndexIntervalBytes[] = {{"log.index.interval.bytes"}};
static constexpr Synonym kLocalRetentionBytes[] = {{"log.local.retention.bytes"}};
static constexpr Synonym kLocalRetentionMs[] = {{"log.local.retention.ms"}};
static constexpr Synonym kMaxCompactionLagMs[] = {{"log.cleaner.max.compaction.lag.ms"}};
static constexpr Synonym kMaxDecompressedMessageBytes[] = {{"max.decompressed.message.bytes"}};
static constexpr Synonym kMaxMessageBytes[] = {{"message.max.bytes"}};
static constexpr Synonym kMessageTimestampAfterMaxMs[] = {{"log.message.timestamp.after.max.ms"}};
static constexpr Synonym kMessageTimestampBeforeMaxMs[] = {{"log.message.timestamp.before.max.ms"}};
static constexpr Synonym kMessageTimestampType[] = {{"log.message.timestamp.type"}};
static constexpr Synonym kMinCleanableDirtyRatio[] = {{"log.cleaner.min.cleanable.ratio"}};
static constexpr Synonym kMinCompactionLagMs[] = {{"log.cleaner.min.compaction.lag.ms"}};
static constexpr Synonym kMinInsyncReplicas[] = {{"min.insync.replicas"}};
static constexpr Synonym kPreallocate[] = {{"log.preallocate"}};
static constexpr Synonym kRemoteCopyLagBytes[] = {{"log.remote.copy.lag.bytes"}};
static constexpr Synonym kRemoteCopyLagMs[] = {{"log.remote.copy.lag.ms"}};
static constexpr Synonym kRetentionBytes[] = {{"log.retention.bytes"}};
static constexpr Synonym kRetentionMs[] =
    {{"log.retention.ms"}, {"log.retention.minutes", Unit::minutes},
     {"log.retention.hours", Unit::hours}};
static constexpr Synonym kSegmentBytes[] = {{"log.segment.bytes"}};
static constexpr Synonym kSegmentIndexBytes[] = {{"log.index.size.max.bytes"}};
static constexpr Synonym kSegmentJitterMs[] =
    {{"log.roll.jitter.ms"}, {"log.roll.jitter.hours", Unit::hours}};
static constexpr Synonym kSegmentMs[] = {{"log.roll.ms"}, {"log.roll.hours", Unit::hours}};
static constexpr Synonym kUncleanLeaderElectionEnable[] = {{"unclean.leader.election.enable"}};

static constexpr TopicKey kTopicKeys[] = {
    {"cleanup.policy", list, "delete", one_of("compact|delete"), kCleanupPolicy, works,
     "What happens to old records: delete by age and size, compact by key, or both."},
    {"compression.gzip.level", int32, "-1", kGzipLevel, kCompressionGzipLevel, works,
     "Level of gzip where the broker compresses; -1 is the library's own."},
    {"compression.lz4.level", int32, "9", between(1, 17), kCompressionLz4Level, works,
     "Level of lz4 where the broker compresses."},
    {"compression.type", string, "producer",
     one_of("uncompressed|zstd|lz4|snappy|gzip|producer"), kCompressionType, works,
     "Codec in which batches are stored; producer keeps them as they came."},
    {"compression.zstd.level", int32, "3", between(-131'072, 22), kCompressionZstdLevel, works,
     "Level of zstd where the broker compresses."},
    {"delete.retention.ms", int64, "86400000", at_least(0), kDeleteRetentionMs, works,
     "How long the cleaner keeps tombstones."},
    {"errors.deadletterqueue.group.enable", boolean, "false", kAny, {}, not_yet,
     "Whether the topic may take the records that share groups give up."},
    {"file.delete.delay.ms", int64, "60000", at_least(0), kFileDeleteDelayMs, works,
     "How long a segment that was taken out of its log stays on the disk."},
    {"flush.messages", int64, "9223372036854775807", at_least(1), kFlushMessages, works,
     "Records after which a partition is synced to the disk."},
    {"flush.ms", int64, "9223372036854775807", at_least(0), kFlushMs, works,
     "Age of an unsynced record at which its partition is synced."},
    {"follower.replication.throttled.replicas", list, "", kAny, {}, works,
     "Followers whose fetching is throttled, as partition:broker pairs, or *."},
    {"index.interval.bytes", int32, "4096", at_least(0), kIndexIntervalBytes, works,
     "Bytes of log between two entries of the offset index."},
    {"internal.segment.bytes", int32, kNull, kAny, {}, works,
     "Goes before segment.bytes and may be smaller than it allows; for tests."},
    {"leader.replication.throttled.replicas", list, "", kAny, {}, works,
     "Replicas whose sending is throttled at the leader, as partition:broker pairs, or *."},
    {"local.retention.bytes", int64, "-2", at_least(-2), kLocalRetentionBytes, not_yet,
     "Size that stays on local disks of what tiered storage has; -2 is retention.bytes."},
    {"local.retention.ms", int64, "-2", at_least(-2), kLocalRetentionMs, not_yet,
     "Age that stays on local disks of what tiered storage has; -2 is retention.ms."},
    {"max.compaction.lag.ms", int64, "9223372036854775807",
     at_least(1), kMaxCompactionLagMs, works,
     "Records older than this are compacted."},
    {"max.decompressed.message.bytes", int32, "2147483639", between(1, 2'147'483'639),
     kMaxDecompressedMessageBytes, works,
     "Largest record batch after decompression."},
    {"max.message.bytes", int32, "1048588", at_least(0), kMaxMessageBytes, works,
     "Largest record batch, as it is stored."},
    {"message.timestamp.after.max.ms", int64, "3600000", at_least(0),
     kMessageTimestampAfterMaxMs, works,
     "How far a record's time may lie after the broker's."},
    {"message.timestamp.before.max.ms", int64, "9223372036854775807", at_least(0),
     kMessageTimestampBeforeMaxMs, works,
     "How far a record's time may lie before the broker's."},
    {"message.timestamp.type", string, "CreateTime", one_of("CreateTime|LogAppendTime"),
     kMessageTimestampType, works,
     "Whether records keep the time of their maker or get that of their append."},
    {"min.cleanable.dirty.ratio", float64, "0.5", between(0, 1), kMinCleanableDirtyRatio, works,
     "Share of a log that must be uncompacted before the cleaner takes it."},
    {"min.compaction.lag.ms", int64, "0", at_least(0), kMinCompactionLagMs, works,
     "Records younger than this are not compacted."},
    {"min.insync.replicas", int32, "1", at_least(1), kMinInsyncReplicas, works,
     "In-sync replicas without which a write with acks=all is refused."},
    {"preallocate", boolean, "false", kAny, kPreallocate, not_yet,
     "Whether a new segment takes its whole size on the disk at once."},
    {"remote.copy.lag.bytes", int64, "-1", at_least(-1), kRemoteCopyLagBytes, not_yet,
     "Size that a closed segment may wait at before it is copied to tiered storage; -1 is "
     "without limit."},
    {"remote.copy.lag.ms", int64, "0", at_least(-1), kRemoteCopyLagMs, not_yet,
     "Age at which a closed segment is copied to tiered storage; 0 is at once."},
    {"remote.log.copy.disable", boolean, "false", kAny, {}, not_yet,
     "Whether no more segments are copied to tiered storage."},
    {"remote.log.delete.on.disable", boolean, "false", kAny, {}, not_yet,
     "Whether what is in tiered storage is deleted when the topic leaves it."},
    {"remote.storage.enable", boolean, "false", kAny, {}, not_yet,
     "Whether the topic uses tiered storage, which this version does not have."},
    {"retention.bytes", int64, "-1", kAny, kRetentionBytes, works,
     "Size of a partition above which old segments are deleted; -1 is never."},
    {"retention.ms", int64, "604800000", at_least(-1), kRetentionMs, works,
     "Age at which old segments are deleted; -1 is never."},
    {"segment.bytes", int32, "1073741824", at_least(1'048'576), kSegmentBytes, works,
     "Size at which a segment is closed and the next begun."},
    {"segment.index.bytes", int32, "10485760", at_least(4), kSegmentIndexBytes, works,
     "Size of an index at which its segment is closed."},
    {"segment.jitter.ms", int64, "0", at_least(0), kSegmentJitterMs, works,
     "A random part of up to this much is taken off segment.ms."},
    {"segment.ms", int64, "604800000", at_least(1), kSegmentMs, works,
     "Age at which a segment is closed."},
    {"unclean.leader.election.enable", boolean, "false", kAny, kUncleanLeaderElectionEnable, works,
     "Whether a replica that may lack records can become leader when no other is left."},
};
// clang-format on

std::span<const TopicKey> topic_keys() {
    return kTopicKeys;
}

}  // namespace milena::config
