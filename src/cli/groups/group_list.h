// SPDX-License-Identifier: Apache-2.0
// The groups of a cluster: every broker knows those that it coordinates.
#pragma once

#include "cluster/session.h"

namespace milena::cli {

struct ListedGroup {
    std::string name;
    std::string type;      ///< "Classic", "Consumer", "Share" or "Streams"
    std::string protocol;  ///< "consumer", "connect", …; empty if nobody has joined
    std::string state;     ///< "Stable", …

    bool operator==(const ListedGroup&) const = default;
    /// Of consumers: their offsets are what the tool consumer-groups is about.
    bool is_of_consumers() const;
};

/// All groups, as the brokers list them one after the other. A broker that takes groups over is
/// asked again, until `give_up`.
env::Task<Result<std::vector<ListedGroup>>> list_groups(Session& session, env::Instant give_up);

/// The names of those of consumers.
env::Task<Result<std::vector<std::string>>> list_consumer_groups(Session& session,
                                                                 env::Instant give_up);

}  // namespace milena::cli
