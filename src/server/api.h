// SPDX-License-Identifier: Apache-2.0
// The APIs that this server serves. Each has one file in api/, NN_name.cc after its number, that
// defines api_NN(); the build makes the table from the files that are there, and ApiVersions tells
// clients just these.
#pragma once

#include <cstdint>
#include <span>

#include "request.h"

namespace milena::server {

/// Where a request of a broker's client is answered.
enum class Answered : std::uint8_t {
    /// On the broker that was asked.
    here,
    /// There, with what only the active controller may decide asked of it (see forwarding).
    here_with_controller,
    /// On the active controller's node, whichever broker was asked (KIP-590).
    by_controller,
};

struct Api {
    /// Key, versions and listeners, as the schema has them.
    const protocol::Api* facts = nullptr;
    env::Task<Result<void>> (*serve)(Request&) = nullptr;
    /// May be served while an earlier answer is still awaited.
    bool overtakes = false;
    /// The lowest version that clients are told, where it is not the lowest that is served.
    std::int16_t advertised_min_version = 0;
    /// What Kafka's brokers forward, a broker may send to the controller inside an Envelope.
    bool may_be_forwarded = false;
    Answered answered = Answered::here;

    bool on(bool controller_listener) const {
        return controller_listener ? facts->on_controller : facts->on_broker;
    }
    bool serves(std::int16_t version) const {
        return version >= facts->min_version && version <= facts->max_stable_version;
    }
};

/// In the order of their keys.
std::span<const Api> served_apis();
/// Null if the key is not served.
const Api* find_api(std::int16_t key);

/// The API with the facts of `key`.
Api make_api(protocol::ApiKey key, env::Task<Result<void>> (*serve)(Request&));

}  // namespace milena::server
