// SPDX-License-Identifier: Apache-2.0
// The figures of all replicas of this node, each alone and summed up by topic and for the broker.
#include <map>

#include <fmt/format.h>

#include "metrics/metrics.h"

namespace milena::server {
namespace {

using replication::Figures;
using replication::Traffic;
using telemetry::Kind;
using telemetry::Metric;
using telemetry::Page;

struct TrafficMetric {
    Metric metric;
    telemetry::Counter Traffic::* counter;
};
constexpr TrafficMetric kTraffic[] = {
    {{"kafka_server_brokertopicmetrics_bytesin_total", Kind::counter,
      "Bytes of record batches from producers."},
     &Traffic::bytes_in},
    {{"kafka_server_brokertopicmetrics_messagesin_total", Kind::counter, "Records from producers."},
     &Traffic::messages_in},
    {{"kafka_server_brokertopicmetrics_bytesout_total", Kind::counter,
      "Bytes of record batches to consumers."},
     &Traffic::bytes_out},
    {{"kafka_server_brokertopicmetrics_totalproducerequests_total", Kind::counter,
      "Parts of Produce requests, one a partition."},
     &Traffic::produce_requests},
    {{"kafka_server_brokertopicmetrics_failedproducerequests_total", Kind::counter,
      "Those of them that were refused or failed."},
     &Traffic::failed_produce_requests},
    {{"kafka_server_brokertopicmetrics_totalfetchrequests_total", Kind::counter,
      "Parts of Fetch requests, one a partition."},
     &Traffic::fetch_requests},
    {{"kafka_server_brokertopicmetrics_failedfetchrequests_total", Kind::counter,
      "Those of them that were refused or failed."},
     &Traffic::failed_fetch_requests},
};

constexpr Metric kLogStart{"kafka_log_log_logstartoffset", Kind::gauge, "Log start offset."};
constexpr Metric kLogEnd{"kafka_log_log_logendoffset", Kind::gauge, "Log end offset."};
constexpr Metric kSize{"kafka_log_log_size", Kind::gauge, "Bytes in all segments."};
constexpr Metric kSegments{"kafka_log_log_numlogsegments", Kind::gauge, "Segments."};

constexpr Metric kReplicas{"kafka_cluster_partition_replicascount", Kind::gauge,
                           "Replicas of a partition that this broker leads."};
constexpr Metric kInSync{"kafka_cluster_partition_insyncreplicascount", Kind::gauge,
                         "Those of them that are in sync."};
constexpr Metric kUnderReplicated{"kafka_cluster_partition_underreplicated", Kind::gauge,
                                  "1 if fewer are in sync than there are."};
constexpr Metric kUnderMinIsr{"kafka_cluster_partition_underminisr", Kind::gauge,
                              "1 if fewer are in sync than min.insync.replicas."};
constexpr Metric kAtMinIsr{"kafka_cluster_partition_atminisr", Kind::gauge,
                           "1 if just min.insync.replicas are in sync."};
constexpr Metric kStableLag{"kafka_cluster_partition_laststableoffsetlag", Kind::gauge,
                            "Offsets between the last stable offset and the high watermark."};

struct Totals {
    std::array<std::uint64_t, std::size(kTraffic)> traffic{};
    void add(const Traffic& counted) {
        for (std::size_t i = 0; i < std::size(kTraffic); ++i)
            traffic[i] += (counted.*kTraffic[i].counter).value();
    }
};

struct NodeTotals {
    std::uint64_t partitions = 0;
    std::uint64_t leaders = 0;
    std::uint64_t offline = 0;
    std::uint64_t under_replicated = 0;
    std::uint64_t under_min_isr = 0;
    std::uint64_t at_min_isr = 0;
    std::uint64_t reassigning = 0;
    std::int64_t max_lag = 0;
};
struct NodeMetric {
    Metric metric;
    std::uint64_t NodeTotals::* total;
};
constexpr NodeMetric kNode[] = {
    {{"kafka_server_replicamanager_partitioncount", Kind::gauge, "Replicas on this broker."},
     &NodeTotals::partitions},
    {{"kafka_server_replicamanager_leadercount", Kind::gauge, "Replicas that lead."},
     &NodeTotals::leaders},
    {{"kafka_server_replicamanager_offlinereplicacount", Kind::gauge,
      "Replicas whose log directory has failed."},
     &NodeTotals::offline},
    {{"kafka_server_replicamanager_underreplicatedpartitions", Kind::gauge,
      "Partitions led here with fewer replicas in sync than there are."},
     &NodeTotals::under_replicated},
    {{"kafka_server_replicamanager_underminisrpartitioncount", Kind::gauge,
      "Partitions led here with fewer replicas in sync than min.insync.replicas."},
     &NodeTotals::under_min_isr},
    {{"kafka_server_replicamanager_atminisrpartitioncount", Kind::gauge,
      "Partitions led here with just min.insync.replicas in sync."},
     &NodeTotals::at_min_isr},
    {{"kafka_server_replicamanager_reassigningpartitions", Kind::gauge,
      "Partitions led here whose replicas are being moved."},
     &NodeTotals::reassigning},
};

constexpr Metric kReplicationBytesOut{"kafka_server_brokertopicmetrics_replicationbytesout_total",
                                      Kind::counter, "Bytes of record batches to followers."};
constexpr Metric kConsumerLag{"kafka_server_fetcherlagmetrics_consumerlag", Kind::gauge,
                              "Offsets that a follower is behind its leader's high watermark."};
constexpr Metric kMaxLag{"kafka_server_replicafetchermanager_maxlag", Kind::gauge,
                         "The greatest of them."};
constexpr Metric kOfflineDirectories{"kafka_log_logmanager_offlinelogdirectorycount", Kind::gauge,
                                     "Log directories that have failed."};
constexpr Metric kDirectoryOffline{"kafka_log_logmanager_logdirectoryoffline", Kind::gauge,
                                   "1 if the log directory has failed."};

constexpr Metric kCalm{
    "milena_log_directory_calm", Kind::gauge,
    "1 while appends are written in place, 0 while they go through the disk pool."};
constexpr Metric kDisturbances{
    "milena_log_directory_disturbances_total", Kind::counter,
    "How often a write was so slow that the directory was calm no more."};

double as_number(Offset offset) {
    return static_cast<double>(offset.value);
}

void write_traffic(Page& page, std::span<const telemetry::Label> labels, const Totals& totals) {
    for (std::size_t i = 0; i < std::size(kTraffic); ++i)
        page.add(kTraffic[i].metric, labels, static_cast<double>(totals.traffic[i]));
}

void write_log(Page& page, std::span<const telemetry::Label> labels, const Figures& figures) {
    page.add(kLogStart, labels, as_number(figures.log_start));
    page.add(kLogEnd, labels, as_number(figures.log_end));
    page.add(kSize, labels, static_cast<double>(figures.size_bytes));
    page.add(kSegments, labels, static_cast<double>(figures.segments));
}

void write_led(Page& page, std::span<const telemetry::Label> labels, const Figures& figures) {
    page.add(kReplicas, labels, static_cast<double>(figures.replicas));
    page.add(kInSync, labels, static_cast<double>(figures.in_sync_replicas));
    page.add(kUnderReplicated, labels, figures.is_under_replicated() ? 1 : 0);
    page.add(kUnderMinIsr, labels, figures.is_under_min_isr() ? 1 : 0);
    page.add(kAtMinIsr, labels, figures.is_at_min_isr() ? 1 : 0);
    page.add(kStableLag, labels,
             as_number(figures.high_watermark) - as_number(figures.last_stable));
}

/// As Kafka names the thread that would fetch the partition.
std::string fetcher_name(const Figures& figures, PartitionIndex partition, std::int32_t fetchers) {
    return fmt::format("ReplicaFetcherThread-{}-{}", partition.value % std::max(fetchers, 1),
                       figures.follows);
}

/// Whether partitions are being moved, asked for one topic after the other.
class Reassignments {
public:
    explicit Reassignments(const metadata::Image& image) : image_(image) {}

