// SPDX-License-Identifier: Apache-2.0
// A node's static configuration, typed and checked as a whole: what a server.properties means.
// Immutable after load.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/result.h"
#include "milena/config/settings.h"
#include "milena/config/topic_config.h"
#include "milena/env/files.h"
#include "milena/env/network.h"

namespace milena::config {

/// The numbers are those of broker registrations and Metadata.
enum class SecurityProtocol : std::int16_t {
    plaintext = 0,
    ssl = 1,
    sasl_plaintext = 2,
    sasl_ssl = 3
};

/// "PLAINTEXT", "SASL_SSL", …
std::string_view security_protocol_name(SecurityProtocol protocol);

struct Listener {
    /// As written, in upper case: PLAINTEXT, CONTROLLER, EXTERNAL…
    std::string name;
    /// To bind: an empty host is every address, port 0 any free one. To advertise: the host is
    /// never empty; port 0 stands for the one that was bound.
    env::Endpoint endpoint;
    SecurityProtocol protocol = SecurityProtocol::plaintext;

    bool operator==(const Listener&) const = default;
};

/// One voter of a static quorum (controller.quorum.voters).
struct QuorumVoter {
    BrokerId id;
    env::Endpoint endpoint;

    bool operator==(const QuorumVoter&) const = default;
};

/// controller.quorum.* : all times in milliseconds.
struct QuorumConfig {
    /// Empty for a dynamic quorum (KIP-853), which is found through the bootstrap servers.
    std::vector<QuorumVoter> voters;
    std::vector<env::Endpoint> bootstrap_servers;
    bool auto_join = false;  ///< a controller that is no voter makes itself one
    std::int32_t election_timeout_ms = 1000;
    std::int32_t election_backoff_max_ms = 1000;
    std::int32_t fetch_timeout_ms = 2000;
    std::int32_t request_timeout_ms = 2000;
    std::int32_t retry_backoff_ms = 20;
    std::int32_t append_linger_ms = 25;
    std::int32_t fetch_max_bytes = 1'048'576;
    std::int32_t fetch_snapshot_max_bytes = 1'048'576;
};

/// The log of __cluster_metadata.
struct MetadataLogConfig {
    std::int32_t segment_bytes = 1'073'741'824;
    std::int64_t segment_ms = 604'800'000;
    std::int64_t retention_bytes = 104'857'600;
    std::int64_t retention_ms = 604'800'000;
    std::int64_t snapshot_after_bytes =
        20'971'520;  ///< metadata.log.max.record.bytes.between.snapshots
    std::int64_t snapshot_after_ms =
        3'600'000;  ///< metadata.log.max.snapshot.interval.ms; 0 is never by time
    std::int32_t idle_interval_ms =
        500;  ///< metadata.max.idle.interval.ms; 0 writes no idle records
};

/// Connections and what they may send.
struct NetworkConfig {
    std::int32_t request_bytes_max = 104'857'600;  ///< socket.request.max.bytes
    std::int64_t queued_request_bytes_max =
        -1;  ///< queued.max.request.bytes; −1: a quarter of the memory limit
    std::int32_t send_buffer_bytes = 102'400;     ///< socket.send.buffer.bytes; −1: the system's
    std::int32_t receive_buffer_bytes = 102'400;  ///< socket.receive.buffer.bytes; −1: the system's
    std::int32_t listen_backlog = 50;             ///< socket.listen.backlog.size
    std::int64_t connections_max_idle_ms = 600'000;
    std::int32_t connections_max = INT32_MAX;              ///< max.connections
    std::int32_t connections_per_address_max = INT32_MAX;  ///< max.connections.per.ip
    std::int32_t fetch_bytes_max = 57'671'680;             ///< fetch.max.bytes
    std::int32_t fetch_session_slots = 1000;  ///< max.incremental.fetch.session.cache.slots
};

/// How an internal topic is made when it is first needed.
struct InternalTopicConfig {
    std::int32_t partitions = 50;
    std::int16_t replication_factor = 3;
    std::int32_t segment_bytes = 104'857'600;
    /// Not for __consumer_offsets, where it is the broker's default.
    std::int16_t min_isr = 2;
};

struct BrokerConfig {
    BrokerId node_id = kNoBroker;
    bool is_broker = false;
    bool is_controller = false;

    /// All that this node binds, brokers' and controllers', in the order of the file.
    std::vector<Listener> listeners;
    /// What it tells others, a subset of `listeners` by name.
    std::vector<Listener> advertised_listeners;
    /// Empty on a node that is only a controller.
    std::string inter_broker_listener;
    /// controller.listener.names; the first is the one that this node uses to reach controllers.
    std::vector<std::string> controller_listeners;
    QuorumConfig quorum;

    /// As written: relative ones are relative to where the process was started. At least one, no
    /// two the same.
    std::vector<std::string> log_dirs;
    /// One of log_dirs unless metadata.log.dir says otherwise.
    std::string metadata_log_dir;
    /// Milena's own files; never inside log_dirs. Default: the first log directory's name with
    /// ".milena" after it.
    std::string state_dir;
    /// Threads that serve connections (milena.core.threads); 0 for one per processor.
    std::int32_t core_threads = 0;
    bool log_is_json = false;  ///< milena.log.format
    bool fast_fencing = true;  ///< milena.fast.fencing
    /// Where /metrics and /healthz are served (milena.admin.listener); nothing: nowhere.
    std::optional<env::Endpoint> admin_listener;

