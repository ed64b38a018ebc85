// SPDX-License-Identifier: Apache-2.0
// Replicates what this broker follows: a fetcher for each broker that leads one of its partitions
// (some, by num.replica.fetchers). They begin, move and end as the metadata says. On the control
// thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "milena/base/logger.h"
#include "milena/env/env.h"
#include "milena/metadata/image.h"
#include "milena/replication/replicas.h"
#include "milena/telemetry/page.h"

namespace milena::drivers {

class Fetcher;

struct FetcherOptions {
    BrokerId self;
    /// Of this process; −1 until it is registered. Asked on the control thread.
    std::function<BrokerEpoch()> epoch = [] { return BrokerEpoch(-1); };
    std::string listener;               ///< inter.broker.listener.name
    std::int32_t fetchers = 1;          ///< num.replica.fetchers, for each leader
    std::int32_t part_bytes = 1 << 20;  ///< replica.fetch.max.bytes
    std::int32_t bytes_min = 1;         ///< replica.fetch.min.bytes
    std::int32_t bytes_max = 10 << 20;  ///< replica.fetch.response.max.bytes
    std::int32_t wait_ms = 500;         ///< replica.fetch.wait.max.ms
    env::Duration answer_time = std::chrono::seconds(30);       ///< replica.socket.timeout.ms
    env::Duration pause_max = std::chrono::milliseconds(1000);  ///< replica.fetch.backoff.ms
    /// Told, on any core, each time a leader does not answer, and when it does again.
    std::function<void(BrokerId, bool is_lost)> noticed = [](BrokerId, bool) {};
    /// Of what this node's throttled followers fetch; null: no limit.
    replication::ReplicationQuota* quota = nullptr;
};

class Fetchers {
public:
    /// `replicas` outlives stop().
    Fetchers(env::Env& env, Logger log, replication::Replicas& replicas, FetcherOptions options);
    ~Fetchers();

    /// `image` holds for the replicas from now on; partitions of `changed` topics may have other
    /// leaders than before, and brokers may have moved.
    void follow(const metadata::Image& image, std::span<const Uuid> changed);
    /// Nothing is fetched any more.
    env::Task<void> stop();

    /// kafka.server ReplicaFetcherManager and FetcherStats, and what replication brought in.
    void write_metrics(telemetry::Page& page) const;

private:
    /// Followed with a fetcher of that leader.
    struct Place {
        BrokerId leader = kNoBroker;
        std::size_t number = 0;
    };
    using Key = std::pair<Uuid, PartitionIndex>;
    /// This broker's own, which decides whether it may join the in-sync replicas.
    struct Standing {
        BrokerEpoch epoch{-1};
        bool is_fenced = true;

        bool operator==(const Standing&) const = default;
    };

    void reach(BrokerId broker, const env::Endpoint& endpoint);
    void follow_topic(const metadata::Image& image, Uuid id);
    void follow_partition(const Key& key, BrokerId leader);
    std::shared_ptr<Fetcher> fetcher_of(const Place& place);
    static env::Task<void> run(Fetchers& all, std::shared_ptr<Fetcher> one);

    env::Env& env_;
    Logger log_;
    replication::Replicas& replicas_;
    const FetcherOptions options_;
    Standing standing_;
    std::map<BrokerId, env::Endpoint> endpoints_;
    std::map<Key, Place> followed_;
    std::map<std::pair<BrokerId, std::size_t>, std::shared_ptr<Fetcher>> fetchers_;
    std::size_t made_ = 0;
    int running_ = 0;
    env::Wakeup ended_;
    bool stopping_ = false;
};

}  // namespace milena::drivers
