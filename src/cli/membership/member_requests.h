// SPDX-License-Identifier: Apache-2.0
// The requests of a member to its coordinator, one function each. A failure is one of the
// connection; what the coordinator has answered is in the result.
#pragma once

#include "membership/group_member.h"

namespace milena::cli {

struct JoinTimeouts {
    std::int32_t session_ms = 0;
    std::int32_t rebalance_ms = 0;
};
struct JoinReply {
    ErrorCode code = ErrorCode::none;
    JoinAnswer join;
};
struct SyncReply {
    ErrorCode code = ErrorCode::none;
    Assigned assigned;
};

env::Task<Result<JoinReply>> send_join(Session& session, const GroupMember& member,
                                       JoinTimeouts timeouts);
env::Task<Result<SyncReply>> send_sync(Session& session, const GroupMember& member);
env::Task<Result<ErrorCode>> send_heartbeat(Session& session, const GroupMember& member);
/// Whatever comes of it: a coordinator that does not hear of it notices by itself.
env::Task<void> send_leave(Session& session, const GroupMember& member);

/// How many partitions the topics have that are there.
env::Task<Result<std::map<std::string, std::int32_t>>> count_partitions(
    Session& session, std::vector<std::string> topics);

/// What a member says of itself, and what a leader says of what a member gets, as blobs.
std::vector<std::byte> subscription_blob(const std::vector<std::string>& topics);
std::vector<std::byte> assignment_blob(const Assigned& assigned);

}  // namespace milena::cli
