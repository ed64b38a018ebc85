// SPDX-License-Identifier: Apache-2.0
// Who asks, and whether they may. Every request carries a principal and passes an authorizer,
// whatever is configured.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace milena::security {

/// Kafka's principal: "User:alice". A listener without authentication knows only "User:ANONYMOUS".
struct Principal {
    std::string type = "User";
    std::string name = "ANONYMOUS";
    /// It came with a delegation token, which may not get another.
    bool is_token_authenticated = false;

    bool operator==(const Principal&) const = default;
    std::string text() const { return type + ":" + name; }
};

/// The numbers are those of ACLs on the wire and in the metadata.
enum class Operation : std::int8_t {
    read = 3,
    write = 4,
    create = 5,
    remove = 6,
    alter = 7,
    describe = 8,
    cluster_action = 9,
    describe_configs = 10,
    alter_configs = 11,
    idempotent_write = 12,
};

enum class ResourceType : std::int8_t { topic = 2, group = 3, cluster = 4, transactional_id = 5 };

/// The one resource of type cluster.
inline constexpr std::string_view kClusterResource = "kafka-cluster";

/// Thread-safe and quick: asked for every topic of every request.
class Authorizer {
public:
    virtual ~Authorizer() = default;
    virtual bool allows(const Principal& principal, Operation operation, ResourceType type,
                        std::string_view resource) const = 0;
};

/// What a broker without authorizer.class.name does: everybody may do everything.
class AllowAll final : public Authorizer {
public:
    bool allows(const Principal&, Operation, ResourceType, std::string_view) const override {
        return true;
    }
};

}  // namespace milena::security
