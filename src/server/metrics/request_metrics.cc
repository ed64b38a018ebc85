// SPDX-License-Identifier: Apache-2.0
// Counting requests by API and version, and their time from the frame's last byte to the answer's.
#include <fmt/format.h>

#include "api.h"
#include "metrics/metrics.h"

namespace milena::server {
namespace {

using telemetry::Distribution;
using telemetry::Kind;
using telemetry::Metric;

constexpr Metric kRequests{"kafka_network_requestmetrics_requests_total", Kind::counter,
                           "Requests by API and version."};
constexpr Metric kTotalTime{"kafka_network_requestmetrics_totaltimems", Kind::gauge,
                            "Milliseconds from the request's last byte to the answer's."};
constexpr Metric kRequestBytes{"kafka_network_requestmetrics_requestbytes", Kind::gauge,
                               "Bytes of a request."};

/// In the order of a request's life.
constexpr std::array<Metric, RequestMetrics::kPhaseCount> kPhases{{
    {"kafka_network_requestmetrics_requestqueuetimems", Kind::gauge,
     "Milliseconds that a request waited for its turn on its connection."},
    {"kafka_network_requestmetrics_localtimems", Kind::gauge,
     "Milliseconds of work on a request, waiting apart."},
    {"kafka_network_requestmetrics_remotetimems", Kind::gauge,
     "Milliseconds that a request waited for replicas, records or a controller."},
    {"kafka_network_requestmetrics_responsequeuetimems", Kind::gauge,
     "Milliseconds that a complete answer waited for those before it."},
    {"kafka_network_requestmetrics_responsesendtimems", Kind::gauge,
     "Milliseconds until an answer's last byte was handed to the system."},
}};

/// The two kinds of Fetch come after all APIs.
constexpr std::size_t kExtraKinds = 2;
constexpr telemetry::Scale kMicrosToMillis{1e-3};

std::uint64_t microseconds(env::Duration time) {
    const auto count = std::chrono::duration_cast<std::chrono::microseconds>(time).count();
    return static_cast<std::uint64_t>(std::max<std::int64_t>(count, 0));
}

}  // namespace

RequestKind RequestKind::consumer_fetch() {
    return RequestKind(served_apis().size());
}

RequestKind RequestKind::follower_fetch() {
    return RequestKind(served_apis().size() + 1);
}

std::size_t RequestKind::count() {
    return served_apis().size() + kExtraKinds;
}

std::string_view RequestKind::name(std::size_t index) {
    const auto apis = served_apis();
    if (index < apis.size()) return apis[index].facts->name;
    return index == apis.size() ? "FetchConsumer" : "FetchFollower";
}

RequestMetrics::RequestMetrics()
    : fetch_place_(static_cast<std::size_t>(
          find_api(static_cast<std::int16_t>(protocol::ApiKey::fetch)) - served_apis().data())) {
    for (std::size_t i = 0; i < RequestKind::count(); ++i)
        kinds_.push_back(std::make_unique<OfKind>());
}

void RequestMetrics::begin(RequestKind kind, std::int16_t version, std::size_t bytes) {
    OfKind& counted = *kinds_[kind.index()];
    counted.by_version[std::min(static_cast<std::size_t>(version), kVersions - 1)].add();
    counted.request_bytes.record(bytes);
}

void RequestMetrics::answer_sent(const wire::ReplyTag& tag, env::Instant now) {
    record(*kinds_[tag.value], tag, now);
    if (tag.value >= served_apis().size()) record(*kinds_[fetch_place_], tag, now);
}

void RequestMetrics::record(OfKind& kind, const wire::ReplyTag& tag, env::Instant now) {
    const env::Duration at_work = tag.ready - tag.begun;
    const env::Duration waited = std::min(tag.waited, at_work);
    kind.total_us.record(microseconds(now - tag.received));
    const std::array<env::Duration, kPhaseCount> phases{tag.begun - tag.received, at_work - waited,
                                                        waited, tag.sending - tag.ready,
                                                        now - tag.sending};
    for (std::size_t i = 0; i < kPhaseCount; ++i) kind.phases_us[i].record(microseconds(phases[i]));
}

void write_requests(telemetry::Page& page, std::span<const RequestMetrics* const> cores) {
    for (std::size_t kind = 0; kind < RequestKind::count(); ++kind) {
        const std::string_view request = RequestKind::name(kind);
        Distribution total_us;
        Distribution bytes;
        for (const RequestMetrics* const core : cores) {
            core->kinds_[kind]->total_us.add_to(total_us);
            core->kinds_[kind]->request_bytes.add_to(bytes);
        }
        page.add(kTotalTime, {{"request", request}}, total_us, kMicrosToMillis);
        // Of what nobody has asked yet five times nothing is not told.
        for (std::size_t i = 0; total_us.count() != 0 && i < kPhases.size(); ++i) {
            Distribution phase_us;
            for (const RequestMetrics* const core : cores)
                core->kinds_[kind]->phases_us[i].add_to(phase_us);
            page.add(kPhases[i], {{"request", request}}, phase_us, kMicrosToMillis);
        }
        page.add(kRequestBytes, {{"request", request}}, bytes, telemetry::Scale{});
        for (std::size_t version = 0; version < RequestMetrics::kVersions; ++version) {
            std::uint64_t count = 0;
            for (const RequestMetrics* const core : cores)
                count += core->kinds_[kind]->by_version[version].value();
            if (count == 0) continue;
            page.add(kRequests, {{"request", request}, {"version", fmt::format("{}", version)}},
                     static_cast<double>(count));
        }
    }
}

}  // namespace milena::server
