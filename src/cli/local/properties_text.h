// SPDX-License-Identifier: Apache-2.0
// The server.properties that a node of a local cluster begins with: short, and commented for those
// who learn from it.
#pragma once

#include <string>
#include <vector>

#include "milena/raft/voters.h"

namespace milena::cli {

/// Each node has a block of ports that begins with the one for clients.
inline constexpr std::uint16_t kPortsOfNode = 10;
inline constexpr std::uint16_t kControllerPort = 1;
inline constexpr std::uint16_t kAdminPort = 2;

/// Of the voter that is node `index`; `data` is its log directory.
std::string local_properties_text(const std::vector<raft::Voter>& voters, std::size_t index,
                                  const std::string& data);

}  // namespace milena::cli
