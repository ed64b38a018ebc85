// SPDX-License-Identifier: Apache-2.0
// One connection after the other: the first that is not refused is answer enough.
#include "broker_probe.h"

namespace milena::drivers {
namespace {

constexpr env::Duration kConnectTime = std::chrono::seconds(1);

}  // namespace

env::Task<bool> refuses_everywhere(env::Env& env, std::vector<metadata::BrokerEndpoint> endpoints) {
    const env::Instant give_up = env.clock().now() + kConnectTime;
    for (const auto& endpoint : endpoints) {
        const auto stream =
            co_await env.network().connect({endpoint.host, endpoint.port}, env.control(), give_up);
        if (stream || !env::is_connection_refused(stream.error())) co_return false;
    }
    co_return !endpoints.empty();
}

}  // namespace milena::drivers
