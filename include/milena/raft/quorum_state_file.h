// SPDX-License-Identifier: Apache-2.0
// quorum-state, the file in which a replica keeps its epoch, leader and vote: one line of JSON.
// Version 1
//
//   {"leaderId":1,"leaderEpoch":2,"votedId":-1,
//    "votedDirectoryId":"AAAAAAAAAAAAAAAAAAAAAA","data_version":1}
//
// goes with kraft.version 1. Version 0, with kraft.version 0, has no votedDirectoryId but
// clusterId, appliedOffset and currentVoters, which say nothing that is not known from elsewhere.
#pragma once

#include <string>

#include "milena/env/files.h"
#include "milena/raft/core.h"

namespace milena::raft {

inline constexpr std::string_view kQuorumStateFile = "quorum-state";

/// The text of the file; `voters` are written with kraft_version 0 only.
std::string encode_quorum_state(const QuorumState& state, std::int16_t kraft_version,
                                const VoterSet& voters);
/// The inverse, either version. CORRUPT_MESSAGE if it is none.
Result<QuorumState> decode_quorum_state(std::string_view text);

/// The state in `directory`; the initial one if there is no file, or an empty one. The error names
/// the file.
Result<QuorumState> read_quorum_state(env::FileSystem& files, const std::string& directory);

}  // namespace milena::raft
