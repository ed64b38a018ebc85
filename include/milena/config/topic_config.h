// SPDX-License-Identifier: Apache-2.0
// What a topic is configured to do: the broker's defaults, overridden by what the topic itself sets
// (KIP-226).
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "milena/base/result.h"

namespace milena::config {

/// In which codec batches are stored; `producer` keeps what the client sent.
enum class TopicCompression { producer, uncompressed, gzip, snappy, lz4, zstd };

enum class TimestampType { create_time, log_append_time };

/// A topic's own settings, key to value, as CreateTopics and the metadata carry them.
using ConfigMap = std::map<std::string, std::string, std::less<>>;

/// Times in milliseconds, sizes in bytes; the comment of a field is its key where the name differs
/// in more than punctuation. −1 in a retention means without limit.
struct TopicConfig {
    bool compact = false;  ///< cleanup.policy has "compact"
    bool remove = true;    ///< cleanup.policy has "delete"
    TopicCompression compression_type = TopicCompression::producer;
    std::int32_t compression_gzip_level = -1;
    std::int32_t compression_lz4_level = 9;
    std::int32_t compression_zstd_level = 3;
    std::int64_t delete_retention_ms = 86'400'000;
    std::int64_t file_delete_delay_ms = 60'000;
    std::int64_t flush_messages = INT64_MAX;
    std::int64_t flush_ms = INT64_MAX;
    std::int32_t index_interval_bytes = 4096;
    std::int64_t max_compaction_lag_ms = INT64_MAX;
    std::int64_t min_compaction_lag_ms = 0;
    double min_cleanable_dirty_ratio = 0.5;
    std::int32_t max_decompressed_message_bytes = 2'147'483'639;
    std::int32_t max_message_bytes = 1'048'588;
    std::int64_t message_timestamp_after_max_ms = 3'600'000;
    std::int64_t message_timestamp_before_max_ms = INT64_MAX;
    TimestampType message_timestamp_type = TimestampType::create_time;
    std::int32_t min_insync_replicas = 1;
    bool preallocate = false;
    std::int64_t retention_bytes = -1;
    std::int64_t retention_ms = 604'800'000;
    std::int32_t segment_bytes =
        1'073'741'824;  ///< internal.segment.bytes goes before segment.bytes
    std::int32_t segment_index_bytes = 10'485'760;
    std::int64_t segment_jitter_ms = 0;
    std::int64_t segment_ms = 604'800'000;
    bool unclean_leader_election_enable = false;
    std::vector<std::string> leader_replication_throttled_replicas;
    std::vector<std::string> follower_replication_throttled_replicas;

    bool operator==(const TopicConfig&) const = default;

    /// These defaults with a topic's own values in their place. Fails with INVALID_CONFIG on an
    /// unknown key or a value that is not allowed; `why` names the key, the value and what is
    /// allowed, for the client too.
    Result<TopicConfig> with(const ConfigMap& overrides) const;
};

}  // namespace milena::config
