// SPDX-License-Identifier: Apache-2.0
// The quorum of the metadata log, as kafka-metadata-quorum prints it.
#pragma once

#include <string>

#include "milena/base/result.h"
#include "milena/protocol/messages/describe_quorum.h"

namespace milena::cli {

/// --status: who leads, how far the followers are behind, and who belongs to the quorum.
Result<std::string> quorum_status(const protocol::DescribeQuorumResponse& answer,
                                  std::string_view cluster_id);

/// --replication: a table with a row for each replica. With `now_ms`, times are told as an age.
Result<std::string> quorum_replication(const protocol::DescribeQuorumResponse& answer,
                                       std::optional<std::int64_t> now_ms);

}  // namespace milena::cli
