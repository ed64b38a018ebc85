// SPDX-License-Identifier: Apache-2.0
// The table of APIs, made from the schema: which keys and versions there are, who serves them, and
// which form of header goes before them. The dispatch tables and the answer to ApiVersions are
// filled from it.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "milena/protocol/api_key.h"
#include "milena/protocol/types.h"

namespace milena::protocol {

struct Api {
    ApiKey key{};
    std::string_view name;  // "CreateTopics"
    std::int16_t min_version = 0;
    std::int16_t max_version = 0;
    /// Below max_version where the newest version is offered only with
    /// unstable.api.versions.enable.
    std::int16_t max_stable_version = 0;
    std::int16_t first_flexible_version = kNoVersion;
    /// Which kinds of listeners serve it.
    bool on_broker = false;
    bool on_controller = false;

    constexpr bool has_version(std::int16_t version) const {
        return min_version <= version && version <= max_version;
    }
    constexpr bool is_flexible(std::int16_t version) const {
        return version >= first_flexible_version;
    }

    /// 2 (with a tag section) or 1.
    constexpr std::int16_t request_header_version(std::int16_t version) const {
        return is_flexible(version) ? 2 : 1;
    }
    /// 1 (with a tag section) or 0. ApiVersions stays at 0: a client must be able to read the
    /// answer that tells it which versions it may use (KIP-511).
    constexpr std::int16_t response_header_version(std::int16_t version) const {
        return is_flexible(version) && key != ApiKey::api_versions ? 1 : 0;
    }
};

/// All APIs by ascending key. Keys 4 to 7 lost their last versions and are not in it.
std::span<const Api> apis();

/// The API of a number from the wire; null if there is none.
const Api* find_api(std::int16_t key);

}  // namespace milena::protocol
