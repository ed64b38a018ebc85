// SPDX-License-Identifier: Apache-2.0
// What brokers and controllers say of themselves to the active controller. A node that is not it
// says so, and passes nothing on: its own word on who is may be old.
#pragma once

#include "../../api.h"
#include "../../topics.h"

namespace milena::server {

/// The requests have no time of their own; whoever asks tries again sooner.
inline constexpr env::Duration kControllerWait = std::chrono::seconds(5);

/// This node's controller, for whoever may speak to it.
inline Result<controller::Gateway*> own_controller(const Request& request) {
    TRY_VOID(check_cluster_right(request, security::Operation::cluster_action));
    const Broker& broker = request.broker();
    return broker.own_controller != nullptr ? broker.own_controller : &broker.controller;
}

template <class Listener>
std::vector<metadata::BrokerEndpoint> endpoints_of(protocol::Array<Listener> listeners) {
    std::vector<metadata::BrokerEndpoint> out;
    for (const auto& one : listeners) {
        out.push_back(
            {std::string(one.name), std::string(one.host), one.port, one.security_protocol});
    }
    return out;
}

template <class Feature>
std::map<std::string, metadata::VersionRange> features_of(protocol::Array<Feature> features) {
    std::map<std::string, metadata::VersionRange> out;
    for (const auto& one : features) {
        out[std::string(one.name)] = {one.min_supported_version, one.max_supported_version};
    }
    return out;
}

}  // namespace milena::server
