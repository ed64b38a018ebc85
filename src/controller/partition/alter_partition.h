// SPDX-License-Identifier: Apache-2.0
// Leaders propose who is in sync (AlterPartition, KIP-497, KIP-841, KIP-903); the controller checks
// that they speak of the partition as it is, and that those who are to be in sync may be. A move of
// replicas that the new set completes is completed.
#pragma once

#include "view.h"

namespace milena::controller {

using AlterPartitionReply = Result<std::vector<AlteredTopic>>;

/// In the order of the request. STALE_BROKER_EPOCH if the broker is another incarnation. Of one
/// partition: UNKNOWN_TOPIC_ID; UNKNOWN_TOPIC_OR_PARTITION; NOT_CONTROLLER if the leader knows a
/// later state, so that another controller decides by now; FENCED_LEADER_EPOCH;
/// INVALID_UPDATE_VERSION if the partition has changed since; INVALID_REQUEST; INELIGIBLE_REPLICA
/// if one that is to be in sync is fenced, on its way out, or another incarnation;
/// NEW_LEADER_ELECTED if the sender does not lead any more once the change is made;
/// REQUEST_TIMED_OUT beyond what one decision may write: ask again.
Decision<AlterPartitionReply> alter_partition(const View& view,
                                              const AlterPartitionRequest& request);

/// STALE_BROKER_EPOCH if that broker, in that epoch, is not one of the cluster.
Result<const metadata::BrokerRegistration*> check_broker_epoch(const View& view, BrokerId id,
                                                               BrokerEpoch epoch);

}  // namespace milena::controller
