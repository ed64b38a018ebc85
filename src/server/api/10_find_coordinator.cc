// SPDX-License-Identifier: Apache-2.0
// FindCoordinator: who leads the partition that a group is kept in. The topic is made when it is
// first asked for, and the answer then waits until it has its leaders, as that of a Metadata
// request does (docs/deviations.md). Transactional ids and share groups have no coordinator yet:
// COORDINATOR_NOT_AVAILABLE, upon which a client asks again until its own time is over.
#include "milena/protocol/messages/find_coordinator.h"

#include "../api.h"
#include "../image/describing.h"
#include "../image/successors.h"
#include "../internal/internal_topics.h"
#include "../leader_endpoints.h"
#include "milena/coordinator/group_gateway.h"

namespace milena::server {
namespace {

using protocol::FindCoordinatorRequest;
using protocol::FindCoordinatorResponse;
using security::Operation;
using security::ResourceType;

constexpr std::int16_t kFirstBatchedVersion = 4;
constexpr std::int16_t kFirstVersionWithShareGroups = 6;

enum class KeyType : std::int8_t { group = 0, transaction = 1, share = 2 };

bool is_known(std::int8_t type) {
    return type >= static_cast<std::int8_t>(KeyType::group) &&
           type <= static_cast<std::int8_t>(KeyType::share);
}

/// group:topicId:partition, each of them there.
bool is_share_key(std::string_view key) {
    const std::size_t last = key.rfind(':');
    if (last == std::string_view::npos || last == 0) return false;
    const std::size_t first = key.rfind(':', last - 1);
    if (first == std::string_view::npos || first == 0) return false;
    const std::string_view partition = key.substr(last + 1);
    return Uuid::parse(key.substr(first + 1, last - first - 1)).has_value() && !partition.empty() &&
           std::ranges::all_of(partition, [](char digit) { return digit >= '0' && digit <= '9'; });
}

/// None if the key may be looked for.
ErrorCode refuse(const Request& request, KeyType type, std::string_view key) {
    const Session& session = request.session;
    switch (type) {
        case KeyType::group:
            return session.may(Operation::describe, ResourceType::group, key)
                       ? ErrorCode::none
                       : ErrorCode::group_authorization_failed;
        case KeyType::transaction:
            return session.may(Operation::describe, ResourceType::transactional_id, key)
                       ? ErrorCode::none
                       : ErrorCode::transactional_id_authorization_failed;
        case KeyType::share: break;
    }
    if (request.version() < kFirstVersionWithShareGroups) return ErrorCode::invalid_request;
    if (!session.may(Operation::cluster_action, ResourceType::cluster, security::kClusterResource))
        return ErrorCode::cluster_authorization_failed;
    return is_share_key(key) ? ErrorCode::none : ErrorCode::invalid_request;
}

struct Found {
    ErrorCode code = ErrorCode::none;
    BrokerId node = kNoBroker;
    std::string_view host{};
    std::int32_t port = -1;
};

/// The partition that the group is kept in; null if there is none.
const metadata::PartitionRegistration* partition_of(const metadata::Image& image,
                                                    std::string_view group) {
    const auto topic = image.topics->find(kOffsetsTopic);
    if (topic == nullptr) return nullptr;
    return topic->partitions.find(coordinator::coordinator_partition(
        group, static_cast<std::int32_t>(topic->partitions.size())));
}

bool is_one_led_by(const std::vector<BrokerId>& brokers, const metadata::Image& image,
                   std::span<const std::string_view> groups) {
    return std::ranges::any_of(groups, [&](std::string_view group) {
        const auto* const partition = partition_of(image, group);
        return partition != nullptr &&
               std::ranges::find(brokers, partition->leader) != brokers.end();
    });
}

/// The leader of the group's partition. Views the image.
Found find(const Request& request, const metadata::Image& image, std::string_view group) {
    const std::string_view listener = request.session.listener().name;
    const auto* const partition = partition_of(image, group);
    if (partition == nullptr || leader_error(image, *partition, listener) != ErrorCode::none)
        return {.code = ErrorCode::coordinator_not_available};
    const auto* const endpoint =
        endpoint_of(*image.cluster->find_broker(partition->leader), listener);
    return {.node = partition->leader, .host = endpoint->host, .port = endpoint->port};
}

bool may_have_one(const Request& request, std::span<const std::string_view> groups) {
    return std::ranges::any_of(groups, [&](std::string_view group) {
        return refuse(request, KeyType::group, group) == ErrorCode::none;
    });
}

env::Task<void> make_topic(const Request& request) {
    if (request.broker().image.load()->topics->find(kOffsetsTopic) != nullptr) co_return;
    const auto topic = internal_topic(request, kOffsetsTopic);
    co_await create_by_itself(request, std::span(&*topic, 1));
}

/// The keys that are asked for; views of the request.
std::vector<std::string_view> keys_of(const Request& request, const FindCoordinatorRequest& body) {
    if (request.version() < kFirstBatchedVersion) return {body.key};
    return {body.coordinator_keys.begin(), body.coordinator_keys.end()};
}

std::vector<Found> find_all(const Request& request, KeyType type,
                            std::span<const std::string_view> keys, const metadata::Image& image) {
    std::vector<Found> found;
    found.reserve(keys.size());
    for (const std::string_view key : keys) {
        if (const ErrorCode code = refuse(request, type, key); code != ErrorCode::none) {
            found.push_back({.code = code});
        } else if (type != KeyType::group) {
            found.push_back({.code = ErrorCode::coordinator_not_available});
        } else {
            found.push_back(find(request, image, key));
        }
    }
    return found;
}

std::string_view message_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::none: return "NONE";
        case ErrorCode::coordinator_not_available: return "The coordinator is not available.";
        case ErrorCode::group_authorization_failed: return "Group authorization failed.";
        case ErrorCode::transactional_id_authorization_failed:
            return "Transactional Id authorization failed.";
        default: return "The request is not valid.";
    }
}

