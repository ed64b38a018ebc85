// SPDX-License-Identifier: Apache-2.0
// Plain structs to messages, and the answers back.
#include "milena/drivers/active_controller.h"

#include "leader_client.h"
#include "milena/protocol/messages/allocate_producer_ids.h"
#include "milena/protocol/messages/broker_heartbeat.h"
#include "milena/protocol/messages/broker_registration.h"
#include "milena/protocol/messages/controller_registration.h"
#include "to_controller/partition_messages.h"

namespace milena::drivers {

namespace {

/// Whoever asks tries again, and by then there may be another controller.
constexpr env::Duration kAnswerTime = std::chrono::seconds(2);

template <class Listener>
std::vector<Listener> listeners_of(const std::vector<metadata::BrokerEndpoint>& endpoints) {
    std::vector<Listener> out;
    for (const auto& one : endpoints)
        out.push_back({one.listener, one.host, one.port, one.security_protocol});
    return out;
}

template <class Feature>
std::vector<Feature> features_of(const std::map<std::string, metadata::VersionRange>& features) {
    std::vector<Feature> out;
    for (const auto& [name, range] : features) out.push_back({name, range.min, range.max});
    return out;
}

/// The error that an answer carries.
template <class Answer>
Result<void> check(const Answer& answer) {
    const auto code = static_cast<ErrorCode>(answer.error_code);
    if (code == ErrorCode::none) return ok();
    return fail(code, "the active controller refused it");
}

}  // namespace

ActiveController::ActiveController(env::Env& env, BrokerId self, ControllerHost& local,
                                   const Quorum& quorum)
    : env_(env),
      local_(local),
      leader_(std::make_unique<LeaderClient>(env, self, quorum, kAnswerTime)) {}

ActiveController::~ActiveController() = default;

void ActiveController::stop() {
    leader_->close();
}

void ActiveController::on_leader_change(LeaderEpoch, BrokerId leader, bool) {
    leader_->leads(leader);
    if (leader != kNoBroker && heard_) heard_();
}

template <class Answer, class Message>
env::Task<Result<wire::Answer<Answer>>> ActiveController::call(const Message& message) {
    CO_TRY(const auto to, leader_->remote());
    auto answer = co_await to->client.call<Answer>(wire::Target::any(), message);
    if (!answer) co_return fail(ErrorCode::not_controller, std::move(answer).error().why);
    CO_TRY_VOID(check(**answer));
    co_return answer;
}

env::Task<Result<controller::RegisterBrokerReply>> ActiveController::register_broker(
    controller::RegisterBrokerRequest request, env::Instant deadline) {
    return env::run_on(env_.control(), on_control(std::move(request), deadline));
}
env::Task<Result<controller::BrokerHeartbeatReply>> ActiveController::heartbeat(
    controller::BrokerHeartbeatRequest request, env::Instant deadline) {
    return env::run_on(env_.control(), on_control(std::move(request), deadline));
}
env::Task<Result<void>> ActiveController::register_controller(
    controller::RegisterControllerRequest request, env::Instant deadline) {
    return env::run_on(env_.control(), on_control(std::move(request), deadline));
}
env::Task<Result<controller::ProducerIdBlock>> ActiveController::allocate_producer_ids(
    controller::AllocateProducerIdsRequest request, env::Instant deadline) {
    return env::run_on(env_.control(), on_control(request, deadline));
}

env::Task<Result<std::vector<controller::AlteredTopic>>> ActiveController::alter_partition(
    controller::AlterPartitionRequest request, env::Instant deadline) {
    return env::run_on(env_.control(), on_control(std::move(request), deadline));
}
env::Task<Result<std::vector<controller::AssignedReplica>>> ActiveController::assign_replicas(
    controller::AssignReplicasRequest request, env::Instant deadline) {
    return env::run_on(env_.control(), on_control(std::move(request), deadline));
}

env::Task<Result<controller::RegisterBrokerReply>> ActiveController::on_control(
    controller::RegisterBrokerRequest request, env::Instant deadline) {
    if (is_here()) co_return co_await local_.register_broker(std::move(request), deadline);
    using Wire = protocol::BrokerRegistrationRequest;
    const auto listeners = listeners_of<Wire::Listener>(request.endpoints);
    const auto features = features_of<Wire::Feature>(request.features);
    Wire wire;
    wire.broker_id = request.id.value;
    wire.cluster_id = request.cluster_id;
    wire.incarnation_id = request.incarnation_id;
    wire.listeners = listeners;
    wire.features = features;
    wire.rack = request.rack ? protocol::NullableString(*request.rack) : protocol::NullableString();
    wire.log_dirs = request.log_directories;
    wire.previous_broker_epoch = request.previous_epoch.value;
    CO_TRY(const auto answer, co_await call<protocol::BrokerRegistrationResponse>(wire));
    co_return controller::RegisterBrokerReply{BrokerEpoch(answer->broker_epoch)};
}

env::Task<Result<controller::BrokerHeartbeatReply>> ActiveController::on_control(
    controller::BrokerHeartbeatRequest request, env::Instant deadline) {
    if (is_here()) co_return co_await local_.heartbeat(std::move(request), deadline);
    protocol::BrokerHeartbeatRequest wire;
    wire.broker_id = request.id.value;
    wire.broker_epoch = request.epoch.value;
    wire.current_metadata_offset = request.metadata_offset.value;
    wire.want_fence = request.want_fence;
    wire.want_shut_down = request.want_shutdown;
    wire.offline_log_dirs = request.offline_log_directories;
    if (request.cordoned_log_directories)
        wire.cordoned_log_dirs = *request.cordoned_log_directories;
    CO_TRY(const auto answer, co_await call<protocol::BrokerHeartbeatResponse>(wire));
    co_return controller::BrokerHeartbeatReply{.is_caught_up = answer->is_caught_up,
                                               .is_fenced = answer->is_fenced,
                                               .should_shut_down = answer->should_shut_down};
}

env::Task<Result<void>> ActiveController::on_control(controller::RegisterControllerRequest request,
                                                     env::Instant deadline) {
    if (is_here()) co_return co_await local_.register_controller(std::move(request), deadline);
    using Wire = protocol::ControllerRegistrationRequest;
    const auto listeners = listeners_of<Wire::Listener>(request.endpoints);
    const auto features = features_of<Wire::Feature>(request.features);
    Wire wire;
    wire.controller_id = request.id.value;
    wire.incarnation_id = request.incarnation_id;
    wire.listeners = listeners;
    wire.features = features;
    CO_TRY_VOID(co_await call<protocol::ControllerRegistrationResponse>(wire));
    co_return ok();
}

env::Task<Result<controller::ProducerIdBlock>> ActiveController::on_control(
    controller::AllocateProducerIdsRequest request, env::Instant deadline) {
    if (is_here()) co_return co_await local_.allocate_producer_ids(request, deadline);
    protocol::AllocateProducerIdsRequest wire;
    wire.broker_id = request.broker.value;
    wire.broker_epoch = request.epoch.value;
    CO_TRY(const auto answer, co_await call<protocol::AllocateProducerIdsResponse>(wire));
    co_return controller::ProducerIdBlock{answer->producer_id_start, answer->producer_id_len};
}

env::Task<Result<std::vector<controller::AlteredTopic>>> ActiveController::on_control(
    controller::AlterPartitionRequest request, env::Instant deadline) {
    if (is_here()) co_return co_await local_.alter_partition(std::move(request), deadline);
    protocol::Arena arena;
    const auto wire = to_wire(arena, request);
    CO_TRY(const auto answer, co_await call<protocol::AlterPartitionResponse>(wire));
    co_return from_wire(*answer);
}

env::Task<Result<std::vector<controller::AssignedReplica>>> ActiveController::on_control(
    controller::AssignReplicasRequest request, env::Instant deadline) {
    if (is_here()) co_return co_await local_.assign_replicas(std::move(request), deadline);
    protocol::Arena arena;
    const auto wire = to_wire(arena, request);
    CO_TRY(const auto answer, co_await call<protocol::AssignReplicasToDirsResponse>(wire));
    co_return from_wire(*answer);
}

}  // namespace milena::drivers
