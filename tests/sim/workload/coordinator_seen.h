// SPDX-License-Identifier: Apache-2.0
// Who coordinates a group by the newest metadata that any server has. Clients can't know it; a
// judge has to, for whoever has been replaced goes on answering for a while.
#pragma once

#include <compare>
#include <functional>
#include <optional>
#include <string>
#include <string_view>

namespace milena::sim {

struct CoordinatorSeen {
    std::string server;
    std::int32_t leader_epoch = -1;

    auto operator<=>(const CoordinatorSeen&) const = default;
};

/// Nothing while nobody does.
using SeeCoordinator = std::function<std::optional<CoordinatorSeen>(std::string_view group)>;

}  // namespace milena::sim
