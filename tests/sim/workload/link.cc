// SPDX-License-Identifier: Apache-2.0
// Who leads is asked anew for each connection; nothing is remembered of servers that are gone.
#include "sim/workload/link.h"

#include <array>

#include "milena/protocol/messages/find_coordinator.h"
#include "milena/protocol/messages/metadata.h"

namespace milena::sim {
namespace {

using protocol::MetadataRequest;
using protocol::MetadataResponse;

constexpr env::Duration kConnectTimeout = std::chrono::seconds(2);
constexpr std::int16_t kMetadataVersion = 12;
constexpr std::int16_t kFindCoordinatorVersion = 4;

std::optional<Link::Leader> leader_in(const MetadataResponse& response, std::int32_t partition) {
    for (const auto& topic : response.topics) {
        if (topic.error_code != 0) return std::nullopt;
        for (const auto& one : topic.partitions) {
            if (one.partition_index != partition || one.error_code != 0) continue;
            for (const auto& broker : response.brokers) {
                if (broker.node_id != one.leader_id) continue;
                return Link::Leader{
                    {std::string(broker.host), static_cast<std::uint16_t>(broker.port)},
                    one.leader_epoch};
            }
        }
    }
    return std::nullopt;
}

}  // namespace

bool may_be_refused_with(ErrorCode error) {
    switch (error) {
        case ErrorCode::leader_not_available:
        case ErrorCode::not_leader_or_follower:
        case ErrorCode::fenced_leader_epoch:
        case ErrorCode::unknown_leader_epoch:
        case ErrorCode::request_timed_out:
        case ErrorCode::not_enough_replicas:
        case ErrorCode::not_enough_replicas_after_append:
        case ErrorCode::kafka_storage_error: return true;
        default: return false;
    }
}

env::Task<support::Client*> Link::ready(const Place* place) {
    if (client_ != nullptr) co_return client_.get();
    if (!co_await connect_to_bootstrap()) co_return nullptr;
    if (place == nullptr) co_return client_.get();
    const auto leader = co_await leader_of(*place);
    if (!leader) {
        drop();
        co_return nullptr;
    }
    leader_epoch_ = leader->epoch;
    co_await connect(leader->endpoint);
    co_return client_.get();
}

env::Task<support::Client*> Link::ready_for_group(std::string_view group) {
    if (client_ != nullptr) co_return client_.get();
    if (!co_await connect_to_bootstrap()) co_return nullptr;
    const auto coordinator = co_await coordinator_of(group);
    if (!coordinator) {
        drop();
        co_return nullptr;
    }
    co_await connect(*coordinator);
    co_return client_.get();
}

env::Task<bool> Link::connect_to_bootstrap() {
    co_return co_await connect(bootstrap_[next_bootstrap_++ % bootstrap_.size()]);
}

env::Task<bool> Link::connect(env::Endpoint to) {
    if (client_ != nullptr && at_.host == to.host && at_.port == to.port) co_return true;
    client_.reset();
    auto stream =
        co_await machine_.network().connect(to, machine_.core(0), now() + kConnectTimeout);
    if (!stream) co_return false;
    client_ = std::make_unique<support::Client>(std::move(*stream));
    at_ = to;
    server_ = to.host;
    co_return true;
}

env::Task<std::optional<Link::Leader>> Link::leader_of(const Place& place) {
    MetadataRequest request;
    std::array<MetadataRequest::MetadataRequestTopic, 1> topics;
    topics[0].name = place.topic;
    request.topics = topics;
    request.allow_auto_topic_creation = false;
    const auto response = co_await call<MetadataResponse>(request, kMetadataVersion);
    if (!response) co_return std::nullopt;
    const auto code = static_cast<ErrorCode>(response->topics[0].error_code);
    // Whoever answers knows what was made before it started.
    if (code != ErrorCode::none && !may_be_refused_with(code))
        complain("I14", fmt::format("{} is said to be {}", place.topic, error_name(code)));
    co_return leader_in(*response, place.partition);
}

env::Task<std::optional<env::Endpoint>> Link::coordinator_of(std::string_view group) {
    protocol::FindCoordinatorRequest request;
    const std::array keys{group};
    request.coordinator_keys = keys;
    const auto response =
        co_await call<protocol::FindCoordinatorResponse>(request, kFindCoordinatorVersion);
    if (!response || response->coordinators.empty()) co_return std::nullopt;
    const auto& found = response->coordinators[0];
    const auto code = static_cast<ErrorCode>(found.error_code);
    if (code == ErrorCode::none) {
        co_return env::Endpoint{std::string(found.host), static_cast<std::uint16_t>(found.port)};
    }
    if (code != ErrorCode::coordinator_not_available)
        complain("I18", fmt::format("the coordinator of {} is {}", group, error_name(code)));
    co_return std::nullopt;
}

env::Task<void> Link::watch() {
    for (;;) {
        co_await machine_.sleep(machine_.core(0), kRequestTimeout / 4);
        if (client_ == nullptr || waiting_since_ == env::kNever) continue;
        if (now() - waiting_since_ > kRequestTimeout) client_->close();
    }
}

}  // namespace milena::sim
