// SPDX-License-Identifier: Apache-2.0
// The table of handlers, in the order of their keys.
#include "api.h"

#include <algorithm>
#include <array>

#include "served_apis.h"

namespace milena::server {
namespace {

using protocol::ApiKey;

/// What Kafka's brokers forward to the active controller.
constexpr std::array kForwarded = {
    ApiKey::create_topics,
    ApiKey::delete_topics,
    ApiKey::create_acls,
    ApiKey::delete_acls,
    ApiKey::alter_configs,
    ApiKey::create_partitions,
    ApiKey::create_delegation_token,
    ApiKey::renew_delegation_token,
    ApiKey::expire_delegation_token,
    ApiKey::elect_leaders,
    ApiKey::incremental_alter_configs,
    ApiKey::alter_partition_reassignments,
    ApiKey::list_partition_reassignments,
    ApiKey::alter_client_quotas,
    ApiKey::alter_user_scram_credentials,
    ApiKey::describe_quorum,
    ApiKey::update_features,
    ApiKey::unregister_broker,
    ApiKey::allocate_producer_ids,
    ApiKey::add_raft_voter,
    ApiKey::remove_raft_voter,
    ApiKey::unregister_controller,
};

bool is_forwarded(ApiKey key) {
    return std::ranges::find(kForwarded, key) != kForwarded.end();
}

Answered answered(ApiKey key) {
    switch (key) {
        // What the broker itself must judge is judged there, and the rest sent on.
        case ApiKey::alter_configs:
        case ApiKey::incremental_alter_configs: return Answered::here_with_controller;
        // It is told from the image, which every node has.
        case ApiKey::list_partition_reassignments: return Answered::here;
        default: return is_forwarded(key) ? Answered::by_controller : Answered::here;
    }
}

}  // namespace

Api make_api(protocol::ApiKey key, env::Task<Result<void>> (*serve)(Request&)) {
    const protocol::Api* const facts = protocol::find_api(static_cast<std::int16_t>(key));
    INVARIANT(facts != nullptr, "a handler for an API that the schema lacks");
    return {.facts = facts,
            .serve = serve,
            .advertised_min_version = facts->min_version,
            .may_be_forwarded = is_forwarded(key),
            .answered = answered(key)};
}

std::span<const Api> served_apis() {
    static const std::array apis = {MILENA_SERVED_APIS};
    return apis;
}

const Api* find_api(std::int16_t key) {
    for (const Api& api : served_apis()) {
        if (static_cast<std::int16_t>(api.facts->key) == key) return &api;
    }
    return nullptr;
}

}  // namespace milena::server
