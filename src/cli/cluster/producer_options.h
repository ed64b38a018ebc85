// SPDX-License-Identifier: Apache-2.0
// How a producer sends, by the names of Kafka's producer properties.
#pragma once

#include "cluster/client_properties.h"
#include "records/accumulator.h"

namespace milena::cli {

/// The defaults are those of Kafka's producer.
struct ProducerOptions {
    std::int16_t acks = -1;
    Accumulator::Limits limits{.linger = std::chrono::milliseconds(5)};
    std::size_t request_bytes_max = 1U << 20;
    std::size_t requests_max = 5;      ///< under way to one leader
    std::int32_t timeout_ms = 30'000;  ///< told to the leader
    std::int64_t retries = INT32_MAX;
    env::Duration backoff = std::chrono::milliseconds(100);
    env::Duration delivery_timeout = std::chrono::seconds(120);  ///< of a batch, from its start
    env::Duration block_max = std::chrono::seconds(60);          ///< that a full buffer may wait
};

/// `defaults` with what the properties say.
Result<ProducerOptions> producer_options(const ClientProperties& properties,
                                         ProducerOptions defaults);

}  // namespace milena::cli
