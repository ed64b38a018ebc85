// SPDX-License-Identifier: Apache-2.0
// What a group's coordinator is asked, and what it answers. Errors are in the answers, as on the
// wire: those of a whole request in `code`, those of a part of it in that part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/result.h"
#include "milena/base/uuid.h"

namespace milena::coordinator {

using Bytes = std::vector<std::byte>;

/// One way of assigning that a member knows, the one it likes best first.
struct MemberProtocol {
    std::string name;
    Bytes metadata;
};

/// JoinGroup (11).
struct JoinRequest {
    std::string group;
    std::string member_id;  ///< empty: a new one
    std::optional<std::string> instance_id;
    std::string protocol_type;
    std::vector<MemberProtocol> protocols;
    std::int32_t session_timeout_ms = 0;
    std::int32_t rebalance_timeout_ms = 0;
    std::string client_id;
    std::string client_host;
    /// From version 4 on: a new member is told its id first and has to come again (KIP-394).
    bool must_know_its_id = false;
    /// From version 9 on: the leader may be told not to assign (KIP-814).
    bool can_skip_assignment = false;
    std::string reason;
};
struct JoinReply {
    ErrorCode code = ErrorCode::none;
    std::int32_t generation = -1;
    std::optional<std::string> protocol_type;
    std::optional<std::string> protocol_name;
    std::string leader;
    bool skip_assignment = false;
    std::string member_id;
    struct Member {
        std::string member_id;
        std::optional<std::string> instance_id;
        Bytes metadata;
    };
    std::vector<Member> members;  ///< for the leader alone
};

/// SyncGroup (14).
struct SyncRequest {
    std::string group;
    std::int32_t generation = -1;
    std::string member_id;
    std::optional<std::string> instance_id;
    std::optional<std::string> protocol_type;
    std::optional<std::string> protocol_name;
    struct Assignment {
        std::string member_id;
        Bytes assignment;
    };
    std::vector<Assignment> assignments;  ///< of the leader
};
struct SyncReply {
    ErrorCode code = ErrorCode::none;
    std::optional<std::string> protocol_type;
    std::optional<std::string> protocol_name;
    Bytes assignment;
};

/// Heartbeat (12).
struct HeartbeatRequest {
    std::string group;
    std::int32_t generation = -1;
    std::string member_id;
    std::optional<std::string> instance_id;
};
struct HeartbeatReply {
    ErrorCode code = ErrorCode::none;
};

/// LeaveGroup (13).
struct LeaveRequest {
    std::string group;
    struct Member {
        std::string member_id;
        std::optional<std::string> instance_id;
        std::string reason;
    };
    std::vector<Member> members;
};
struct LeaveReply {
    ErrorCode code = ErrorCode::none;
    std::vector<ErrorCode> members;  ///< in the order of the request
};

/// OffsetCommit (8).
struct CommitRequest {
    std::string group;
    std::int32_t generation_or_epoch = -1;
    std::string member_id;
    std::optional<std::string> instance_id;
    /// Of versions 2 to 4, −1 else: these offsets go that long after they were committed.
    std::int64_t retention_ms = -1;
    struct Partition {
        PartitionIndex partition;
        Offset offset;
        LeaderEpoch leader_epoch = kNoLeaderEpoch;
        std::optional<std::string> metadata;
    };
    struct Topic {
        std::string name;
        Uuid id;  ///< zero if it is not known
        std::vector<Partition> partitions;
    };
    std::vector<Topic> topics;
};
struct CommitReply {
    ErrorCode code = ErrorCode::none;            ///< of all partitions
    std::vector<std::vector<ErrorCode>> topics;  ///< in the order of the request; empty with a code
};

/// OffsetFetch (9), of one group.
struct FetchOffsetsRequest {
    std::string group;
    std::optional<std::string> member_id;
    std::int32_t member_epoch = -1;
    bool require_stable = false;
    struct Topic {
        std::string name;
        Uuid id;
        std::vector<PartitionIndex> partitions;
    };
    std::optional<std::vector<Topic>> topics;  ///< nothing: all
};
struct CommittedOffset {
    PartitionIndex partition;
    Offset offset{-1};
    LeaderEpoch leader_epoch = kNoLeaderEpoch;
    std::string metadata;
    ErrorCode code = ErrorCode::none;
};
struct FetchOffsetsReply {
    ErrorCode code = ErrorCode::none;
    struct Topic {
        std::string name;
        Uuid id;
        std::vector<CommittedOffset> partitions;
    };
    std::vector<Topic> topics;
};

/// OffsetDelete (47).
struct DeleteOffsetsRequest {
    std::string group;
    struct Topic {
        std::string name;
        std::vector<PartitionIndex> partitions;
    };
    std::vector<Topic> topics;
};
struct DeleteOffsetsReply {
    ErrorCode code = ErrorCode::none;
    std::vector<std::vector<ErrorCode>> topics;
};

/// DescribeGroups (15), of one group.
struct DescribeGroupRequest {
    std::string group;
};
struct DescribeGroupReply {
    ErrorCode code = ErrorCode::none;
    std::string why;
    std::string state;
    std::string protocol_type;
    std::string protocol;
    struct Member {
        std::string member_id;
        std::optional<std::string> instance_id;
        std::string client_id;
        std::string client_host;
        Bytes metadata;
        Bytes assignment;
    };
    std::vector<Member> members;
};

/// ListGroups (16).
struct ListGroupsRequest {
    std::vector<std::string> states;  ///< none: all; as clients write them, in any case of letters
    std::vector<std::string> types;
};
struct ListGroupsReply {
    struct Group {
        std::string group;
        std::string protocol_type;
        std::string state;
        std::string type;
    };
    std::vector<Group> groups;
};

/// DeleteGroups (42), of one group.
struct DeleteGroupRequest {
    std::string group;
};
struct DeleteGroupReply {
    ErrorCode code = ErrorCode::none;
};

// Two that come from the host itself. They concern every offset there is, and the store may have
// millions: so each is asked once a page, with the next keys of offsets of the store as `stored`,
// in their order, until all were looked at. reads_of() has nothing to say to them. Commits that the
// store does not have yet are looked at with every page.

/// Offsets that have expired go (offsets.retention.minutes).
struct ExpireOffsetsRequest {
    /// The store has no offsets behind this page.
    bool is_last_page = true;
};
struct ExpireOffsetsReply {};

/// The offsets of deleted topics go.
struct ForgetTopicsRequest {
    struct Topic {
        std::string name;
        Uuid id;
    };
    std::vector<Topic> topics;
    bool is_last_page = true;
};
struct ForgetTopicsReply {};

using GroupRequest =
    std::variant<JoinRequest, SyncRequest, HeartbeatRequest, LeaveRequest, CommitRequest,
                 FetchOffsetsRequest, DeleteOffsetsRequest, DescribeGroupRequest, ListGroupsRequest,
                 DeleteGroupRequest, ExpireOffsetsRequest, ForgetTopicsRequest>;
/// In the order of the requests.
using GroupReply =
    std::variant<JoinReply, SyncReply, HeartbeatReply, LeaveReply, CommitReply, FetchOffsetsReply,
                 DeleteOffsetsReply, DescribeGroupReply, ListGroupsReply, DeleteGroupReply,
                 ExpireOffsetsReply, ForgetTopicsReply>;

/// Numbers for metrics.
struct GroupFigures {
    std::uint64_t groups = 0;
    std::uint64_t preparing_rebalance = 0;
    std::uint64_t completing_rebalance = 0;
    std::uint64_t stable = 0;
    std::uint64_t dead = 0;
    std::uint64_t empty = 0;
    std::uint64_t rebalances = 0;
    std::uint64_t pending_offsets = 0;  ///< commits that the state store does not have yet
};

}  // namespace milena::coordinator
