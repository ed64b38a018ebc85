// SPDX-License-Identifier: Apache-2.0
// How fast throttled replicas may be copied (KIP-73, KIP-113): the rate is measured over a few
// windows, as Kafka's quotas are, and whoever copies asks first whether it is above the limit. What
// is copied is counted afterwards, so a limit may be passed by one piece; the next comes later by
// so much.
#pragma once

#include <cstdint>
#include <deque>
#include <optional>

#include "milena/env/clock.h"
#include "milena/env/guarded.h"

namespace milena::replication {

/// *.quota.window.num and *.quota.window.size.seconds.
struct QuotaWindows {
    std::size_t count = 11;
    env::Duration length = std::chrono::seconds(1);
};

/// Bytes a second, over the windows that are not too old. A window begins with the first bytes that
/// do not belong to the one before; the rate is that since the oldest began, or over one window if
/// that is longer. Pure.
class WindowedRate {
public:
    explicit WindowedRate(const QuotaWindows& windows) : windows_(windows) {}

    void record(std::uint64_t bytes, env::Instant now);
    double per_second(env::Instant now) const;

private:
    struct Window {
        env::Instant begin;
        std::uint64_t bytes = 0;
    };
    bool counts(const Window& window, env::Instant now) const {
        return now - window.begin < windows_.length * static_cast<std::int64_t>(windows_.count);
    }

    QuotaWindows windows_;
    std::deque<Window> in_use_;  ///< as many as there are windows, at most
};

/// A rate and its limit. Thread-safe.
class ReplicationQuota {
public:
    explicit ReplicationQuota(const QuotaWindows& windows) : state_(windows) {}

    /// Bytes a second; nothing: no limit.
    void set_limit(std::optional<std::int64_t> limit);
    bool is_limited() const;
    void record(std::uint64_t bytes, env::Instant now);
    /// The rate is above the limit.
    bool is_exceeded(env::Instant now) const;
    double per_second(env::Instant now) const;

private:
    struct State {
        explicit State(const QuotaWindows& windows) : rate(windows) {}
        WindowedRate rate;
        std::optional<std::int64_t> limit{};
    };
    env::Guarded<State> state_;
};

/// Those of a broker.
struct ReplicationQuotas {
    ReplicationQuotas(const QuotaWindows& brokers, const QuotaWindows& between_directories)
        : leader(brokers), follower(brokers), directories(between_directories) {}

    ReplicationQuota leader;    ///< leader.replication.throttled.rate
    ReplicationQuota follower;  ///< follower.replication.throttled.rate
    /// replica.alter.log.dirs.io.max.bytes.per.second
    ReplicationQuota directories;
};

}  // namespace milena::replication
