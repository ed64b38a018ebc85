// SPDX-License-Identifier: Apache-2.0
// Names and values of the node's own metrics.
#include "metrics.h"

#include <utility>

namespace milena::node {
namespace {

using telemetry::Kind;
using telemetry::Metric;
using telemetry::Page;

constexpr Metric kState{"kafka_server_kafkaserver_brokerstate", Kind::gauge,
                        "1 starting, 2 recovering logs, 3 running, 6 stopping."};
constexpr Metric kLogsOpened{"milena_recovery_logs_opened", Kind::gauge,
                             "Logs that the start has opened so far."};
constexpr Metric kLogsTotal{"milena_recovery_logs", Kind::gauge,
                            "Logs that the start has to open."};

constexpr Metric kActive{"kafka_controller_kafkacontroller_activecontrollercount", Kind::gauge,
                         "1 on the active controller."};
constexpr Metric kLeader{"kafka_server_raft_metrics_current_leader", Kind::gauge,
                         "Node that leads the metadata quorum; -1 if none is known."};
constexpr Metric kEpoch{"kafka_server_raft_metrics_current_epoch", Kind::gauge,
                        "Epoch of the metadata quorum."};
constexpr Metric kHighWatermark{"kafka_server_raft_metrics_high_watermark", Kind::gauge,
                                "End of the committed metadata log; -1 if unknown."};
constexpr Metric kLogEnd{"kafka_server_raft_metrics_log_end_offset", Kind::gauge,
                         "End of the metadata log."};
constexpr Metric kVoters{"kafka_server_raft_metrics_number_of_voters", Kind::gauge,
                         "Voters of the metadata quorum."};

constexpr Metric kQuorumState{"kafka_server_raft_metrics_current_state", Kind::gauge,
                              "1 for what this node is in the metadata quorum."};
constexpr Metric kVote{"kafka_server_raft_metrics_current_vote", Kind::gauge,
                       "Node that this one has voted for in the current epoch; -1 for nobody."};
constexpr Metric kLogEndEpoch{"kafka_server_raft_metrics_log_end_epoch", Kind::gauge,
                              "Epoch of the last record of the metadata log; -1 if it has none."};
constexpr Metric kObservers{"kafka_server_raft_metrics_number_of_observers", Kind::gauge,
                            "Nodes that follow the metadata log and do not vote; on the leader."};
constexpr Metric kUnknownVoters{"kafka_server_raft_metrics_number_unknown_voter_connections",
                                Kind::gauge, "Voters of whom no address is known."};
constexpr Metric kCommitAverage{"kafka_server_raft_metrics_commit_latency_avg", Kind::gauge,
                                "Milliseconds from a leader's append to its commit, in the last "
                                "minute; absent if there was none."};
constexpr Metric kCommitMax{"kafka_server_raft_metrics_commit_latency_max", Kind::gauge,
                            "The longest of them."};
constexpr Metric kElectionAverage{"kafka_server_raft_metrics_election_latency_avg", Kind::gauge,
                                  "Milliseconds without a leader of the metadata quorum, as this "
                                  "node saw it, in the last minute; absent if there was always "
                                  "one."};
constexpr Metric kElectionMax{"kafka_server_raft_metrics_election_latency_max", Kind::gauge,
                              "The longest of them."};
constexpr Metric kAppendRate{"kafka_server_raft_metrics_append_records_rate", Kind::gauge,
                             "Records a second that this node appended to the metadata log as its "
                             "leader, in the last minute."};
constexpr Metric kFetchRate{"kafka_server_raft_metrics_fetch_records_rate", Kind::gauge,
                            "Records a second that it took over from the leader."};

constexpr Metric kSnapshotBytes{
    "kafka_server_snapshotemitter_latestsnapshotgeneratedbytes", Kind::gauge,
    "Size of the newest metadata snapshot that this process has written; before the first, of the "
    "one that it has loaded."};
constexpr Metric kSnapshotAge{"kafka_server_snapshotemitter_latestsnapshotgeneratedagems",
                              Kind::gauge,
                              "Milliseconds since this process wrote a metadata snapshot; before "
                              "the first, since its start."};
constexpr Metric kSnapshotsLoaded{"kafka_server_metadataloader_handleloadsnapshotcount",
                                  Kind::gauge,
                                  "Metadata snapshots that were loaded since the start."};

constexpr Metric kTopics{"kafka_controller_kafkacontroller_globaltopiccount", Kind::gauge,
                         "Topics of the cluster."};
constexpr Metric kPartitions{"kafka_controller_kafkacontroller_globalpartitioncount", Kind::gauge,
                             "Partitions of the cluster."};
constexpr Metric kOffline{"kafka_controller_kafkacontroller_offlinepartitionscount", Kind::gauge,
                          "Partitions without a leader."};
constexpr Metric kNotPreferred{"kafka_controller_kafkacontroller_preferredreplicaimbalancecount",
                               Kind::gauge,
                               "Partitions that another than their first replica leads."};
constexpr Metric kActiveBrokers{"kafka_controller_kafkacontroller_activebrokercount", Kind::gauge,
                                "Brokers that may lead."};
constexpr Metric kFencedBrokers{"kafka_controller_kafkacontroller_fencedbrokercount", Kind::gauge,
                                "Registered brokers that are fenced."};
constexpr Metric kInShutdown{"kafka_controller_kafkacontroller_controlledshutdownbrokercount",
                             Kind::gauge, "Brokers that are in controlled shutdown."};
constexpr Metric kTimedOut{"kafka_controller_kafkacontroller_timedoutbrokerheartbeatcount",
                           Kind::gauge,
                           "Sessions of brokers that have ended since this node is the active "
                           "controller."};
constexpr Metric kSilence{"kafka_controller_kafkacontroller_timesincelastheartbeatreceivedms",
                          Kind::gauge,
                          "Milliseconds since the active controller heard of an unfenced broker."};
constexpr Metric kRegistrationState{"kafka_controller_kafkacontroller_brokerregistrationstate",
                                    Kind::gauge,
                                    "10 fenced, 20 in controlled shutdown, 30 active."};
constexpr Metric kApplied{"kafka_server_broker_metadata_metrics_last_applied_record_offset",
                          Kind::gauge, "Last record of the metadata log in this node's image."};
constexpr Metric kAppliedTime{"kafka_server_broker_metadata_metrics_last_applied_record_timestamp",
                              Kind::gauge, "Its time, in milliseconds since 1970."};
constexpr Metric kLevel{"kafka_server_metadataloader_finalizedlevel", Kind::gauge,
                        "Finalized level of a feature."};

/// Of kRegistrationState.
constexpr double kStateFenced = 10;
constexpr double kStateInShutdown = 20;
constexpr double kStateActive = 30;

double number(Offset offset) {
    return static_cast<double>(offset.value);
}

/// metadata.version as metadataVersion, as Kafka labels it.
std::string camel_case(std::string_view feature) {
    std::string out;
    bool starts_word = false;
    for (const char c : feature) {
        if (c == '.') {
            starts_word = true;
            continue;
        }
        out += starts_word && c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
        starts_word = false;
    }
    return out;
}

void write_partition_counts(Page& page, const metadata::TopicsImage& topics) {
    std::uint64_t partitions = 0;
    std::uint64_t offline = 0;
    std::uint64_t not_preferred = 0;
    for (const auto& [id, topic] : topics.by_id) {
        partitions += topic->partitions.size();
        for (const auto& [index, partition] : topic->partitions) {
            offline += partition.leader == kNoBroker ? 1 : 0;
            not_preferred += partition.leader != partition.replicas.front() ? 1 : 0;
        }
    }
    page.add(kTopics, static_cast<double>(topics.by_id.size()));
    page.add(kPartitions, static_cast<double>(partitions));
    page.add(kOffline, static_cast<double>(offline));
    page.add(kNotPreferred, static_cast<double>(not_preferred));
}

/// In Kafka's words.
std::string_view state_name(const drivers::QuorumFigures& figures) {
    const bool has_voted = figures.vote != kNoBroker;
    switch (figures.role) {
        case raft::Role::unattached: return has_voted ? "unattached-voted" : "unattached";
        case raft::Role::prospective: return has_voted ? "prospective-voted" : "prospective";
        case raft::Role::candidate: return "candidate";
        case raft::Role::leader: return "leader";
        case raft::Role::follower: return figures.is_voter ? "follower" : "observer";
        case raft::Role::resigned: return "resigned";
    }
    std::unreachable();
}

void add_if_there(Page& page, const Metric& metric, std::optional<double> value) {
    if (value) page.add(metric, *value);
}

void write_quorum_figures(Page& page, const drivers::QuorumFigures& figures) {
    page.add(kQuorumState, {{"state", state_name(figures)}}, 1);
    page.add(kVote, figures.vote.value);
    page.add(kLogEndEpoch, figures.log_end_epoch.value);
    page.add(kUnknownVoters, static_cast<double>(figures.unknown_voters));
    if (figures.observers) page.add(kObservers, static_cast<double>(*figures.observers));
    add_if_there(page, kCommitAverage, figures.commit_latency_avg_ms);
    add_if_there(page, kCommitMax, figures.commit_latency_max_ms);
    add_if_there(page, kElectionAverage, figures.election_latency_avg_ms);
    add_if_there(page, kElectionMax, figures.election_latency_max_ms);
    page.add(kAppendRate, figures.append_records_rate);
    page.add(kFetchRate, figures.fetch_records_rate);
}

}  // namespace

void write_health(Page& page, const Health& health) {
    page.add(kState, static_cast<double>(health.stage()));
    const auto logs = health.progress();
    page.add(kLogsOpened, static_cast<double>(logs.opened));
    page.add(kLogsTotal, static_cast<double>(logs.total));
}

void write_quorum(Page& page, const drivers::QuorumStatus& status, bool is_active) {
    page.add(kActive, is_active ? 1 : 0);
    page.add(kLeader, status.leader.value);
    page.add(kEpoch, status.epoch.value);
    page.add(kHighWatermark, number(status.high_watermark.value_or(Offset(-1))));
    page.add(kLogEnd, number(status.log_end_offset));
    page.add(kVoters, static_cast<double>(status.voters.size()));
    write_quorum_figures(page, status.figures);
}

void write_snapshots(Page& page, const drivers::SnapshotFigures& figures) {
    const auto age = std::chrono::duration_cast<std::chrono::milliseconds>(figures.newest_age);
    page.add(kSnapshotBytes, static_cast<double>(figures.newest_bytes));
    page.add(kSnapshotAge, static_cast<double>(age.count()));
    page.add(kSnapshotsLoaded, static_cast<double>(figures.loaded));
}

void write_brokers(Page& page, const drivers::BrokerFigures& figures) {
    page.add(kTimedOut, static_cast<double>(figures.sessions_timed_out));
    for (const auto& [id, silence] : figures.silence) {
        const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(silence).count();
        page.add(kSilence, {{"broker", fmt::to_string(id.value)}}, static_cast<double>(ms));
    }
}

void write_image(Page& page, const metadata::Image& image) {
    write_partition_counts(page, *image.topics);
    std::uint64_t fenced = 0;
    std::uint64_t in_shutdown = 0;
    for (const auto& [id, broker] : image.cluster->brokers) {
        const bool leaves = !broker.fenced && broker.in_controlled_shutdown;
        fenced += broker.fenced ? 1 : 0;
        in_shutdown += leaves ? 1 : 0;
        page.add(kRegistrationState, {{"broker", fmt::to_string(id.value)}},
                 broker.fenced ? kStateFenced : (leaves ? kStateInShutdown : kStateActive));
    }
    page.add(kInShutdown, static_cast<double>(in_shutdown));
    page.add(kFencedBrokers, static_cast<double>(fenced));
    page.add(kActiveBrokers, static_cast<double>(image.cluster->brokers.size() - fenced));
    page.add(kApplied, number(image.provenance.last_offset));
    page.add(kAppliedTime, static_cast<double>(image.provenance.timestamp_ms));
    for (const auto& [feature, level] : image.features->levels)
        page.add(kLevel, {{"featureName", camel_case(feature)}}, level);
}

}  // namespace milena::node