    NetworkConfig network;
    MetadataLogConfig metadata_log;
    InternalTopicConfig offsets_topic;
    InternalTopicConfig transaction_state_topic;
    InternalTopicConfig share_state_topic;
    /// What a topic gets that sets nothing itself.
    TopicConfig topic_defaults;

    std::int32_t num_partitions = 1;
    std::int32_t default_replication_factor = 1;
    bool auto_create_topics_enable = true;
    bool delete_topic_enable = true;
    /// max.request.partition.size.limit: partitions in one answer of DescribeTopicPartitions.
    std::int32_t request_partitions_max = 2000;
    /// broker.rack; empty if it has none.
    std::string rack;
    /// replica.selector.class is Kafka's rack-aware one.
    bool sends_consumers_to_their_rack = false;
    /// auto.leader.rebalance.enable and leader.imbalance.check.interval.seconds; 0: not at all.
    std::int64_t leader_balance_interval_ms = 300'000;
    std::int64_t unclean_election_interval_ms = 300'000;
    std::int32_t broker_heartbeat_interval_ms = 2000;
    std::int32_t broker_session_timeout_ms = 9000;
    std::int32_t initial_registration_timeout_ms = 60'000;
    std::int64_t replica_lag_time_max_ms = 30'000;
    struct Replication {
        std::int32_t fetchers = 1;                ///< num.replica.fetchers
        std::int32_t part_bytes_max = 1 << 20;    ///< replica.fetch.max.bytes
        std::int32_t bytes_min = 1;               ///< replica.fetch.min.bytes
        std::int32_t bytes_max = 10 << 20;        ///< replica.fetch.response.max.bytes
        std::int32_t wait_max_ms = 500;           ///< replica.fetch.wait.max.ms
        std::int32_t answer_timeout_ms = 30'000;  ///< replica.socket.timeout.ms
        std::int32_t backoff_ms = 1000;           ///< replica.fetch.backoff.ms
    } replication;
    std::int64_t high_watermark_checkpoint_interval_ms = 5000;
    std::int64_t flush_scheduler_interval_ms = INT64_MAX;
    std::int64_t retention_check_interval_ms = 300'000;
    std::int64_t log_dir_failure_timeout_ms = 30'000;
    struct Groups {
        std::int32_t initial_rebalance_delay_ms = 3000;   ///< group.initial.rebalance.delay.ms
        std::int32_t min_session_timeout_ms = 6000;       ///< group.min.session.timeout.ms
        std::int32_t max_session_timeout_ms = 1'800'000;  ///< group.max.session.timeout.ms
        std::int32_t max_size = INT32_MAX;                ///< group.max.size
        std::int32_t rebalance_damping_ms = 6000;         ///< milena.group.rebalance.damping.ms
        std::int32_t offset_metadata_max_bytes = 4096;    ///< offset.metadata.max.bytes
        std::int32_t offsets_retention_minutes = 10'080;  ///< offsets.retention.minutes
        std::int32_t offsets_commit_timeout_ms = 5000;    ///< offsets.commit.timeout.ms
        std::int64_t retention_check_interval_ms =
            600'000;                         ///< offsets.retention.check.interval.ms
        std::int32_t compression_codec = 0;  ///< offsets.topic.compression.codec
        /// group.coordinator.rebalance.protocols has consumer.
        bool serves_consumer_protocol = true;
        /// group.consumer.*: *.ms, and between which values groups may set their own.
        struct Interval {
            std::int32_t value = 0;
            std::int32_t min = 0;
            std::int32_t max = INT32_MAX;
        };
        Interval consumer_session_timeout_ms{45'000, 45'000, 60'000};
        Interval consumer_heartbeat_interval_ms{5'000, 5'000, 15'000};
        Interval consumer_assignment_interval_ms{1'000, 0, 15'000};
        std::int32_t consumer_max_size = INT32_MAX;
        std::vector<std::string> consumer_assignors{"uniform", "range"};
        std::string consumer_migration_policy = "BIDIRECTIONAL";  ///< in capitals
        std::int32_t consumer_regex_refresh_interval_ms = 600'000;
    } groups;
    std::int32_t producer_id_expiration_ms = 86'400'000;
    std::int32_t producer_id_expiration_check_interval_ms = 600'000;

    /// Every key's value, for those who describe them.
    std::shared_ptr<const Settings> settings;

    /// True for the name of a listener that serves controllers.
    bool is_controller_listener(std::string_view name) const;
};

struct LoadedConfig {
    BrokerConfig config;
    Warnings warnings;
};

/// Reads and checks a server.properties. `host_name` is this machine's, advertised where a listener
/// names no host. An error names the key, its value, file and line, and what is allowed.
Result<LoadedConfig> load_broker_config(env::FileSystem& files, const std::string& path,
                                        std::string_view host_name);

/// The same, from a text that is already in memory.
Result<LoadedConfig> parse_broker_config(std::string file, std::string_view text,
                                         std::string_view host_name);

}  // namespace milena::config
