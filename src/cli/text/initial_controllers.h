// SPDX-License-Identifier: Apache-2.0
// --initial-controllers of kafka-storage: who votes first, as text.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "milena/base/result.h"
#include "milena/raft/voters.h"

namespace milena::cli {

/// "1@host:9093:DIRECTORY,2@…": the endpoints get the name of `listener`. The error says which
/// entry is wrong.
Result<std::vector<raft::Voter>> parse_initial_controllers(std::string_view text,
                                                           std::string_view listener);
/// The inverse, of voters with one endpoint each.
std::string initial_controllers_text(const std::vector<raft::Voter>& voters);

}  // namespace milena::cli
