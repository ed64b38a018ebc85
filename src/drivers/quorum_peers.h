// SPDX-License-Identifier: Apache-2.0
// Connections to the other replicas of the metadata quorum, one each, made when something is to be
// said. On the control thread.
#pragma once

#include <expected>
#include <map>
#include <memory>

#include "milena/base/logger.h"
#include "milena/env/env.h"
#include "milena/raft/voter_wire.h"
#include "milena/wire/client.h"

namespace milena::drivers {

struct QuorumPeersOptions {
    BrokerId self = kNoBroker;
    std::string cluster_id;
    env::Duration request_timeout = std::chrono::seconds(2);
    std::uint32_t fetch_bytes_max = 1 << 20;
    std::uint32_t snapshot_bytes_max = 1 << 20;
};

class QuorumPeers {
public:
    QuorumPeers(env::Env& env, Logger logger, QuorumPeersOptions options);

    struct Refusal {
        Error why;
        /// Nobody listens where the replica is to be: its process is gone.
        bool is_gone = false;
    };
    struct Heard {
        /// Of the request's kind.
        raft::Response response;
        /// Where the leader that the response names is reached, if it says so.
        std::optional<raft::LeaderNode> leader;
    };
    using Answer = std::expected<Heard, Refusal>;

    /// The answer of replica `to` at `endpoint`. While it can't be reached, tries are apart by a
    /// pause that grows; in between the answer is a refusal at once. `own_endpoints` are told to it
    /// where it is told who leads.
    env::Task<Answer> ask(BrokerId to, const env::Endpoint& endpoint, const raft::Request& request,
                          const std::vector<raft::VoterEndpoint>& own_endpoints);
    /// It will not be asked soon again.
    void forget(BrokerId to) { peers_.erase(to); }
    /// Whatever is on its way fails.
    void close();

private:
    struct Peer {
        env::Endpoint endpoint;
        std::unique_ptr<wire::Client> client;
        env::Duration pause{};
        env::Instant not_before{};
        bool is_lost = false;  ///< the log has been told
    };

    std::shared_ptr<Peer> peer_of(BrokerId id, const env::Endpoint& endpoint);
    Answer settle(Peer& peer, BrokerId id, Result<Heard> result);

    env::Env& env_;
    Logger log_;
    const QuorumPeersOptions options_;
    /// Shared with who asks: a replica that moves gets another.
    std::map<BrokerId, std::shared_ptr<Peer>> peers_;
    bool closed_ = false;
};

}  // namespace milena::drivers
