// SPDX-License-Identifier: Apache-2.0
// What this broker's fetchers show, each alone and all together, under Kafka's names.
#include <algorithm>

#include <fmt/format.h>

#include "fetcher.h"

namespace milena::drivers {
namespace {

using telemetry::Kind;
using telemetry::Metric;

constexpr Metric kRequests{"kafka_server_fetcherstats_requests_total", Kind::counter,
                           "Answers to a fetcher's requests."};
constexpr Metric kBytes{"kafka_server_fetcherstats_bytes_total", Kind::counter,
                        "Bytes of record batches that a fetcher has brought."};
constexpr Metric kBytesIn{"kafka_server_brokertopicmetrics_replicationbytesin_total", Kind::counter,
                          "Bytes of record batches from leaders."};
constexpr Metric kMinRate{"kafka_server_replicafetchermanager_minfetchrate", Kind::gauge,
                          "Requests a second of the slowest fetcher, in the last minute."};
constexpr Metric kDead{"kafka_server_replicafetchermanager_deadthreadcount", Kind::gauge,
                       "Fetchers that have ended, and should not have."};
constexpr Metric kFailed{"kafka_server_replicafetchermanager_failedpartitionscount", Kind::gauge,
                         "Followers that can't go on until somebody acts."};

}  // namespace

void Fetchers::write_metrics(telemetry::Page& page) const {
    const telemetry::Label all{"clientId", "Replica"};
    std::uint64_t bytes = 0;
    std::size_t failed = 0;
    std::optional<double> slowest;
    for (const auto& [place, fetcher] : fetchers_) {
        const Fetcher::Figures figures = fetcher->figures();
        const std::string name =
            fmt::format("ReplicaFetcherThread-{}-{}", place.second, place.first);
        const std::string port = fmt::format("{}", figures.leader_at.port);
        const telemetry::Label labels[] = {
            {"clientId", name}, {"brokerHost", figures.leader_at.host}, {"brokerPort", port}};
        page.add(kRequests, labels, static_cast<double>(figures.requests));
        page.add(kBytes, labels, static_cast<double>(figures.bytes));
        bytes += figures.bytes;
        failed += figures.failed;
        slowest =
            std::min(slowest.value_or(figures.requests_per_second), figures.requests_per_second);
    }
    const std::size_t dead = stopping_ ? 0 : fetchers_.size() - static_cast<std::size_t>(running_);
    page.add(kBytesIn, static_cast<double>(bytes));
    page.add(kMinRate, {all}, slowest.value_or(0));
    page.add(kDead, {all}, static_cast<double>(dead));
    page.add(kFailed, {all}, static_cast<double>(failed));
}

}  // namespace milena::drivers
