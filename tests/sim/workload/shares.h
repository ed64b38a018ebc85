// SPDX-License-Identifier: Apache-2.0
// What members of the classic protocol tell one another of one topic: who subscribes to it, and who
// is to have which partitions (ConsumerProtocolSubscription, ConsumerProtocolAssignment).
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "milena/base/bytes.h"

namespace milena::sim {

/// Of versions 0 to 3, without user data, by a member that has nothing.
std::vector<std::byte> subscription(std::string_view topic, std::int16_t version);

/// Those of one of so many members, others in each generation.
std::vector<std::int32_t> share(std::size_t member, std::size_t members, std::int32_t partitions,
                                std::int32_t generation);
std::vector<std::byte> assignment(std::string_view topic,
                                  const std::vector<std::int32_t>& partitions);
/// Nothing if there is anything in it but partitions of that topic, each once and below `end`.
std::optional<std::vector<std::int32_t>> partitions_in(BytesView assignment, std::string_view topic,
                                                       std::int32_t end);

}  // namespace milena::sim
