// SPDX-License-Identifier: Apache-2.0
// What the server counts, one set a core, and how it is shown. Counters are touched by their core's
// thread and read by whoever scrapes.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "milena/replication/replicas.h"
#include "milena/telemetry/counter.h"
#include "milena/telemetry/histogram.h"
#include "milena/telemetry/lazy_histogram.h"
#include "milena/telemetry/page.h"
#include "milena/wire/connection.h"

namespace milena::server {

/// What a request is counted as: the place of its API in served_apis(), or one of the two kinds of
/// Fetch.
class RequestKind {
public:
    static RequestKind api(std::size_t place) { return RequestKind(place); }
    static RequestKind consumer_fetch();
    static RequestKind follower_fetch();

    std::size_t index() const { return index_; }
    static std::size_t count();
    /// "Produce", "FetchConsumer", …
    static std::string_view name(std::size_t index);

private:
    explicit RequestKind(std::size_t index) : index_(index) {}
    std::size_t index_;
};

/// What is told of partitions, and what it is found out from.
struct PartitionSources {
    const replication::Replicas& replicas;
    const metadata::Image& image;
    std::int32_t fetchers = 1;  ///< num.replica.fetchers
};

/// One core's.
class RequestMetrics {
public:
    /// In queue, in work, waiting for others, in queue for sending, being sent.
    static constexpr std::size_t kPhaseCount = 5;

    RequestMetrics();

    /// A request of that kind has come, in a frame of `bytes`.
    void begin(RequestKind kind, std::int16_t version, std::size_t bytes);
    void answer_sent(const wire::ReplyTag& tag, env::Instant now);
    /// Of all partitions together, also of those that are gone.
    replication::Traffic& traffic() { return traffic_; }
    /// Bytes of record batches to followers.
    telemetry::Counter& replication_bytes_out() { return replication_bytes_out_; }

private:
    friend void write_requests(telemetry::Page& page, std::span<const RequestMetrics* const> cores);
    friend void write_partitions(telemetry::Page& page, const PartitionSources& of,
                                 std::span<const RequestMetrics* const> cores);
    static constexpr std::size_t kVersions = 32;
    struct OfKind {
        std::array<telemetry::Counter, kVersions> by_version;
        telemetry::Histogram total_us;
        telemetry::Histogram request_bytes;
        /// Where the total time went, in the order of kPhases.
        std::array<telemetry::LazyHistogram, kPhaseCount> phases_us;
    };
    void record(OfKind& kind, const wire::ReplyTag& tag, env::Instant now);
    std::vector<std::unique_ptr<OfKind>> kinds_;
    std::size_t fetch_place_;  ///< where both kinds of Fetch are counted together
    replication::Traffic traffic_;
    telemetry::Counter replication_bytes_out_;
};

/// kafka.network RequestMetrics of all cores together.
void write_requests(telemetry::Page& page, std::span<const RequestMetrics* const> cores);
/// kafka.server BrokerTopicMetrics, ReplicaManager and FetcherLagMetrics, kafka.cluster Partition,
/// kafka.log Log and LogManager. One pass over the partitions, whatever is told of them.
void write_partitions(telemetry::Page& page, const PartitionSources& of,
                      std::span<const RequestMetrics* const> cores);

}  // namespace milena::server
