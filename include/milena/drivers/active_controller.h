// SPDX-License-Identifier: Apache-2.0
// The way to the active controller for what a node says of itself: into this process while it
// decides, else over the network to the quorum's leader. What clients ask of the controller is
// answered by this node's own, NOT_CONTROLLER while it does not decide: drivers/forwarding.h brings
// such requests to where they are answered.
#pragma once

#include "milena/drivers/controller.h"
#include "milena/drivers/quorum.h"
#include "milena/wire/client.h"

namespace milena::drivers {

class LeaderClient;

/// A listener of the quorum, which must be started with it.
class ActiveController final : public controller::Gateway, public QuorumListener {
public:
    /// `local` and `quorum` outlive all calls.
    ActiveController(env::Env& env, BrokerId self, ControllerHost& local, const Quorum& quorum);
    ~ActiveController() override;

    /// What is on its way to another node fails with NOT_CONTROLLER, as whatever comes. On the
    /// control thread.
    void stop();
    /// `heard` is called whenever another node than before leads. On the control thread.
    void when_leader_changes(std::function<void()> heard) { heard_ = std::move(heard); }

    void on_snapshot(const MetadataSnapshot&) override {}
    void on_committed(std::span<const MetadataBatch>) override {}
    void on_leader_change(LeaderEpoch epoch, BrokerId leader, bool is_self) override;
    void on_failed(const Error&) override {}

    env::Task<Result<controller::RegisterBrokerReply>> register_broker(
        controller::RegisterBrokerRequest request, env::Instant deadline) override;
    env::Task<Result<controller::BrokerHeartbeatReply>> heartbeat(
        controller::BrokerHeartbeatRequest request, env::Instant deadline) override;
    env::Task<Result<void>> register_controller(controller::RegisterControllerRequest request,
                                                env::Instant deadline) override;
    env::Task<Result<controller::ProducerIdBlock>> allocate_producer_ids(
        controller::AllocateProducerIdsRequest request, env::Instant deadline) override;

    env::Task<Result<std::vector<controller::AlteredTopic>>> alter_partition(
        controller::AlterPartitionRequest request, env::Instant deadline) override;
    env::Task<Result<std::vector<controller::AssignedReplica>>> assign_replicas(
        controller::AssignReplicasRequest request, env::Instant deadline) override;

    env::Task<Result<controller::CreateTopicsReply>> create_topics(
        controller::CreateTopicsRequest request, env::Instant deadline) override {
        return local_.create_topics(std::move(request), deadline);
    }
    env::Task<Result<std::vector<controller::DeletedTopic>>> delete_topics(
        std::vector<controller::TopicToDelete> topics, env::Instant deadline) override {
        return local_.delete_topics(std::move(topics), deadline);
    }
    env::Task<Result<std::vector<controller::GrownTopic>>> create_partitions(
        controller::CreatePartitionsRequest request, env::Instant deadline) override {
        return local_.create_partitions(std::move(request), deadline);
    }
    env::Task<Result<void>> update_features(controller::UpdateFeaturesRequest request,
                                            env::Instant deadline) override {
        return local_.update_features(std::move(request), deadline);
    }
    env::Task<Result<std::vector<controller::ElectedTopic>>> elect_leaders(
        controller::ElectLeadersRequest request, env::Instant deadline) override {
        return local_.elect_leaders(std::move(request), deadline);
    }
    env::Task<Result<controller::QuorumDescription>> describe_quorum(
        env::Instant deadline) override {
        return local_.describe_quorum(deadline);
    }
    env::Task<Result<std::vector<controller::AlteredResource>>> alter_configs(
        controller::AlterConfigsRequest request, env::Instant deadline) override {
        return local_.alter_configs(std::move(request), deadline);
    }
    env::Task<Result<std::vector<controller::ReassignedTopic>>> alter_reassignments(
        controller::ReassignmentsRequest request, env::Instant deadline) override {
        return local_.alter_reassignments(std::move(request), deadline);
    }
    env::Task<Result<void>> unregister_broker(BrokerId broker, env::Instant deadline) override {
        return local_.unregister_broker(broker, deadline);
    }

private:
    bool is_here() const { return local_.is_active(); }
    template <class Answer, class Message>
    env::Task<Result<wire::Answer<Answer>>> call(const Message& message);

    env::Task<Result<controller::RegisterBrokerReply>> on_control(
        controller::RegisterBrokerRequest request, env::Instant deadline);
    env::Task<Result<controller::BrokerHeartbeatReply>> on_control(
        controller::BrokerHeartbeatRequest request, env::Instant deadline);
    env::Task<Result<void>> on_control(controller::RegisterControllerRequest request,
                                       env::Instant deadline);
    env::Task<Result<controller::ProducerIdBlock>> on_control(
        controller::AllocateProducerIdsRequest request, env::Instant deadline);
    env::Task<Result<std::vector<controller::AlteredTopic>>> on_control(
        controller::AlterPartitionRequest request, env::Instant deadline);
    env::Task<Result<std::vector<controller::AssignedReplica>>> on_control(
        controller::AssignReplicasRequest request, env::Instant deadline);

    env::Env& env_;
    ControllerHost& local_;
    std::unique_ptr<LeaderClient> leader_;
    std::function<void()> heard_;
};

}  // namespace milena::drivers