Result<void> answer_one(Request& request, const Found& found) {
    FindCoordinatorResponse response;
    response.error_code = static_cast<std::int16_t>(found.code);
    response.error_message = message_of(found.code);
    response.node_id = found.node.value;
    response.host = found.host;
    response.port = found.port;
    return answer(request, response);
}

Result<void> answer_batch(Request& request, std::span<const std::string_view> keys,
                          std::span<const Found> found) {
    FindCoordinatorResponse response;
    auto out = request.arena.make_array<FindCoordinatorResponse::Coordinator>(keys.size());
    for (std::size_t i = 0; i < keys.size(); ++i) {
        out[i].key = keys[i];
        out[i].error_code = static_cast<std::int16_t>(found[i].code);
        out[i].error_message = "";
        out[i].node_id = found[i].node.value;
        out[i].host = found[i].host;
        out[i].port = found[i].port;
    }
    response.coordinators = out;
    return answer(request, response);
}

env::Task<Result<void>> serve(Request& request) {
    CO_TRY(const auto body, decode_body<FindCoordinatorRequest>(request));
    const auto keys = keys_of(request, body);
    const bool is_batch = request.version() >= kFirstBatchedVersion;
    std::vector<Found> found(keys.size(), Found{.code = ErrorCode::invalid_request});
    std::shared_ptr<const metadata::Image> image = request.broker().image.load();
    if (is_known(body.key_type)) {
        const auto type = static_cast<KeyType>(body.key_type);
        if (type == KeyType::group) {
            if (may_have_one(request, keys)) co_await make_topic(request);
            co_await await_successors(request, [&](const auto& lost, const auto& of) {
                return is_one_led_by(lost, of, keys);
            });
        }
        image = request.broker().image.load();
        found = find_all(request, type, keys, *image);
    }
    co_return is_batch ? answer_batch(request, keys, found) : answer_one(request, found.front());
}

}  // namespace

Api api_10() {
    return make_api(protocol::ApiKey::find_coordinator, &serve);
}

}  // namespace milena::server
