// SPDX-License-Identifier: Apache-2.0
// How long a request that is forwarded may wait for a controller.
#pragma once

#include "../api.h"

namespace milena::server {

/// At most that long, as Apache Kafka's brokers.
inline constexpr env::Duration kForwardingTimeMax = std::chrono::seconds(60);
/// If the request does not say.
inline constexpr env::Duration kForwardingTime = std::chrono::seconds(30);

/// The end of the time that the request itself gives (its TimeoutMs), as far as it can be read.
env::Instant end_of_patience(const Request& request, const Api& api);

}  // namespace milena::server
