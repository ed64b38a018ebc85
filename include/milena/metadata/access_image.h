// SPDX-License-Identifier: Apache-2.0
// The parts of the cluster's image that say who may do what and how much of it: client quotas,
// ACLs, SCRAM credentials and delegation tokens. Immutable; see image.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "milena/base/uuid.h"
#include "milena/metadata/sharded_map.h"

namespace milena::metadata {

/// Whom a quota is for: "user", "client-id" and "ip" to a name, or to nothing for the default of
/// that kind (KIP-546).
using QuotaEntity = std::map<std::string, std::optional<std::string>>;

struct ClientQuotasImage {
    /// Entity to quota key to value: bytes or requests per second, or a percentage, as the key has
    /// it.
    std::map<QuotaEntity, std::map<std::string, double>> by_entity;

    bool operator==(const ClientQuotasImage&) const = default;
};

/// The numbers are those of the protocol (KIP-140, KIP-290).
struct AclEntry {
    std::int8_t resource_type = 0;
    std::string resource_name;
    std::int8_t pattern_type = 0;  ///< 3 literal, 4 prefixed
    std::string principal;
    std::string host;
    std::int8_t operation = 0;
    std::int8_t permission_type = 0;  ///< 2 deny, 3 allow

    bool operator==(const AclEntry&) const = default;
};

struct AclsImage {
    ShardedMap<Uuid, AclEntry> by_id;

    bool operator==(const AclsImage&) const = default;
};

struct ScramCredential {
    std::vector<std::byte> salt;
    std::vector<std::byte> stored_key;
    std::vector<std::byte> server_key;
    std::int32_t iterations = 0;

    bool operator==(const ScramCredential&) const = default;
};

struct ScramImage {
    /// Mechanism (1 SCRAM-SHA-256, 2 SCRAM-SHA-512) and user (KIP-554).
    std::map<std::pair<std::int8_t, std::string>, ScramCredential> by_user;

    bool operator==(const ScramImage&) const = default;
};

/// Times in milliseconds since 1970 (KIP-48).
struct DelegationToken {
    std::string owner;
    std::string requester;
    std::vector<std::string> renewers;
    std::int64_t issue_timestamp_ms = 0;
    std::int64_t max_timestamp_ms = 0;
    std::int64_t expiration_timestamp_ms = 0;

    bool operator==(const DelegationToken&) const = default;
};

struct DelegationTokensImage {
    std::map<std::string, DelegationToken> by_id;

    bool operator==(const DelegationTokensImage&) const = default;
};

}  // namespace milena::metadata
