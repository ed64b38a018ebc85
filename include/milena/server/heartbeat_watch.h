// SPDX-License-Identifier: Apache-2.0
// Who wants to know that a broker's connection to this controller has gone.
#pragma once

#include "milena/base/ids.h"

namespace milena::server {

class HeartbeatWatch {
public:
    virtual ~HeartbeatWatch() = default;
    /// The connection over which that incarnation sent heartbeats has closed. From any thread.
    virtual void connection_lost(BrokerId broker, BrokerEpoch epoch) = 0;
};

}  // namespace milena::server
