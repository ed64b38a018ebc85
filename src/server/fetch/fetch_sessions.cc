// SPDX-License-Identifier: Apache-2.0
// Admission under the slots' guard; the work on a session comes before or after.
#include "fetch_sessions.h"

#include <algorithm>

namespace milena::server {
namespace {

using telemetry::Kind;
using telemetry::Metric;

constexpr std::int16_t kFirstVersionWithTopicIds = 13;

constexpr Metric kSessions{"kafka_server_fetchsessioncache_numincrementalfetchsessions",
                           Kind::gauge, "Fetch sessions that are kept."};
constexpr Metric kPartitions{"kafka_server_fetchsessioncache_numincrementalfetchpartitionscached",
                             Kind::gauge, "Partitions of all fetch sessions together."};
constexpr Metric kEvictions{"kafka_server_fetchsessioncache_incrementalfetchsessionevictions_total",
                            Kind::counter, "Fetch sessions that had to go for others."};

/// True if a topic is named that can't exist, so that nobody keeps such names here.
bool has_overlong_name(const protocol::FetchRequest& body) {
    return std::ranges::any_of(body.topics, [](const auto& topic) {
        return topic.topic.size() > SessionPartitions::kNameBytesMax;
    });
}

}  // namespace

std::shared_ptr<FetchSession> FetchSessions::find(std::int32_t id) const {
    return slots_.with([&](const SessionSlots& slots) { return slots.find(id); });
}

std::int32_t FetchSessions::open(const protocol::FetchRequest& body, std::int16_t version,
                                 bool is_follower, std::span<const FetchPart> parts) {
    if (has_overlong_name(body)) return 0;
    std::vector<std::shared_ptr<FetchSession>> evicted;
    std::shared_ptr<FetchSession> session;
    const env::Instant now = env_.clock().now();
    slots_.with([&](SessionSlots& slots) {
        std::int32_t id = 0;
        while (id == 0 || slots.contains(id))
            id = static_cast<std::int32_t>(env_.random().next() & INT32_MAX);
        auto made = std::make_shared<FetchSession>(id, version >= kFirstVersionWithTopicIds);
        if (slots.admit({id, is_follower, parts.size(), made}, now, evicted))
            session = std::move(made);
    });
    for (const auto& one : evicted) one->end();
    if (session == nullptr) return 0;
    session->fill(body, parts);  // nobody else knows its id yet
    return session->id();
}

bool FetchSessions::touch(FetchSession& session, const SessionTurn& turn) {
    std::vector<std::shared_ptr<FetchSession>> evicted;
    const env::Instant now = env_.clock().now();
    const bool fits = slots_.with([&](SessionSlots& slots) {
        return slots.touch(session.id(), turn.partitions, now, evicted);
    });
    for (const auto& one : evicted) one->end();
    if (!fits) remove(session.id());
    return fits;
}

void FetchSessions::remove(std::int32_t id) {
    const auto session = slots_.with([&](SessionSlots& slots) { return slots.remove(id); });
    if (session != nullptr) session->end();
}

void FetchSessions::write_metrics(telemetry::Page& page) const {
    const auto [sessions, partitions, evictions] = slots_.with([](const SessionSlots& slots) {
        return std::tuple(slots.size(), slots.partitions(), slots.evictions());
    });
    page.add(kSessions, static_cast<double>(sessions));
    page.add(kPartitions, static_cast<double>(partitions));
    page.add(kEvictions, static_cast<double>(evictions));
}

}  // namespace milena::server
