// SPDX-License-Identifier: Apache-2.0
// What a node as a whole shows: its stage, the cluster as its image has it, its part in the quorum.
#pragma once

#include "health.h"
#include "milena/drivers/controller.h"
#include "milena/drivers/quorum.h"
#include "milena/drivers/snapshots.h"
#include "milena/metadata/image.h"
#include "milena/telemetry/page.h"

namespace milena::node {

/// kafka.server KafkaServer BrokerState, and how far a recovery has come.
void write_health(telemetry::Page& page, const Health& health);
/// kafka.server raft-metrics and, of the active controller, kafka.controller KafkaController
/// ActiveControllerCount.
void write_quorum(telemetry::Page& page, const drivers::QuorumStatus& status, bool is_active);
/// kafka.server SnapshotEmitter, and how many snapshots MetadataLoader has loaded.
void write_snapshots(telemetry::Page& page, const drivers::SnapshotFigures& figures);
/// kafka.controller KafkaController, what the active controller alone knows of brokers.
void write_brokers(telemetry::Page& page, const drivers::BrokerFigures& figures);
/// kafka.controller KafkaController's counts and kafka.server MetadataLoader's levels. Looks at
/// every partition of the cluster.
void write_image(telemetry::Page& page, const metadata::Image& image);

}  // namespace milena::node
