// SPDX-License-Identifier: Apache-2.0
// Fetches this broker's followers from one leader, over one connection and one fetch session
// (KIP-227): asks, hands what comes to the partitions, asks again. On one core's thread; follow()
// and unfollow() may be called from anywhere.
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "leader_session.h"
#include "milena/base/logger.h"
#include "milena/drivers/fetchers.h"
#include "milena/env/env.h"
#include "milena/env/guarded.h"
#include "milena/protocol/messages/fetch.h"
#include "milena/replication/replicas.h"
#include "milena/telemetry/recent.h"
#include "milena/wire/client.h"

namespace milena::drivers {

class Fetcher : public std::enable_shared_from_this<Fetcher> {
public:
    /// The `number`-th of this node's fetchers. `replicas` and `options` outlive the end of run().
    struct Place {
        env::Env& env;
        std::size_t number;
        replication::Replicas& replicas;
        const FetcherOptions& options;
    };
    Fetcher(const Place& place, const Logger& log, BrokerId leader);

    enum class End : std::uint8_t { stopped, moves };
    /// On owner(), until stop(), or until another core is to go on: then settle(), and run() again.
    static env::Task<End> run(std::shared_ptr<Fetcher> self);
    /// On the thread that calls all of the following, while it does not run: it belongs to the core
    /// that env::Env::core_for() names now. The leader's fetch session goes on, over another
    /// connection.
    void settle();
    /// From any thread. What is on its way is given up.
    void stop();

    env::Executor owner() const { return env_.core(core_); }
    BrokerId leader() const { return leader_; }

    /// What has happened so far; from any thread.
    struct Figures {
        env::Endpoint leader_at;
        std::uint64_t requests = 0;
        std::uint64_t bytes = 0;         ///< of record batches
        double requests_per_second = 0;  ///< lately
        /// Partitions that can't go on for a reason that will not pass by itself.
        std::size_t failed = 0;
    };
    Figures figures() const;

    /// Where the leader listens; a change means another connection.
    void reach_at(env::Endpoint endpoint);
    /// This broker's epoch, as the metadata has it (KIP-903). Everything is asked for anew: what a
    /// leader was refused for this broker, it may try again with its next fetch.
    void speak_as(BrokerEpoch epoch);
    /// Also for one that is followed already: its leadership has changed.
    void follow(const PartitionKey& key);
    void unfollow(const PartitionKey& key);

private:
    using Response = protocol::FetchResponse;

    /// What others have asked for meanwhile.
    struct Inbox {
        std::optional<env::Endpoint> endpoint;
        std::optional<BrokerEpoch> epoch;
        std::map<PartitionKey, bool> changes;  ///< and whether it is followed
        bool stops = false;
    };

    /// False if the fetcher is to stop.
    bool take_inbox();
    struct Call;
    env::Task<void> fetch(const LeaderSession::Request& request);
    /// The leader's answer; it is asked to hurry if something else is to be fetched meanwhile.
    env::Task<Result<wire::Answer<Response>>> ask(const protocol::FetchRequest& request);
    static env::Task<void> carry(std::shared_ptr<Fetcher> self,
                                 const protocol::FetchRequest& request, std::shared_ptr<Call> call);
    static env::Task<void> hurry(std::shared_ptr<wire::Client> client);
    bool has_newcomers() const;
    env::Task<void> take(const Response& response);
    env::Task<void> take_part(const PartitionKey& key, const Response::PartitionData& part);
    env::Task<Result<void>> take_records(const PartitionKey& key,
                                         const std::shared_ptr<replication::Partition>& partition,
                                         const Response::PartitionData& part);
    env::Task<Result<void>> find_range(const PartitionKey& key,
                                       const std::shared_ptr<replication::Partition>& partition);
    env::Task<Result<std::int64_t>> leader_offset(const std::string& topic, const PartitionKey& key,
                                                  const replication::FetchPlan& plan,
                                                  std::int64_t spec);
    env::Task<Result<void>> settle(replication::FollowStep step,
                                   const std::shared_ptr<replication::Partition>& partition);
    std::optional<replication::FetchPlan> plan_of(const PartitionKey& key) const;
    /// What the partition lacks has to wait: the quota is used up (KIP-73).
    bool is_throttled(const PartitionKey& key) const;
    bool is_over_quota() const;
    void count(const replication::Partition& partition, std::uint64_t bytes) const;
    void lost(const Error& why);

    void connect();

    env::Env& env_;
    const std::size_t number_;
    std::size_t core_;
    const Logger log_;
    const BrokerId leader_;
    replication::Replicas& replicas_;
    const FetcherOptions& options_;
    /// What figures() tells, where others read it.
    struct Counted {
        Figures figures;
        telemetry::RecentValues requests;
    };
    void count_answer();
    void note_failed(const PartitionKey& key, bool has_failed);

    env::Guarded<Inbox> inbox_;
    env::Guarded<Counted> counted_;
    std::set<PartitionKey> failed_;
    std::unique_ptr<env::Wakeup> wakeup_;
    LeaderSession session_;
    std::optional<env::Endpoint> endpoint_;
    BrokerEpoch epoch_{-1};
    std::shared_ptr<wire::Client> client_;
    env::Duration pause_{};
    bool is_lost_ = false;  ///< the log has been told
    bool was_cut_ = false;  ///< logs were cut since the last checkpoint
    bool is_stopped_ = false;
};

}  // namespace milena::drivers
