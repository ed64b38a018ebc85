// SPDX-License-Identifier: Apache-2.0
// The quotas of throttled replication with their limits, which are dynamic configuration of the
// broker or of all brokers and stand in no file (KIP-73, KIP-113).
#pragma once

#include <memory>
#include <string>

#include "milena/config/broker_config.h"
#include "milena/metadata/image.h"
#include "milena/replication/quotas.h"
#include "milena/telemetry/page.h"

namespace milena::node {

class Throttles {
public:
    explicit Throttles(const config::BrokerConfig& config);

    replication::ReplicationQuotas& quotas() { return quotas_; }

    /// The limits are those of `image` from now on. One caller at a time.
    void follow(const metadata::Image& image);
    /// The rates; from any thread.
    void write_metrics(telemetry::Page& page, env::Instant now) const;

private:
    using Layer = std::shared_ptr<const metadata::Configs>;

    const std::string id_;
    replication::ReplicationQuotas quotas_;
    Layer cluster_wide_;
    Layer broker_;
};

}  // namespace milena::node
