// SPDX-License-Identifier: Apache-2.0
// For requests that no controller is needed for: whoever asks one hears that there is none.
#pragma once

#include "milena/controller/gateway.h"

namespace milena::controller {

class NoGateway : public Gateway {
public:
    env::Task<Result<CreateTopicsReply>> create_topics(CreateTopicsRequest, env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<std::vector<DeletedTopic>>> delete_topics(std::vector<TopicToDelete>,
                                                               env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<std::vector<GrownTopic>>> create_partitions(CreatePartitionsRequest,
                                                                 env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<void>> update_features(UpdateFeaturesRequest, env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<std::vector<ElectedTopic>>> elect_leaders(ElectLeadersRequest,
                                                               env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<QuorumDescription>> describe_quorum(env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<std::vector<AlteredResource>>> alter_configs(AlterConfigsRequest,
                                                                  env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<RegisterBrokerReply>> register_broker(RegisterBrokerRequest,
                                                           env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<BrokerHeartbeatReply>> heartbeat(BrokerHeartbeatRequest,
                                                      env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<std::vector<AlteredTopic>>> alter_partition(AlterPartitionRequest,
                                                                 env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<std::vector<AssignedReplica>>> assign_replicas(AssignReplicasRequest,
                                                                    env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<std::vector<ReassignedTopic>>> alter_reassignments(ReassignmentsRequest,
                                                                        env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<void>> unregister_broker(BrokerId, env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<void>> register_controller(RegisterControllerRequest, env::Instant) override {
        co_return nobody();
    }
    env::Task<Result<ProducerIdBlock>> allocate_producer_ids(AllocateProducerIdsRequest,
                                                             env::Instant) override {
        co_return nobody();
    }

private:
    static std::unexpected<Error> nobody() { return fail(ErrorCode::not_controller, {}); }
};

}  // namespace milena::controller
