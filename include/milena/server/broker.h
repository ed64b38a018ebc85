// SPDX-License-Identifier: Apache-2.0
// What the request handlers of one node work with. All of it outlives the server and may be used
// from any core.
#pragma once

#include <string>

#include "milena/base/logger.h"
#include "milena/config/broker_config.h"
#include "milena/controller/gateway.h"
#include "milena/coordinator/group_gateway.h"
#include "milena/env/env.h"
#include "milena/replication/replicas.h"
#include "milena/security/authorizer.h"
#include "milena/server/controller_port.h"
#include "milena/server/heartbeat_watch.h"
#include "milena/server/lost_leaders.h"
#include "milena/server/producer_ids.h"
#include "milena/server/quorum_port.h"
#include "milena/server/served_image.h"

namespace milena::server {

struct Broker {
    env::Env& env;
    Logger log;
    const config::BrokerConfig& config;
    std::string cluster_id;
    ServedImage& image;
    replication::Replicas& replicas;
    /// Of what this node's leaders send to throttled followers; null: no limit.
    replication::ReplicationQuota* leader_quota = nullptr;
    /// This node's controller, for what clients ask; the node's own requests go wherever it is.
    controller::Gateway& controller;
    /// Where clients' requests find the active one; null: it is always here.
    ControllerPort* controllers = nullptr;
    /// Null where nobody wants to know.
    HeartbeatWatch* heartbeats = nullptr;
    /// This node's, for requests that other nodes send to it as to the active one; null is the one
    /// above.
    controller::Gateway* own_controller = nullptr;
    ProducerIds& producer_ids;
    const security::Authorizer& authorizer;
    /// Null where no groups are coordinated.
    coordinator::GroupGateway* groups = nullptr;
    /// Null where no other replica may ask.
    QuorumPort* quorum = nullptr;
    /// Null where nobody notices.
    const LostLeaders* lost_leaders = nullptr;
    /// Bytes of requests that all connections together may hold (queued.max.request.bytes, or its
    /// default).
    std::uint64_t request_bytes_max = 0;
};

}  // namespace milena::server
