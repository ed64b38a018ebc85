// SPDX-License-Identifier: Apache-2.0
// Translates the configuration for the parts of a node.
#include "settings.h"

#include <algorithm>
#include <charconv>

#include "format.h"

namespace milena::node {
namespace {

record::TimestampType timestamp_type(config::TimestampType type) {
    return type == config::TimestampType::log_append_time ? record::TimestampType::log_append
                                                          : record::TimestampType::create;
}

std::optional<record::Codec> codec(config::TopicCompression type) {
    switch (type) {
        case config::TopicCompression::producer: return std::nullopt;
        case config::TopicCompression::uncompressed: return record::Codec::none;
        case config::TopicCompression::gzip: return record::Codec::gzip;
        case config::TopicCompression::snappy: return record::Codec::snappy;
        case config::TopicCompression::lz4: return record::Codec::lz4;
        case config::TopicCompression::zstd: return record::Codec::zstd;
    }
    return std::nullopt;
}

/// Of "partition:broker" those that name this broker; all for "*".
replication::PartitionSet partitions_of(const std::vector<std::string>& replicas, BrokerId self) {
    const std::string own = fmt::format(":{}", self);
    replication::PartitionSet out;
    for (const std::string& replica : replicas) {
        out.has_all |= replica == "*";
        if (!replica.ends_with(own)) continue;
        std::int32_t partition = 0;
        const char* const end = replica.data() + replica.size() - own.size();
        const auto [stop, error] = std::from_chars(replica.data(), end, partition);
        if (error == std::errc() && stop == end) out.some.emplace_back(partition);
    }
    return out;
}

std::shared_ptr<const replication::ThrottledReplicas> throttled_replicas(
    const config::TopicConfig& topic, BrokerId self) {
    const auto& at_leader = topic.leader_replication_throttled_replicas;
    const auto& at_follower = topic.follower_replication_throttled_replicas;
    if (at_leader.empty() && at_follower.empty()) return nullptr;
    return std::make_shared<const replication::ThrottledReplicas>(
        replication::ThrottledReplicas{.at_leader = partitions_of(at_leader, self),
                                       .at_follower = partitions_of(at_follower, self)});
}

replication::PartitionSettings partition_settings(const config::TopicConfig& topic) {
    replication::PartitionSettings out;
    out.min_insync_replicas = topic.min_insync_replicas;
    out.rules.timestamp_type = timestamp_type(topic.message_timestamp_type);
    out.rules.timestamp_before_max_ms = topic.message_timestamp_before_max_ms;
    out.rules.timestamp_after_max_ms = topic.message_timestamp_after_max_ms;
    out.rules.batch_bytes_max = static_cast<std::size_t>(topic.max_message_bytes);
    out.rules.is_compacted = topic.compact;
    out.codec = codec(topic.compression_type);
    out.compression_levels = {.gzip = topic.compression_gzip_level,
                              .lz4 = topic.compression_lz4_level,
                              .zstd = topic.compression_zstd_level};
    out.rules.limits.record_bytes_max =
        static_cast<std::size_t>(topic.max_decompressed_message_bytes);
    out.acks_need_sync = topic.flush_messages == 1;
    out.flush_messages = topic.flush_messages;
    out.flush_interval = wait_of(topic.flush_ms);
    out.file_delete_delay = wait_of(topic.file_delete_delay_ms);
    out.keeps_latest_only = topic.compact && !topic.remove;
    out.log.is_gapless = !topic.compact;
    out.log.segment_jitter_ms = topic.segment_jitter_ms;
    if (topic.remove) {
        out.log.retention_ms = topic.retention_ms;
        out.log.retention_bytes = topic.retention_bytes;
    }
    out.log.segment_bytes = static_cast<std::uint64_t>(topic.segment_bytes);
    out.log.segment_ms = topic.segment_ms;
    if (topic.compact) {
        out.log.compaction = {.min_cleanable_dirty_ratio = topic.min_cleanable_dirty_ratio,
                              .min_compaction_lag_ms = topic.min_compaction_lag_ms,
                              .max_compaction_lag_ms = topic.max_compaction_lag_ms,
                              .delete_retention_ms = topic.delete_retention_ms};
        // What is in the active segment is not compacted.
        out.log.segment_ms = std::min(topic.segment_ms, topic.max_compaction_lag_ms);
    }
    out.log.index_interval_bytes = static_cast<std::uint32_t>(topic.index_interval_bytes);
    out.log.segment_index_bytes = static_cast<std::uint64_t>(topic.segment_index_bytes);
    return out;
}

}  // namespace

env::Duration wait_of(std::int64_t milliseconds) {
    constexpr std::int64_t kTenYears = 10LL * 365 * 24 * 3600 * 1000;
    return std::chrono::milliseconds(std::min(milliseconds, kTenYears));
}

/// What a topic of this broker gets that sets nothing itself: made anew when one of the layers
/// below it has changed.
class TopicDefaults {
public:
    explicit TopicDefaults(const config::BrokerConfig& config)
        : file_(config.settings),
          self_(config.node_id),
          id_(fmt::to_string(self_.value)),
          replica_lag_max_(wait_of(config.replica_lag_time_max_ms)),
          topic_(config.topic_defaults) {}

