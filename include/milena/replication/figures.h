// SPDX-License-Identifier: Apache-2.0
// What there is to count and to show of one replica.
#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>

#include "milena/base/ids.h"
#include "milena/telemetry/counter.h"

namespace milena::replication {

/// What clients did to a replica since the node started, counted by whoever serves them.
struct Traffic {
    telemetry::Counter bytes_in;  ///< record batches, as they were sent
    telemetry::Counter messages_in;
    telemetry::Counter bytes_out;  ///< to consumers
    telemetry::Counter produce_requests;
    telemetry::Counter failed_produce_requests;
    telemetry::Counter fetch_requests;
    telemetry::Counter failed_fetch_requests;
};

/// How a replica stands.
struct Figures {
    bool leads = false;
    bool offline = false;
    Offset log_start{};
    Offset log_end{};
    Offset high_watermark{};
    Offset last_stable{};
    std::uint64_t size_bytes = 0;
    std::size_t segments = 0;
    // A leader's; all 0 otherwise.
    std::size_t replicas = 0;
    std::size_t in_sync_replicas = 0;
    std::int32_t min_insync_replicas = 0;
    // A follower's.
    BrokerId follows = kNoBroker;  ///< the leader that it fetches from
    /// Up to the high watermark that the leader has told last.
    std::int64_t lag = 0;

    bool is_under_replicated() const { return leads && in_sync_replicas < replicas; }
    bool is_under_min_isr() const {
        return leads && std::cmp_less(in_sync_replicas, min_insync_replicas);
    }
    bool is_at_min_isr() const {
        return leads && std::cmp_equal(in_sync_replicas, min_insync_replicas);
    }
};

}  // namespace milena::replication
