// SPDX-License-Identifier: Apache-2.0
// Asks other brokers how far the partitions that they lead can be read: ListOffsets, as a consumer
// would. A connection lives as long as something is asked of its broker. Of one executor.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>

#include "leader_questions.h"
#include "milena/base/logger.h"
#include "milena/protocol/messages/list_offsets.h"
#include "milena/telemetry/counter.h"
#include "milena/wire/client.h"

namespace milena::drivers {

/// Counted by the executor, read by any thread.
struct RemoteEndsCounters {
    telemetry::Counter requests;
    telemetry::Counter failures;  ///< requests that were not answered
};

struct RemoteEndsParts {
    env::Env& env;
    env::Executor owner;
    Logger log;
    BrokerId self;
    env::Duration answer_time;
    RemoteEndsCounters& counters;
    /// Hears of ends, in the compute pool.
    std::function<void(const std::string& topic, Uuid id, std::span<const SeenEnd>)> told;
};

class RemoteEnds {
public:
    explicit RemoteEnds(RemoteEndsParts parts);

    struct Leader {
        env::Endpoint endpoint;
        std::vector<AskedEnds> partitions;  ///< in the order of names and partitions
    };
    /// Begins to ask those that may be asked. Whoever is not among them is forgotten.
    void round(const std::map<BrokerId, Leader>& leaders);
    /// Nobody is asked any more, and nothing is heard.
    env::Task<void> stop();

private:
    struct Remote {
        LeaderQuestions questions;
        env::Endpoint endpoint;
        std::unique_ptr<wire::Client> client;
    };
    using Response = protocol::ListOffsetsResponse;

    std::unique_ptr<wire::Client> connect(const env::Endpoint& endpoint) const;
    env::Task<void> ask(BrokerId leader, std::shared_ptr<Remote> remote,
                        std::vector<AskedEnds> asked);
    void take(const Response& answer, const std::vector<AskedEnds>& asked) const;

    const RemoteEndsParts parts_;
    std::map<BrokerId, std::shared_ptr<Remote>> remotes_;
    env::Wakeup ended_;
    int asking_ = 0;
    bool is_stopped_ = false;
};

}  // namespace milena::drivers
