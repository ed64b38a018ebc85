// SPDX-License-Identifier: Apache-2.0
// The limits are looked up in the served image when somebody connects; a pointer tells whether they
// are the ones of the last time.
#include "admission.h"

#include <fmt/format.h>

#include "milena/config/layers.h"

namespace milena::server {

using metadata::ResourceType;

Admission::Admission(const Broker& broker) : broker_(broker) {}

const AdmissionLimits& Admission::now() {
    const auto image = broker_.image.load();
    auto cluster_wide = image->configs->find(ResourceType::broker, "");
    auto of_broker =
        image->configs->find(ResourceType::broker, fmt::to_string(broker_.config.node_id.value));
    if (cluster_wide == cluster_wide_ && of_broker == of_broker_) return limits_;
    cluster_wide_ = std::move(cluster_wide);
    of_broker_ = std::move(of_broker);
    const auto settings = broker_.config.settings->with(*cluster_wide_, *of_broker_);
    limits_.total = settings.number("max.connections");
    limits_.per_address = settings.number("max.connections.per.ip");
    const auto overrides =
        config::connection_overrides(settings.string("max.connections.per.ip.overrides"));
    limits_.overrides = overrides ? *overrides : decltype(limits_.overrides)();
    return limits_;
}

}  // namespace milena::server
