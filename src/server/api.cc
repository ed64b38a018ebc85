// SPDX-License-Identifier: Apache-2.0
// The table of handlers, in the order of their keys.
#include "api.h"

#include <array>

#include "served_apis.h"

namespace milena::server {

Api make_api(protocol::ApiKey key, env::Task<Result<void>> (*serve)(Request&)) {
    const protocol::Api* const facts = protocol::find_api(static_cast<std::int16_t>(key));
    INVARIANT(facts != nullptr, "a handler for an API that the schema lacks");
    return {.facts = facts, .serve = serve, .advertised_min_version = facts->min_version};
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
