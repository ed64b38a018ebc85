// SPDX-License-Identifier: Apache-2.0
// From settings to a BrokerConfig: each group of fields is filled from its keys, then the rules
// that no single key can judge are checked.
#include "milena/config/broker_config.h"

#include <algorithm>

#include <fmt/format.h>

#include "contains.h"
#include "listeners.h"
#include "milena/config/layers.h"
#include "text.h"
#include "topic_fields.h"

namespace milena::config {
namespace {

constexpr std::size_t kFileBytesMax = 1 << 20;

Result<void> read_node_id(const Settings& settings, BrokerConfig& config) {
    const bool has_broker_id = settings.is_set("broker.id");
    if (!settings.is_set("node.id") && !has_broker_id) {
        return bad_setting(settings, "node.id", "must be set; allowed is 0 or more");
    }
    const std::string_view key = settings.is_set("node.id") ? "node.id" : "broker.id";
    config.node_id = BrokerId(settings.number(key));
    if (has_broker_id && settings.number("broker.id") != config.node_id.value) {
        return bad_setting(settings, "broker.id", "differs from node.id; set only node.id");
    }
    if (config.node_id.value < 0) return bad_setting(settings, key, "allowed is 0 or more");
    return ok();
}

Result<void> read_roles(const Settings& settings, BrokerConfig& config) {
    const auto& roles = settings.list("process.roles");
    config.is_broker = contains(roles, "broker");
    config.is_controller = contains(roles, "controller");
    if (roles.empty()) {
        return bad_setting(settings, "process.roles",
                           "must be set; allowed is broker, controller, or both");
    }
    if (roles.size() != std::size_t{config.is_broker} + std::size_t{config.is_controller}) {
        return bad_setting(settings, "process.roles", "a role comes twice");
    }
    for (const auto& name : settings.list("controller.listener.names")) {
        config.controller_listeners.push_back(upper(name));
    }
    if (config.controller_listeners.empty()) {
        return bad_setting(settings, "controller.listener.names",
                           "must be set; allowed are names of listeners");
    }
    return ok();
}

Result<void> read_inter_broker_listener(const Settings& settings, BrokerConfig& config) {
    constexpr std::string_view kName = "inter.broker.listener.name";
    constexpr std::string_view kProtocol = "security.inter.broker.protocol";
    if (!config.is_broker) return ok();
    const bool by_name = !settings.is_null(kName);
    if (by_name && settings.is_set(kProtocol)) {
        return bad_setting(settings, kProtocol, "set either this or inter.broker.listener.name");
    }
    const std::string_view key = by_name ? kName : kProtocol;
    config.inter_broker_listener = upper(settings.string(key));
    if (config.is_controller_listener(config.inter_broker_listener)) {
        return bad_setting(settings, key, "is one of controller.listener.names");
    }
    if (!contains(config.advertised_listeners, config.inter_broker_listener, &Listener::name)) {
        return bad_setting(
            settings, key,
            fmt::format("allowed is one of the advertised listeners, which {} is not",
                        config.inter_broker_listener));
    }
    return ok();
}

/// Which listeners a role needs, and which it must not have.
Result<void> check_listeners_of_roles(const Settings& settings, const BrokerConfig& config) {
    const auto of_controllers = [&](const Listener& listener) {
        return config.is_controller_listener(listener.name);
    };
    const auto& listeners = config.listeners;
    if (config.is_controller && std::ranges::none_of(listeners, of_controllers)) {
        return bad_setting(settings, "listeners",
                           "a controller needs one of controller.listener.names among them");
    }
    if (!config.is_controller && std::ranges::any_of(listeners, of_controllers)) {
        return bad_setting(settings, "listeners",
                           "a node without the controller role has none of "
                           "controller.listener.names among them");
    }
    if (!config.is_broker && !std::ranges::all_of(listeners, of_controllers)) {
        return bad_setting(settings, "listeners",
                           "a node without the broker role has only controller.listener.names");
    }
    return ok();
}

Result<void> check_quorum(const Settings& settings, const BrokerConfig& config) {
    constexpr std::string_view kVoters = "controller.quorum.voters";
    const auto& voters = config.quorum.voters;
    if (voters.empty() && config.quorum.bootstrap_servers.empty()) {
        return bad_setting(settings, "controller.quorum.bootstrap.servers",
                           "this or controller.quorum.voters must be set");
    }
    if (voters.empty()) return ok();
    const bool is_voter = contains(voters, config.node_id, &QuorumVoter::id);
    if (config.is_controller && !is_voter) {
        return bad_setting(
            settings, kVoters,
            fmt::format("a controller must be a voter, and {} is not", config.node_id));
    }
    if (!config.is_controller && is_voter) {
        return bad_setting(
            settings, kVoters,
            fmt::format("node {} is a voter without the controller role", config.node_id));
    }
    return ok();
}

void read_quorum_times(const Settings& settings, QuorumConfig& quorum) {
    quorum.election_timeout_ms = settings.number("controller.quorum.election.timeout.ms");
    quorum.election_backoff_max_ms = settings.number("controller.quorum.election.backoff.max.ms");
    quorum.fetch_timeout_ms = settings.number("controller.quorum.fetch.timeout.ms");
    quorum.request_timeout_ms = settings.number("controller.quorum.request.timeout.ms");
    quorum.retry_backoff_ms = settings.number("controller.quorum.retry.backoff.ms");
    quorum.append_linger_ms = settings.number("controller.quorum.append.linger.ms");
    quorum.auto_join = settings.boolean("controller.quorum.auto.join.enable");
    quorum.fetch_max_bytes = settings.number("controller.quorum.fetch.max.bytes");
    quorum.fetch_snapshot_max_bytes = settings.number("controller.quorum.fetch.snapshot.max.bytes");
}

void read_metadata_log(const Settings& settings, MetadataLogConfig& log) {
    constexpr std::string_view kInternal = "internal.metadata.log.segment.bytes";
    log.segment_bytes =
        settings.number(settings.is_null(kInternal) ? "metadata.log.segment.bytes" : kInternal);
    log.segment_ms = settings.integer("metadata.log.segment.ms");
    log.retention_bytes = settings.integer("metadata.max.retention.bytes");
    log.retention_ms = settings.integer("metadata.max.retention.ms");
    log.snapshot_after_bytes = settings.integer("metadata.log.max.record.bytes.between.snapshots");
    log.snapshot_after_ms = settings.integer("metadata.log.max.snapshot.interval.ms");
    log.idle_interval_ms = settings.number("metadata.max.idle.interval.ms");
}

void read_network(const Settings& settings, NetworkConfig& network) {
    network.request_bytes_max = settings.number("socket.request.max.bytes");
    network.queued_request_bytes_max = settings.integer("queued.max.request.bytes");
    network.send_buffer_bytes = settings.number("socket.send.buffer.bytes");
    network.receive_buffer_bytes = settings.number("socket.receive.buffer.bytes");
    network.listen_backlog = settings.number("socket.listen.backlog.size");
    network.connections_max_idle_ms = settings.integer("connections.max.idle.ms");
    network.connections_max = settings.number("max.connections");
    network.connections_per_address_max = settings.number("max.connections.per.ip");
    network.fetch_bytes_max = settings.number("fetch.max.bytes");
    network.fetch_session_slots = settings.number("max.incremental.fetch.session.cache.slots");
}

InternalTopicConfig read_internal_topic(const Settings& settings, std::string_view prefix) {
    const auto key = [&](std::string_view name) { return fmt::format("{}.{}", prefix, name); };
    InternalTopicConfig topic;
    topic.partitions = settings.number(key("num.partitions"));
    topic.replication_factor =
        static_cast<std::int16_t>(settings.number(key("replication.factor")));
    topic.segment_bytes = settings.number(key("segment.bytes"));
    return topic;
}

void read_internal_topics(const Settings& settings, BrokerConfig& config) {
    const auto min_isr = [&](std::string_view key) {
        constexpr std::int32_t kMax = std::numeric_limits<std::int16_t>::max();
        return static_cast<std::int16_t>(std::min(settings.number(key), kMax));
    };
    config.offsets_topic = read_internal_topic(settings, "offsets.topic");
    config.transaction_state_topic = read_internal_topic(settings, "transaction.state.log");
    config.share_state_topic = read_internal_topic(settings, "share.coordinator.state.topic");
    config.offsets_topic.min_isr = min_isr("min.insync.replicas");
    config.transaction_state_topic.min_isr = min_isr("transaction.state.log.min.isr");
    config.share_state_topic.min_isr = min_isr("share.coordinator.state.topic.min.isr");
}

std::string without_trailing_slashes(std::string path) {
    while (path.size() > 1 && path.ends_with('/')) path.pop_back();
    return path;
}

/// True if `path` is `directory` or lies in it, as far as their texts tell.
bool is_inside(std::string_view path, std::string_view directory) {
    return path == directory ||
           (path.starts_with(directory) &&
            (directory == "/" || path.substr(directory.size()).starts_with('/')));
}

Result<void> read_directories(const Settings& settings, BrokerConfig& config) {
    const std::string_view key = settings.list("log.dirs").empty() ? "log.dir" : "log.dirs";
    for (const auto& text : settings.list(key)) {
        auto dir = without_trailing_slashes(text);
        if (dir.empty() || contains(config.log_dirs, dir)) {
            return bad_setting(settings, key, "allowed are different directories");
        }
        config.log_dirs.push_back(std::move(dir));
    }
    if (config.log_dirs.empty()) return bad_setting(settings, key, "names no directory");

    const auto& metadata_dir = settings.string("metadata.log.dir");
    config.metadata_log_dir =
        metadata_dir.empty() ? config.log_dirs.front() : without_trailing_slashes(metadata_dir);
    const auto& state_dir = settings.string("milena.state.dir");
    config.state_dir = state_dir.empty() ? config.log_dirs.front() + ".milena"
                                         : without_trailing_slashes(state_dir);
    for (const auto& dir : config.log_dirs) {
        if (is_inside(config.state_dir, dir)) {
            return bad_setting(settings, "milena.state.dir",
                               fmt::format("allowed is a directory outside of {}: Apache Kafka "
                                           "refuses a log directory with foreign files",
                                           dir));
        }
    }
    return ok();
}

Result<void> read_admin_listener(const Settings& settings, BrokerConfig& config) {
    constexpr std::string_view kKey = "milena.admin.listener";
    const auto& text = settings.string(kKey);
    if (text.empty()) return ok();
    auto endpoint = parse_endpoint(text, true);
    if (!endpoint) return bad_setting(settings, kKey, endpoint.error().why);
    config.admin_listener = std::move(*endpoint);
    return ok();
}

void read_elections(const Settings& settings, BrokerConfig& config) {
    constexpr std::int64_t kSecond = 1000;
    const std::int64_t seconds = settings.integer("leader.imbalance.check.interval.seconds");
    config.leader_balance_interval_ms = settings.boolean("auto.leader.rebalance.enable")
                                            ? std::min(seconds, INT64_MAX / kSecond) * kSecond
                                            : 0;
    config.unclean_election_interval_ms = settings.integer("unclean.leader.election.interval.ms");
}

void read_groups(const Settings& settings, BrokerConfig::Groups& groups) {
    groups.initial_rebalance_delay_ms = settings.number("group.initial.rebalance.delay.ms");
    groups.min_session_timeout_ms = settings.number("group.min.session.timeout.ms");
    groups.max_session_timeout_ms = settings.number("group.max.session.timeout.ms");
    groups.max_size = settings.number("group.max.size");
    groups.rebalance_damping_ms = settings.number("milena.group.rebalance.damping.ms");
    groups.offset_metadata_max_bytes = settings.number("offset.metadata.max.bytes");
    groups.offsets_retention_minutes = settings.number("offsets.retention.minutes");
    groups.offsets_commit_timeout_ms = settings.number("offsets.commit.timeout.ms");
    groups.retention_check_interval_ms = settings.integer("offsets.retention.check.interval.ms");
    groups.compression_codec = settings.number("offsets.topic.compression.codec");
}

BrokerConfig::Groups::Interval consumer_interval(const Settings& settings, std::string_view what) {
    const auto value = [&](std::string_view limit) {
        return settings.number(fmt::format("group.consumer.{}{}", limit, what));
    };
    return {.value = value(""), .min = value("min."), .max = value("max.")};
}

void read_consumer_groups(const Settings& settings, BrokerConfig::Groups& groups) {
    const auto& protocols = settings.list("group.coordinator.rebalance.protocols");
    groups.serves_consumer_protocol = contains(protocols, "consumer");
    groups.consumer_session_timeout_ms = consumer_interval(settings, "session.timeout.ms");
    groups.consumer_heartbeat_interval_ms = consumer_interval(settings, "heartbeat.interval.ms");
    groups.consumer_assignment_interval_ms = consumer_interval(settings, "assignment.interval.ms");
    groups.consumer_max_size = settings.number("group.consumer.max.size");
    groups.consumer_assignors = settings.list("group.consumer.assignors");
    groups.consumer_migration_policy = upper(settings.string("group.consumer.migration.policy"));
    groups.consumer_regex_refresh_interval_ms =
        settings.number("group.consumer.regex.refresh.interval.ms");
}

Result<void> check_consumer_groups(const Settings& settings) {
    for (const std::string_view what :
         {"session.timeout.ms", "heartbeat.interval.ms", "assignment.interval.ms"}) {
        const auto interval = consumer_interval(settings, what);
        if (interval.value < interval.min || interval.value > interval.max) {
            return bad_setting(settings, fmt::format("group.consumer.{}", what),
                               fmt::format("allowed is {} to {}, as group.consumer.min.{} and "
                                           "group.consumer.max.{} say",
                                           interval.min, interval.max, what, what));
        }
    }
    constexpr std::string_view kAssignors = "group.consumer.assignors";
    const auto& assignors = settings.list(kAssignors);
    if (assignors.empty()) return bad_setting(settings, kAssignors, "one is needed");
    for (const std::string& name : assignors) {
        if (name != "uniform" && name != "range")
            return bad_setting(settings, kAssignors, "allowed are uniform and range");
    }
    return ok();
}

Result<void> check_groups(const Settings& settings) {
    constexpr std::string_view kCodec = "offsets.topic.compression.codec";
    constexpr std::int32_t kCodecs = 5;
    if (const auto codec = settings.number(kCodec); codec < 0 || codec >= kCodecs) {
        return bad_setting(settings, kCodec,
                           "allowed are 0 (none), 1 (gzip), 2 (snappy), 3 (lz4) and 4 (zstd)");
    }
    constexpr std::string_view kMax = "group.max.session.timeout.ms";
    if (settings.number(kMax) < settings.number("group.min.session.timeout.ms"))
        return bad_setting(settings, kMax, "allowed is group.min.session.timeout.ms or more");
    return ok();
}

void read_broker(const Settings& settings, BrokerConfig& config) {
    config.log_is_json = settings.string("milena.log.format") == "json";
    config.core_threads = settings.number("milena.core.threads");
    config.fast_fencing = settings.boolean("milena.fast.fencing");
    config.num_partitions = settings.number("num.partitions");
    config.default_replication_factor = settings.number("default.replication.factor");
    config.auto_create_topics_enable = settings.boolean("auto.create.topics.enable");
    config.delete_topic_enable = settings.boolean("delete.topic.enable");
    config.request_partitions_max = settings.number("max.request.partition.size.limit");
    config.rack = settings.string("broker.rack");
    config.sends_consumers_to_their_rack =
        settings.string("replica.selector.class").ends_with("RackAwareReplicaSelector");
    config.broker_heartbeat_interval_ms = settings.number("broker.heartbeat.interval.ms");
    config.broker_session_timeout_ms = settings.number("broker.session.timeout.ms");
    config.initial_registration_timeout_ms =
        settings.number("initial.broker.registration.timeout.ms");
    config.replication = {.fetchers = settings.number("num.replica.fetchers"),
                          .part_bytes_max = settings.number("replica.fetch.max.bytes"),
                          .bytes_min = settings.number("replica.fetch.min.bytes"),
                          .bytes_max = settings.number("replica.fetch.response.max.bytes"),
                          .wait_max_ms = settings.number("replica.fetch.wait.max.ms"),
                          .answer_timeout_ms = settings.number("replica.socket.timeout.ms"),
                          .backoff_ms = settings.number("replica.fetch.backoff.ms")};
    config.replica_lag_time_max_ms = settings.integer("replica.lag.time.max.ms");
    config.high_watermark_checkpoint_interval_ms =
        settings.integer("replica.high.watermark.checkpoint.interval.ms");
    config.flush_scheduler_interval_ms = settings.integer("log.flush.scheduler.interval.ms");
    config.retention_check_interval_ms = settings.integer("log.retention.check.interval.ms");
    config.log_dir_failure_timeout_ms = settings.integer("log.dir.failure.timeout.ms");
    config.producer_id_expiration_ms = settings.number("producer.id.expiration.ms");
    config.producer_id_expiration_check_interval_ms =
        settings.number("producer.id.expiration.check.interval.ms");
}

/// Numbers whose range the table leaves open, because Kafka checks them apart from it.
Result<void> check_numbers(const Settings& settings) {
    struct Rule {
        std::string_view key;
        std::int64_t min;
        bool or_unlimited;
    };
    constexpr Rule kRules[] = {
        {"log.retention.ms", 1, true},
        {"log.retention.minutes", 1, true},
        {"log.retention.hours", 1, true},
        {"log.retention.bytes", 0, true},
        {"log.roll.ms", 1, false},
        {"log.roll.jitter.ms", 0, false},
        {"log.flush.interval.ms", 0, false},
        {"log.flush.scheduler.interval.ms", 1, false},
        {"socket.send.buffer.bytes", 1, true},
        {"socket.receive.buffer.bytes", 1, true},
        {"queued.max.request.bytes", 1, true},
        {"connections.max.idle.ms", 1, true},
        {"broker.heartbeat.interval.ms", 1, false},
        {"broker.session.timeout.ms", 1, false},
        {"initial.broker.registration.timeout.ms", 1, false},
        {"replica.lag.time.max.ms", 1, false},
        {"replica.fetch.min.bytes", 0, false},
        {"replica.fetch.wait.max.ms", 0, false},
        {"replica.socket.timeout.ms", 1, false},
        {"replica.high.watermark.checkpoint.interval.ms", 1, false},
        {"default.replication.factor", 1, false},
        {"metadata.log.segment.ms", 1, false},
        {"metadata.max.retention.ms", 0, true},
        {"metadata.max.retention.bytes", 0, true},
        {"group.initial.rebalance.delay.ms", 0, false},
    };
    for (const auto& rule : kRules) {
        if (settings.is_null(rule.key)) continue;
        const auto value = settings.integer(rule.key);
        if (value >= rule.min || (rule.or_unlimited && value == -1)) continue;
        return bad_setting(
            settings, rule.key,
            fmt::format("allowed is {} or more{}", rule.min, rule.or_unlimited ? ", or -1" : ""));
    }
    if (settings.number("broker.heartbeat.interval.ms") * std::int64_t{2} >
        settings.number("broker.session.timeout.ms")) {
        return bad_setting(settings, "broker.heartbeat.interval.ms",
                           "allowed is at most half of broker.session.timeout.ms");
    }
    constexpr std::string_view kOverrides = "max.connections.per.ip.overrides";
    if (!connection_overrides(settings.string(kOverrides))) {
        return bad_setting(settings, kOverrides, "allowed is a list of address:number");
    }
    if (settings.integer("log.cleaner.min.compaction.lag.ms") >
        settings.integer("log.cleaner.max.compaction.lag.ms")) {
        return bad_setting(settings, "log.cleaner.min.compaction.lag.ms",
                           "allowed is at most log.cleaner.max.compaction.lag.ms");
    }
    return ok();
}

Result<BrokerConfig> make_broker_config(Settings settings, std::string_view host_name) {
    BrokerConfig config;
    TRY_VOID(read_node_id(settings, config));
    TRY_VOID(read_roles(settings, config));
    TRY_VOID(check_numbers(settings));
    TRY_VOID(check_groups(settings));
    TRY_VOID(check_consumer_groups(settings));
    TRY_VOID(read_listeners(settings, host_name, config));
    TRY_VOID(check_listeners_of_roles(settings, config));
    TRY_VOID(read_inter_broker_listener(settings, config));
    TRY_VOID(read_quorum_addresses(settings, config.quorum));
    TRY_VOID(check_quorum(settings, config));
    TRY_VOID(read_directories(settings, config));
    TRY_VOID(read_admin_listener(settings, config));
    read_quorum_times(settings, config.quorum);
    read_metadata_log(settings, config.metadata_log);
    read_network(settings, config.network);
    read_internal_topics(settings, config);
    read_broker(settings, config);
    read_groups(settings, config.groups);
    read_consumer_groups(settings, config.groups);
    read_elections(settings, config);
    config.topic_defaults = topic_defaults(settings);
    config.settings = std::make_shared<const Settings>(std::move(settings));
    return config;
}

}  // namespace

bool BrokerConfig::is_controller_listener(std::string_view name) const {
    return contains(controller_listeners, name);
}

Result<LoadedConfig> parse_broker_config(std::string file, std::string_view text,
                                         std::string_view host_name) {
    TRY(const auto properties, Properties::parse(std::move(file), text));
    LoadedConfig loaded;
    TRY(auto settings, Settings::from(properties, loaded.warnings));
    TRY(loaded.config, make_broker_config(std::move(settings), host_name));
    return loaded;
}

Result<LoadedConfig> load_broker_config(env::FileSystem& files, const std::string& path,
                                        std::string_view host_name) {
    TRY(const auto text, env::read_file(files, path, kFileBytesMax));
    return parse_broker_config(path, text, host_name);
}

}  // namespace milena::config
