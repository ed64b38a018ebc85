// SPDX-License-Identifier: Apache-2.0
// A limit of the broker's own counts before that of all brokers; none is no limit.
#include "throttles.h"

#include <fmt/format.h>

#include "milena/base/invariant.h"
#include "milena/config/layers.h"

namespace milena::node {
namespace {

using replication::ReplicationQuota;
using replication::ReplicationQuotas;
using telemetry::Kind;
using telemetry::Metric;

struct Throttle {
    std::string_view key;
    ReplicationQuota ReplicationQuotas::* quota;
    Metric metric;
};
constexpr Throttle kThrottles[] = {
    {"leader.replication.throttled.rate",
     &ReplicationQuotas::leader,
     {"kafka_server_leaderreplication_byte_rate", Kind::gauge,
      "Bytes a second that this broker sends to throttled followers, while there is a limit."}},
    {"follower.replication.throttled.rate",
     &ReplicationQuotas::follower,
     {"kafka_server_followerreplication_byte_rate", Kind::gauge,
      "Bytes a second that this broker's throttled followers fetch."}},
    {"replica.alter.log.dirs.io.max.bytes.per.second",
     &ReplicationQuotas::directories,
     {"kafka_server_alterlogdirsreplication_byte_rate", Kind::gauge,
      "Bytes a second that moves between this broker's directories copy."}},
};

replication::QuotaWindows windows(const config::Settings& settings, std::string_view prefix) {
    const auto value = [&](std::string_view key) {
        return settings.number(fmt::format("{}{}", prefix, key));
    };
    return {.count = static_cast<std::size_t>(value("replication.quota.window.num")),
            .length = std::chrono::seconds(value("replication.quota.window.size.seconds"))};
}

/// What is set there and is a value of the key.
std::optional<std::int64_t> limit_in(const metadata::Configs& layer, const config::Key& key) {
    const auto text = layer.find(key.name);
    if (text == layer.end()) return std::nullopt;
    const auto value = config::parse_client_value(key.name, key.type, key.allowed, text->second);
    const auto* const number = value ? std::get_if<std::int64_t>(&*value) : nullptr;
    return number == nullptr ? std::nullopt : std::optional(*number);
}

}  // namespace

Throttles::Throttles(const config::BrokerConfig& config)
    : id_(fmt::to_string(config.node_id.value)),
      quotas_(windows(*config.settings, ""), windows(*config.settings, "alter.log.dirs.")) {}

void Throttles::follow(const metadata::Image& image) {
    auto cluster_wide = image.configs->find(metadata::ResourceType::broker, "");
    auto broker = image.configs->find(metadata::ResourceType::broker, id_);
    if (cluster_wide == cluster_wide_ && broker == broker_) return;
    cluster_wide_ = std::move(cluster_wide);
    broker_ = std::move(broker);
    for (const Throttle& throttle : kThrottles) {
        const config::Key* const key = config::find_dynamic_only_key(throttle.key);
        INVARIANT(key != nullptr, "a throttle without its key");
        const auto own = limit_in(*broker_, *key);
        (quotas_.*throttle.quota).set_limit(own ? own : limit_in(*cluster_wide_, *key));
    }
}

void Throttles::write_metrics(telemetry::Page& page, env::Instant now) const {
    for (const Throttle& throttle : kThrottles)
        page.add(throttle.metric, (quotas_.*throttle.quota).per_second(now));
}

}  // namespace milena::node
