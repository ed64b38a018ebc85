// SPDX-License-Identifier: Apache-2.0
// Carries the in-sync sets that this broker's leaders ask for to the controller (AlterPartition),
// many in one request, one request at a time; and looks now and then for followers that lag. On the
// control thread.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "milena/base/logger.h"
#include "milena/controller/gateway.h"
#include "milena/env/env.h"
#include "milena/replication/replicas.h"
#include "milena/telemetry/counter.h"
#include "milena/telemetry/page.h"

namespace milena::drivers {

struct IsrChangesOptions {
    BrokerId self;
    /// Of this process, once it is registered.
    std::function<BrokerEpoch()> epoch;
    /// Half of replica.lag.time.max.ms.
    env::Duration check_interval = std::chrono::seconds(15);
    env::Duration answer_time = std::chrono::seconds(10);
};

class IsrChanges {
public:
    /// All outlive stop().
    IsrChanges(env::Env& env, Logger log, replication::Replicas& replicas,
               controller::Gateway& controller, IsrChangesOptions options);

    void start();
    env::Task<void> stop();

    /// kafka.server ReplicaManager's rates of changes; from any thread.
    void write_metrics(telemetry::Page& page) const;

private:
    /// A proposal that is on its way.
    struct Asked {
        std::shared_ptr<replication::Partition> partition;
        replication::IsrProposal proposal;
        std::size_t members_before = 0;
    };

    /// A partition whose last proposal was refused because of a replica, and how often in a row.
    struct Refused {
        std::weak_ptr<replication::Partition> partition;
        int times = 0;
    };

    env::Task<void> run();
    /// What is due; all leaders are looked at if `looks_at_all`.
    env::Task<std::vector<Asked>> gather(bool looks_at_all);
    void note_refused(const std::shared_ptr<replication::Partition>& partition);
    env::Task<void> ask(std::vector<Asked> asked);
    /// False if some are to be asked again soon.
    bool take(const std::vector<Asked>& asked, const std::vector<controller::AlteredTopic>& answer);
    bool take(const Asked& asked, const controller::AlteredPartition& answer);

    env::Env& env_;
    Logger log_;
    replication::Replicas& replicas_;
    controller::Gateway& controller_;
    const IsrChangesOptions options_;
    env::Wakeup work_;
    env::Wakeup rest_;  ///< after a failure; cut short by stop() alone
    env::Wakeup ended_;
    env::Duration pause_{};
    telemetry::Counter shrinks_;
    telemetry::Counter expands_;
    telemetry::Counter failures_;
    /// Asked for again after the pause: the replica is fenced for a moment only, as a rule.
    std::map<std::pair<Uuid, PartitionIndex>, Refused> refused_;
    bool stopping_ = false;
    bool running_ = false;
};

}  // namespace milena::drivers
