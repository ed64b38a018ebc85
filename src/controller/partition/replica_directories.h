// SPDX-License-Identifier: Apache-2.0
// A broker says in which of its log directories replicas lie (AssignReplicasToDirs, KIP-858).
#pragma once

#include "view.h"

namespace milena::controller {

using AssignReplicasReply = Result<std::vector<AssignedReplica>>;

/// UNSUPPORTED_VERSION if the metadata has no directories, STALE_BROKER_EPOCH if the broker is
/// another incarnation. Of one replica: UNKNOWN_TOPIC_ID, UNKNOWN_TOPIC_OR_PARTITION,
/// NOT_LEADER_OR_FOLLOWER if the broker has no replica of that partition; REQUEST_TIMED_OUT beyond
/// what one decision may write: ask again. A replica in a directory that is not online does not
/// lead and is not in sync any more.
Decision<AssignReplicasReply> assign_replicas(const View& view,
                                              const AssignReplicasRequest& request);

}  // namespace milena::controller
