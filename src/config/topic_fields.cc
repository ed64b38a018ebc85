// SPDX-License-Identifier: Apache-2.0
// The fields of TopicConfig by the names of their keys: one row each.
#include "topic_fields.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "milena/base/invariant.h"

#include "contains.h"

namespace milena::config {
namespace {

using Setter = void (*)(TopicConfig&, const Value&);

template <auto Field>
void set_field(TopicConfig& config, const Value& value) {
    auto& field = config.*Field;
    using T = std::remove_reference_t<decltype(field)>;
    if constexpr (std::is_same_v<T, std::int32_t>) {
        field = static_cast<std::int32_t>(std::get<std::int64_t>(value));
    } else {
        field = std::get<T>(value);
    }
}

void set_cleanup_policy(TopicConfig& config, const Value& value) {
    const auto& policies = std::get<std::vector<std::string>>(value);
    config.compact = contains(policies, "compact");
    config.remove = contains(policies, "delete");
}

void set_compression(TopicConfig& config, const Value& value) {
    // In the order of TopicCompression.
    constexpr std::string_view kNames[] = {"producer", "uncompressed", "gzip",
                                           "snappy",   "lz4",          "zstd"};
    const auto* const name = std::ranges::find(kNames, std::get<std::string>(value));
    INVARIANT(name != std::end(kNames), "a compression.type that its row allows and nobody knows");
    config.compression_type = static_cast<TopicCompression>(name - kNames);
}

void set_timestamp_type(TopicConfig& config, const Value& value) {
    config.message_timestamp_type = std::get<std::string>(value) == "LogAppendTime"
                                        ? TimestampType::log_append_time
                                        : TimestampType::create_time;
}

struct FieldOfKey {
    std::string_view key;
    Setter set;
};

using T = TopicConfig;

// clang-format off
constexpr FieldOfKey kFields[] = {
    {"cleanup.policy", set_cleanup_policy},
    {"compression.gzip.level", set_field<&T::compression_gzip_level>},
    {"compression.lz4.level", set_field<&T::compression_lz4_level>},
    {"compression.type", set_compression},
    {"compression.zstd.level", set_field<&T::compression_zstd_level>},
    {"delete.retention.ms", set_field<&T::delete_retention_ms>},
    {"file.delete.delay.ms", set_field<&T::file_delete_delay_ms>},
    {"flush.messages", set_field<&T::flush_messages>},
    {"flush.ms", set_field<&T::flush_ms>},
    {"follower.replication.throttled.replicas",
     set_field<&T::follower_replication_throttled_replicas>},
    {"index.interval.bytes", set_field<&T::index_interval_bytes>},
    {"internal.segment.bytes", set_field<&T::segment_bytes>},
    {"leader.replication.throttled.replicas", set_field<&T::leader_replication_throttled_replicas>},
    {"max.compaction.lag.ms", set_field<&T::max_compaction_lag_ms>},
    {"max.decompressed.message.bytes", set_field<&T::max_decompressed_message_bytes>},
    {"max.message.bytes", set_field<&T::max_message_bytes>},
    {"message.timestamp.after.max.ms", set_field<&T::message_timestamp_after_max_ms>},
    {"message.timestamp.before.max.ms", set_field<&T::message_timestamp_before_max_ms>},
    {"message.timestamp.type", set_timestamp_type},
    {"min.cleanable.dirty.ratio", set_field<&T::min_cleanable_dirty_ratio>},
    {"min.compaction.lag.ms", set_field<&T::min_compaction_lag_ms>},
    {"min.insync.replicas", set_field<&T::min_insync_replicas>},
    {"preallocate", set_field<&T::preallocate>},
    {"retention.bytes", set_field<&T::retention_bytes>},
    {"retention.ms", set_field<&T::retention_ms>},
    {"segment.bytes", set_field<&T::segment_bytes>},
    {"segment.index.bytes", set_field<&T::segment_index_bytes>},
    {"segment.jitter.ms", set_field<&T::segment_jitter_ms>},
    {"segment.ms", set_field<&T::segment_ms>},
    {"unclean.leader.election.enable", set_field<&T::unclean_leader_election_enable>},
};
// clang-format on

}  // namespace

Value in_unit(Value value, Unit unit) {
    auto* const number = std::get_if<std::int64_t>(&value);
    if (number == nullptr || *number < 0) return value;
    if (__builtin_mul_overflow(*number, static_cast<std::int64_t>(unit), number)) {
        *number = std::numeric_limits<std::int64_t>::max();
    }
    return value;
}

bool has_topic_field(std::string_view name) {
    return contains(kFields, name, &FieldOfKey::key);
}

void set_topic_field(TopicConfig& config, std::string_view name, const Value& value) {
    const auto* const field = std::ranges::find(kFields, name, &FieldOfKey::key);
    if (field != std::end(kFields)) field->set(config, value);
}

TopicConfig topic_defaults(const Settings& broker) {
    TopicConfig config;
    for (const TopicKey& key : topic_keys()) {
        for (const Synonym& synonym : key.synonyms) {
            if (!broker.is_set(synonym.broker_key)) continue;
            set_topic_field(config, key.name,
                            in_unit(broker.value(synonym.broker_key), synonym.unit));
            break;
        }
    }
    return config;
}

}  // namespace milena::config
