// SPDX-License-Identifier: Apache-2.0
// How far a node's life has come, for /healthz and the BrokerState metric. Written by the node,
// read by any thread.
#pragma once

#include <functional>
#include <string>
#include <string_view>

#include "milena/env/guarded.h"
#include "milena/replication/replicas.h"

namespace milena::node {

/// The numbers are those of Kafka's BrokerState.
enum class LifeStage : int {
    starting = 1,
    recovering = 2,  ///< logs are being opened
    ready = 3,       ///< clients are served
    stopping = 6,
};

/// "starting", "recovering", …
std::string_view life_stage_name(LifeStage stage);

class Health {
public:
    using Progress = replication::Replicas::OpenProgress;

    void become(LifeStage stage);
    /// How far opening the logs has come is asked from now on; called from any thread.
    void watch_recovery(std::function<Progress()> progress);

    LifeStage stage() const;
    Progress progress() const;
    /// One JSON object: {"status":"recovering","logs_opened":3,"logs_total":10}.
    std::string json() const;

private:
    struct State {
        LifeStage stage = LifeStage::starting;
        std::function<Progress()> progress;
    };
    env::Guarded<State> state_;
};

}  // namespace milena::node
