// SPDX-License-Identifier: Apache-2.0
// Which servers a simulated cluster has, and what an operator would write to make them: one
// server.properties and one format command each.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "milena/node/format.h"
#include "sim/random.h"

namespace milena::sim {

inline constexpr std::uint16_t kBrokerPort = 9092;
inline constexpr std::uint16_t kControllerPort = 9093;

struct Role {
    std::int32_t id = 1;
    bool is_broker = true;
    bool is_controller = true;

    std::string name() const { return "n" + std::to_string(id); }
};

/// What all servers of a cluster are told alike, besides who they are.
struct ServerSettings {
    /// Every record is synced before it is acknowledged; else only the page cache keeps it.
    bool syncs_each_record = false;
    /// Of the metadata log.
    std::int32_t segment_bytes = 1 << 20;
    std::int32_t bytes_between_snapshots = 1 << 20;
};

class Layout {
public:
    enum class Quorum {
        alone,    ///< one node that formats itself
        named,    ///< controller.quorum.voters
        recorded  ///< --initial-controllers: the voters stand in the log (kraft.version 1)
    };

    static Layout draw(SeededRandom random);
    /// Nothing if there is none of that name.
    static std::optional<Layout> find(std::string_view name);
    static std::vector<std::string_view> names();

    std::string_view name() const { return name_; }
    const std::vector<Role>& roles() const { return roles_; }
    /// Of each partition: one with fewer than three brokers.
    std::int16_t replicas() const;
    /// A whole server.properties.
    std::string properties(const Role& role, const ServerSettings& settings) const;
    /// Nothing if the server formats its directory itself.
    std::optional<node::FormatRequest> format(const Role& role) const;

private:
    Layout(std::string_view name, Quorum quorum, int combined, int controllers, int brokers);

    std::vector<Role> controllers() const;
    std::string voters() const;

    std::string_view name_;
    Quorum quorum_;
    std::vector<Role> roles_;
};

}  // namespace milena::sim
