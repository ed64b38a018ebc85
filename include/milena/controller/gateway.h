// SPDX-License-Identifier: Apache-2.0
// The way to the active controller, for those who do not care where it is: in this process, or
// another node's. Call it from any executor; the answer comes back to the caller's.
//
// NOT_CONTROLLER means that it is not known, or was lost before the answer was certain: what was
// asked may or may not have happened; ask again. REQUEST_TIMED_OUT means that the deadline came
// first, and the same holds.
#pragma once

#include "milena/controller/requests.h"
#include "milena/env/clock.h"
#include "milena/env/task.h"

namespace milena::controller {

class Gateway {
public:
    virtual ~Gateway() = default;

    /// Answered when the topics are committed and this node's published image holds them.
    virtual env::Task<Result<CreateTopicsReply>> create_topics(CreateTopicsRequest request,
                                                               env::Instant deadline) = 0;
    /// In no promised order. Answered when it is committed and this node's published image shows
    /// it.
    virtual env::Task<Result<std::vector<DeletedTopic>>> delete_topics(
        std::vector<TopicToDelete> topics, env::Instant deadline) = 0;
    virtual env::Task<Result<std::vector<GrownTopic>>> create_partitions(
        CreatePartitionsRequest request, env::Instant deadline) = 0;
    virtual env::Task<Result<void>> update_features(UpdateFeaturesRequest request,
                                                    env::Instant deadline) = 0;
    virtual env::Task<Result<std::vector<ElectedTopic>>> elect_leaders(ElectLeadersRequest request,
                                                                       env::Instant deadline) = 0;
    virtual env::Task<Result<QuorumDescription>> describe_quorum(env::Instant deadline) = 0;
    /// In the order of the resources. Answered when it is committed and this node's published image
    /// shows it.
    virtual env::Task<Result<std::vector<AlteredResource>>> alter_configs(
        AlterConfigsRequest request, env::Instant deadline) = 0;
    virtual env::Task<Result<RegisterBrokerReply>> register_broker(RegisterBrokerRequest request,
                                                                   env::Instant deadline) = 0;
    virtual env::Task<Result<BrokerHeartbeatReply>> heartbeat(BrokerHeartbeatRequest request,
                                                              env::Instant deadline) = 0;
    virtual env::Task<Result<std::vector<AlteredTopic>>> alter_partition(
        AlterPartitionRequest request, env::Instant deadline) = 0;
    virtual env::Task<Result<std::vector<AssignedReplica>>> assign_replicas(
        AssignReplicasRequest request, env::Instant deadline) = 0;
    /// In the order of the request. Answered when it is committed and this node's published image
    /// shows it.
    virtual env::Task<Result<std::vector<ReassignedTopic>>> alter_reassignments(
        ReassignmentsRequest request, env::Instant deadline) = 0;
    virtual env::Task<Result<void>> unregister_broker(BrokerId broker, env::Instant deadline) = 0;
    virtual env::Task<Result<void>> register_controller(RegisterControllerRequest request,
                                                        env::Instant deadline) = 0;
    virtual env::Task<Result<ProducerIdBlock>> allocate_producer_ids(
        AllocateProducerIdsRequest request, env::Instant deadline) = 0;
};

}  // namespace milena::controller