    bool is_under_way(Uuid topic, PartitionIndex partition) {
        if (topic_ == nullptr || topic_->id != topic) topic_ = image_.topics->find(topic);
        const auto* const known = topic_ == nullptr ? nullptr : topic_->partitions.find(partition);
        return known != nullptr &&
               (!known->adding_replicas.empty() || !known->removing_replicas.empty());
    }

private:
    const metadata::Image& image_;
    std::shared_ptr<const metadata::TopicImage> topic_;
};

void write_directories(Page& page, const replication::Replicas& replicas) {
    const auto failed = replicas.failed_directories();
    const auto has_failed = [&](const std::string& path) {
        return std::ranges::find(failed, path, &replication::FailedDirectory::path) != failed.end();
    };
    for (const auto& lane : replicas.write_lanes()) {
        const telemetry::Label label{"directory", lane.path};
        page.add(kCalm, std::span(&label, 1), lane.is_calm ? 1 : 0);
        page.add(kDisturbances, std::span(&label, 1), static_cast<double>(lane.disturbances));
        if (!has_failed(lane.path)) page.add(kDirectoryOffline, {{"logDirectory", lane.path}}, 0);
    }
    for (const auto& [path, id] : failed) page.add(kDirectoryOffline, {{"logDirectory", path}}, 1);
    page.add(kOfflineDirectories, static_cast<double>(failed.size()));
}

void count(NodeTotals& node, const Figures& figures) {
    ++node.partitions;
    node.leaders += figures.leads ? 1 : 0;
    node.offline += figures.offline ? 1 : 0;
    node.under_replicated += figures.is_under_replicated() ? 1 : 0;
    node.under_min_isr += figures.is_under_min_isr() ? 1 : 0;
    node.at_min_isr += figures.is_at_min_isr() ? 1 : 0;
    node.max_lag = std::max(node.max_lag, figures.lag);
}

}  // namespace

void write_partitions(Page& page, const PartitionSources& of,
                      std::span<const RequestMetrics* const> cores) {
    std::map<std::string, Totals, std::less<>> by_topic;
    NodeTotals node;
    Reassignments reassignments(of.image);
    for (const auto& partition : of.replicas.all()) {
        const Figures figures = partition->figures();
        const auto& name = partition->name();
        const std::string number = fmt::format("{}", name.partition);
        const telemetry::Label labels[] = {{"topic", name.topic}, {"partition", number}};
        by_topic[name.topic].add(partition->traffic());
        count(node, figures);
        if (!figures.offline) write_log(page, labels, figures);
        if (figures.leads) {
            write_led(page, labels, figures);
            const bool moves = reassignments.is_under_way(partition->topic_id(), name.partition);
            node.reassigning += moves ? 1 : 0;
        }
        if (figures.follows == kNoBroker) continue;
        page.add(kConsumerLag,
                 {{"clientId", fetcher_name(figures, name.partition, of.fetchers)},
                  labels[0],
                  labels[1]},
                 static_cast<double>(figures.lag));
    }
    Totals all;
    std::uint64_t replicated = 0;
    for (const RequestMetrics* const core : cores) {
        all.add(core->traffic_);
        replicated += core->replication_bytes_out_.value();
    }
    write_traffic(page, {}, all);
    page.add(kReplicationBytesOut, static_cast<double>(replicated));
    for (const auto& [topic, totals] : by_topic) {
        const telemetry::Label label{"topic", topic};
        write_traffic(page, std::span(&label, 1), totals);
    }
    for (const auto& [metric, total] : kNode) page.add(metric, static_cast<double>(node.*total));
    page.add(kMaxLag, {{"clientId", "Replica"}}, static_cast<double>(node.max_lag));
    write_directories(page, of.replicas);
}

}  // namespace milena::server
