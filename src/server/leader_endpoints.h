// SPDX-License-Identifier: Apache-2.0
// Where the leaders are that an answer names, so that a client need not ask for metadata (KIP-951):
// each once.
#pragma once

#include <algorithm>
#include <vector>

#include "milena/config/broker_config.h"
#include "milena/metadata/image.h"
#include "milena/protocol/arena.h"
#include "milena/protocol/types.h"

namespace milena::server {

/// The endpoint of `broker` on the listener named `listener`; null if it has none there.
inline const metadata::BrokerEndpoint* endpoint_of(const metadata::BrokerRegistration& broker,
                                                   std::string_view listener) {
    const auto found =
        std::ranges::find(broker.endpoints, listener, &metadata::BrokerEndpoint::listener);
    return found == broker.endpoints.end() ? nullptr : &*found;
}

class LeaderEndpoints {
public:
    void add(BrokerId leader) {
        if (leader != kNoBroker && std::ranges::find(leaders_, leader) == leaders_.end())
            leaders_.push_back(leader);
    }

    /// The endpoints of all that were added and are known to the image, which outlives the result.
    template <class NodeEndpoint>
    protocol::Array<NodeEndpoint> resolve(const metadata::Image& image,
                                          const config::Listener& listener,
                                          protocol::Arena& arena) const {
        if (leaders_.empty()) return {};
        auto out = arena.make_array<NodeEndpoint>(leaders_.size());
        std::size_t count = 0;
        for (const BrokerId leader : leaders_) {
            const auto* const broker = image.cluster->find_broker(leader);
            if (broker == nullptr) continue;
            const auto* endpoint = endpoint_of(*broker, listener.name);
            if (endpoint == nullptr) continue;
            NodeEndpoint& node = out[count++];
            node.node_id = leader.value;
            node.host = endpoint->host;
            node.port = endpoint->port;
            if (broker->rack) node.rack = std::string_view(*broker->rack);
        }
        return std::span<const NodeEndpoint>(out.first(count));
    }

private:
    std::vector<BrokerId> leaders_;
};

}  // namespace milena::server