    void follow(const metadata::Image& image) {
        auto cluster_wide = image.configs->find(metadata::ResourceType::broker, "");
        auto broker = image.configs->find(metadata::ResourceType::broker, id_);
        if (cluster_wide == cluster_wide_ && broker == broker_) return;
        cluster_wide_ = std::move(cluster_wide);
        broker_ = std::move(broker);
        const auto settings = file_->with(*cluster_wide_, *broker_);
        topic_ = config::topic_defaults(settings);
        producer_expiration_ms_ = settings.number("producer.id.expiration.ms");
    }

    replication::PartitionSettings settings_of(const metadata::Configs& own) const {
        const auto resolved = topic_.with(own);
        // The controller let nothing into the log that does not resolve; a newer version's key
        // keeps the defaults.
        auto settings = partition_settings(resolved ? *resolved : topic_);
        settings.directory_delete_delay = wait_of(topic_.file_delete_delay_ms);
        settings.log.producer_expiration_ms = producer_expiration_ms_;
        settings.replica_lag_max = replica_lag_max_;
        settings.throttled = throttled_replicas(resolved ? *resolved : topic_, self_);
        return settings;
    }

    std::int64_t delete_retention_ms(const metadata::Configs& own) const {
        const auto resolved = topic_.with(own);
        return (resolved ? *resolved : topic_).delete_retention_ms;
    }

private:
    std::shared_ptr<const config::Settings> file_;
    BrokerId self_;
    std::string id_;
    env::Duration replica_lag_max_;
    std::shared_ptr<const metadata::Configs> cluster_wide_;
    std::shared_ptr<const metadata::Configs> broker_;
    config::TopicConfig topic_;
    std::int64_t producer_expiration_ms_ = 0;
};

replication::Replicas::SettingsOf settings_of(const config::BrokerConfig& config) {
    return [defaults = TopicDefaults(config)](const metadata::Image& image,
                                              std::string_view topic) mutable {
        defaults.follow(image);
        return defaults.settings_of(*image.configs->find(metadata::ResourceType::topic, topic));
    };
}

std::function<std::int64_t(const metadata::Image&, std::string_view topic)> delete_retention_of(
    const config::BrokerConfig& config) {
    return [defaults = TopicDefaults(config)](const metadata::Image& image,
                                              std::string_view topic) mutable {
        defaults.follow(image);
        return defaults.delete_retention_ms(
            *image.configs->find(metadata::ResourceType::topic, topic));
    };
}

std::function<drivers::LogCleanerSettings(const metadata::Image&)> log_cleaner_settings_of(
    const config::BrokerConfig& config) {
    return [file = config.settings,
            id = fmt::to_string(config.node_id.value)](const metadata::Image& image) {
        const auto settings = file->with(*image.configs->find(metadata::ResourceType::broker, ""),
                                         *image.configs->find(metadata::ResourceType::broker, id));
        drivers::LogCleanerSettings out;
        out.threads = static_cast<std::size_t>(settings.number("log.cleaner.threads"));
        out.backoff = wait_of(settings.integer("log.cleaner.backoff.ms"));
        out.dedupe_bytes =
            static_cast<std::uint64_t>(settings.integer("log.cleaner.dedupe.buffer.size"));
        out.load_factor = settings.real("log.cleaner.io.buffer.load.factor");
        out.io_bytes = static_cast<std::uint64_t>(settings.number("log.cleaner.io.buffer.size"));
        out.bytes_per_second = settings.real("log.cleaner.io.max.bytes.per.second");
        return out;
    };
}

controller::Options controller_options(const config::BrokerConfig& config,
                                       const std::string& cluster_id) {
    controller::Options out;
    out.node = config.node_id;
    out.cluster_id = cluster_id;
    out.num_partitions = config.num_partitions;
    out.default_replication_factor = static_cast<std::int16_t>(config.default_replication_factor);
    out.delete_topic_enable = config.delete_topic_enable;
    out.session_timeout_ms = config.broker_session_timeout_ms;
    out.idle_interval_ms = config.metadata_log.idle_interval_ms;
    // Longer than any node lives, and still a moment that a clock can name.
    constexpr std::int64_t kIntervalMax = 100LL * 365 * 24 * 3600 * 1000;
    out.balance_interval_ms = std::min(config.leader_balance_interval_ms, kIntervalMax);
    out.unclean_interval_ms = std::min(config.unclean_election_interval_ms, kIntervalMax);
    out.fast_fencing = config.fast_fencing;
    out.topic_defaults = config.topic_defaults;
    out.settings = config.settings;
    return out;
}

drivers::QuorumOptions quorum_options(const config::BrokerConfig& config,
                                      const std::string& directory,
                                      const storage::MetaProperties& meta) {
    drivers::QuorumOptions out;
    out.directory = directory;
    out.cluster_id = meta.cluster_id;
    out.node_id = config.node_id;
    out.directory_id = meta.directory_id;
    for (const auto& voter : config.quorum.voters) {
        raft::Voter one;
        one.key.id = voter.id;
        one.endpoints = {
            {config.controller_listeners.front(), voter.endpoint.host, voter.endpoint.port}};
        out.static_voters.push_back(std::move(one));
    }
    out.bootstrap_servers = config.quorum.bootstrap_servers;
    out.listener = config.controller_listeners.front();
    if (config.is_controller) out.endpoints = controller_endpoints(config);
    out.auto_join = config.quorum.auto_join;
    out.election_timeout = std::chrono::milliseconds(config.quorum.election_timeout_ms);
    out.election_backoff_max = std::chrono::milliseconds(config.quorum.election_backoff_max_ms);
    out.fetch_timeout = std::chrono::milliseconds(config.quorum.fetch_timeout_ms);
    out.request_timeout = std::chrono::milliseconds(config.quorum.request_timeout_ms);
    out.retry_backoff = std::chrono::milliseconds(config.quorum.retry_backoff_ms);
    out.fetch_bytes_max = static_cast<std::uint32_t>(config.quorum.fetch_max_bytes);
    out.snapshot_bytes_max = static_cast<std::uint32_t>(config.quorum.fetch_snapshot_max_bytes);
    out.segment_bytes = static_cast<std::uint64_t>(config.metadata_log.segment_bytes);
    out.segment_ms = config.metadata_log.segment_ms;
    out.retention_bytes = config.metadata_log.retention_bytes;
    out.retention_ms = config.metadata_log.retention_ms;
    return out;
}

drivers::FetcherOptions fetcher_options(const config::BrokerConfig& config) {
    const auto& wanted = config.replication;
    return {.self = config.node_id,
            .listener = config.inter_broker_listener,
            .fetchers = wanted.fetchers,
            .part_bytes = wanted.part_bytes_max,
            .bytes_min = wanted.bytes_min,
            .bytes_max = wanted.bytes_max,
            .wait_ms = wanted.wait_max_ms,
            .answer_time = wait_of(wanted.answer_timeout_ms),
            .pause_max = wait_of(wanted.backoff_ms)};
}

namespace {

drivers::ConsumerLimits::Range limits_of(const config::BrokerConfig::Groups::Interval& interval) {
    return {.min = interval.min, .max = interval.max};
}

coordinator::GroupOptions::Consumer consumer_options(const config::BrokerConfig::Groups& wanted) {
    const std::string& policy = wanted.consumer_migration_policy;
    const bool both = policy == "BIDIRECTIONAL";
    return {.settings = {.session_timeout_ms = wanted.consumer_session_timeout_ms.value,
                         .heartbeat_interval_ms = wanted.consumer_heartbeat_interval_ms.value,
                         .assignment_interval_ms = wanted.consumer_assignment_interval_ms.value},
            .max_size = wanted.consumer_max_size,
            .assignors = wanted.consumer_assignors,
            .may_upgrade = both || policy == "UPGRADE",
            .may_downgrade = both || policy == "DOWNGRADE",
            .regex_refresh_interval_ms = wanted.consumer_regex_refresh_interval_ms};
}

}  // namespace

drivers::GroupCoordinatorOptions group_coordinator_options(const config::BrokerConfig& config,
                                                           env::Env& env) {
    constexpr std::int64_t kMinuteMs = 60'000;
    const auto& wanted = config.groups;
    coordinator::GroupOptions groups{
        .group_min_session_timeout_ms = wanted.min_session_timeout_ms,
        .group_max_session_timeout_ms = wanted.max_session_timeout_ms,
        .group_initial_rebalance_delay_ms = wanted.initial_rebalance_delay_ms,
        .group_max_size = wanted.max_size,
        .group_rebalance_damping_ms = wanted.rebalance_damping_ms,
        .offset_metadata_max_bytes = wanted.offset_metadata_max_bytes,
        .offsets_retention_ms = wanted.offsets_retention_minutes * kMinuteMs};
    groups.consumer = consumer_options(wanted);
    drivers::GroupCoordinatorOptions out;
    out.limits = {.session_timeout_ms = limits_of(wanted.consumer_session_timeout_ms),
                  .heartbeat_interval_ms = limits_of(wanted.consumer_heartbeat_interval_ms),
                  .assignment_interval_ms = limits_of(wanted.consumer_assignment_interval_ms)};
    out.self = config.node_id;
    out.make_groups = [groups, &random = env.random()] {
        return coordinator::Groups::make(groups, random);
    };
    out.codec = static_cast<record::Codec>(wanted.compression_codec);
    out.commit_timeout = wait_of(wanted.offsets_commit_timeout_ms);
    out.expiration_interval = wait_of(wanted.retention_check_interval_ms);
    return out;
}

drivers::SnapshotPolicy snapshot_policy(const config::BrokerConfig& config) {
    drivers::SnapshotPolicy out;
    out.after_bytes = static_cast<std::uint64_t>(config.metadata_log.snapshot_after_bytes);
    const std::int64_t after_ms = config.metadata_log.snapshot_after_ms;
    out.after = wait_of(after_ms == 0 ? INT64_MAX : after_ms);
    return out;
}

std::vector<metadata::BrokerEndpoint> advertised_endpoints(
    const config::BrokerConfig& config, const std::vector<server::OpenListener>& bound, Role role) {
    std::vector<metadata::BrokerEndpoint> out;
    for (const auto& advertised : config.advertised_listeners) {
        const bool is_controllers = config.is_controller_listener(advertised.name);
        if (is_controllers != (role == Role::controller)) continue;
        metadata::BrokerEndpoint endpoint{advertised.name, advertised.endpoint.host,
                                          advertised.endpoint.port,
                                          static_cast<std::int16_t>(advertised.protocol)};
        const auto same =
            std::ranges::find(bound, advertised.name,
                              [](const server::OpenListener& open) { return open.listener.name; });
        if (endpoint.port == 0 && same != bound.end()) endpoint.port = same->bound.port;
        out.push_back(std::move(endpoint));
    }
    return out;
}

std::vector<drivers::AdvertisedListener> client_listeners(
    const config::BrokerConfig& config, const std::vector<server::OpenListener>& bound) {
    std::vector<drivers::AdvertisedListener> out;
    for (const auto& advertised : advertised_endpoints(config, bound, Role::broker)) {
        const auto same =
            std::ranges::find(bound, advertised.listener,
                              [](const server::OpenListener& open) { return open.listener.name; });
        if (same == bound.end()) continue;
        out.push_back(
            {advertised.listener, same->bound, env::Endpoint{advertised.host, advertised.port}});
    }
    return out;
}

}  // namespace milena::node
