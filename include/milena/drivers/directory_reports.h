// SPDX-License-Identifier: Apache-2.0
// Tells the active controller in which log directory this broker's replicas lie, where the metadata
// has it otherwise (AssignReplicasToDirs, KIP-858): a broker chooses the directory of a replica
// itself when the controller can't know it. On the control thread.
//
//   note() ──► waiting, the newest word on each replica ──► one request at a time ──► refused:
//   again
#pragma once

#include <map>
#include <span>

#include "milena/base/logger.h"
#include "milena/controller/gateway.h"
#include "milena/env/env.h"
#include "milena/replication/replicas.h"

namespace milena::drivers {

class DirectoryReports {
public:
    DirectoryReports(env::Env& env, Logger log, BrokerId self, controller::Gateway& controller);

    /// Of the replicas of these topics `misplaced` lie elsewhere than the metadata says, and no
    /// others. May be called before start().
    void note(std::span<const Uuid> topics, std::span<const replication::PlacedReplica> misplaced);

    /// Reports in the background, as this incarnation of the broker.
    void start(BrokerEpoch epoch);
    env::Task<void> stop();

    /// Replicas of one request.
    static constexpr std::size_t kReplicasMax = 2250;

private:
    struct Key {
        Uuid topic;
        PartitionIndex partition;
        auto operator<=>(const Key&) const = default;
    };

    env::Task<void> run();
    controller::AssignReplicasRequest next_request() const;
    void settle(const std::vector<controller::AssignedReplica>& told);

    env::Env& env_;
    Logger log_;
    BrokerId self_;
    controller::Gateway& controller_;
    BrokerEpoch epoch_{-1};
    /// As many as this broker has replicas, at most.
    std::map<Key, Uuid> waiting_;
    env::Wakeup work_;
    env::Wakeup pause_;  ///< cut short by stop() alone
    env::Wakeup ended_;
    bool stopping_ = false;
    bool running_ = false;
};

}  // namespace milena::drivers
