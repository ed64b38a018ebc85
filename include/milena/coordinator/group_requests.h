// SPDX-License-Identifier: Apache-2.0
// What a group's coordinator is asked, and what it answers. Errors are in the answers, as on the
// wire: those of a whole request in `code`, those of a part of it in that part.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/result.h"
#include "milena/base/uuid.h"
#include "milena/coordinator/group_events.h"

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
    /// From version 9 on: the client knows of epochs, so it may be a member by KIP-848.
    bool may_say_epoch = true;
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
    bool with_facts = false;
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
    std::optional<GroupFacts> facts;  ///< if they were asked for
};

/// ListGroups (16).
struct ListGroupsRequest {
    std::vector<std::string> states;  ///< none: all; as clients write them, in any case of letters
    std::vector<std::string> types;
};
/// The same with each word once, as this broker writes it, and without those that it does not know;
/// what asks only for such ones still asks for nothing that there is.
ListGroupsRequest resolved(const ListGroupsRequest& request);
struct ListGroupsReply {
    struct Group {
        std::string group;
        std::string protocol_type;
        std::string state;
        std::string type;
    };
    std::vector<Group> groups;
};

/// DeleteGroups (42), of one group. The group may have more offsets than one batch can delete: the
/// host asks once a page of those that are stored, as below, and the group itself goes with the
/// last.
struct DeleteGroupRequest {
    std::string group;
    bool is_last_page = true;
};
struct DeleteGroupReply {
    ErrorCode code = ErrorCode::none;
    /// Not all went into one batch: the same is to be asked again.
    bool has_more = false;
};

/// Partitions of one topic, as members of consumer groups own them or are told to.
struct TopicPartitions {
    Uuid topic;
    std::vector<PartitionIndex> partitions;

    bool operator==(const TopicPartitions&) const = default;
};

/// ConsumerGroupHeartbeat (68, KIP-848). What is nothing is as the member said it last.
struct ConsumerHeartbeatRequest {
    std::string group;
    std::string member_id;
    std::int32_t member_epoch = 0;  ///< 0: joins; −1: leaves; −2: leaves, its instance comes back
    std::optional<std::string> instance_id;
    std::optional<std::string> rack_id;
    std::int32_t rebalance_timeout_ms = -1;
    std::optional<std::vector<std::string>> topics;
    std::optional<std::string> regex;
    std::optional<std::string> assignor;
    std::optional<std::vector<TopicPartitions>> owned;
    std::string client_id;
    std::string client_host;
    /// From version 1 on members make their ids themselves (KIP-1082).
    bool makes_its_id = true;
};
struct ConsumerHeartbeatReply {
    ErrorCode code = ErrorCode::none;
    std::string why;  ///< with a code
    std::optional<std::string> member_id;
    std::int32_t member_epoch = 0;
    std::int32_t heartbeat_interval_ms = 0;
    std::optional<std::vector<TopicPartitions>> assignment;  ///< nothing: as before
};

/// ConsumerGroupDescribe (69), of one group.
struct DescribeConsumerGroupRequest {
    std::string group;
    bool with_facts = false;
};
struct DescribeConsumerGroupReply {
    ErrorCode code = ErrorCode::none;
    std::string why;
    std::string state;
    std::int32_t group_epoch = 0;
    std::int32_t assignment_epoch = 0;
    std::string assignor;
    struct Member {
        std::string member_id;
        std::optional<std::string> instance_id;
        std::optional<std::string> rack_id;
        std::int32_t member_epoch = 0;
        std::string client_id;
        std::string client_host;
        std::vector<std::string> topics;
        std::string regex;
        std::vector<TopicPartitions> assignment;
        std::vector<TopicPartitions> target;
        bool is_classic = false;
    };
    std::vector<Member> members;
    std::optional<GroupFacts> facts;  ///< if they were asked for
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
    std::vector<Topic> topics;  ///< in the order of their names
    bool is_last_page = true;
};
struct ForgetTopicsReply {
    bool has_more = false;  ///< as in DeleteGroupReply
};

using GroupRequest =
    std::variant<JoinRequest, SyncRequest, HeartbeatRequest, LeaveRequest, CommitRequest,
                 FetchOffsetsRequest, DeleteOffsetsRequest, DescribeGroupRequest, ListGroupsRequest,
                 DeleteGroupRequest, ExpireOffsetsRequest, ForgetTopicsRequest,
                 ConsumerHeartbeatRequest, DescribeConsumerGroupRequest>;
/// In the order of the requests.
using GroupReply =
    std::variant<JoinReply, SyncReply, HeartbeatReply, LeaveReply, CommitReply, FetchOffsetsReply,
                 DeleteOffsetsReply, DescribeGroupReply, ListGroupsReply, DeleteGroupReply,
                 ExpireOffsetsReply, ForgetTopicsReply, ConsumerHeartbeatReply,
                 DescribeConsumerGroupReply>;

/// One group, of whatever protocol, as a watcher wants to see it.
struct GroupSummary {
    std::string group;
    std::string_view state;  ///< as ListGroups says it
    std::size_t members = 0;

    bool operator==(const GroupSummary&) const = default;
};

/// Numbers for metrics.
struct GroupFigures {
    std::uint64_t groups = 0;
    std::uint64_t preparing_rebalance = 0;
    std::uint64_t completing_rebalance = 0;
    std::uint64_t stable = 0;
    std::uint64_t dead = 0;
    std::uint64_t empty = 0;
    std::uint64_t rebalances = 0;
    struct Consumer {
        std::uint64_t empty = 0;
        std::uint64_t assigning = 0;
        std::uint64_t reconciling = 0;
        std::uint64_t stable = 0;
    } consumer{};  ///< groups of that protocol, which the states above do not count
    std::uint64_t pending_offsets = 0;  ///< commits that the state store does not have yet
};

}  // namespace milena::coordinator
