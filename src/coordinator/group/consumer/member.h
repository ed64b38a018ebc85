// SPDX-License-Identifier: Apache-2.0
// A member of a consumer group, in three parts that have a record each: what it says of itself,
// what it is to have, and what it has.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "milena/coordinator/group_events.h"
#include "partitions.h"

namespace milena::coordinator {

/// Of a member that speaks the classic protocol, until it comes back with the other.
struct ClassicSide {
    std::int32_t session_timeout_ms = 0;
    std::vector<MemberProtocol> protocols;

    bool operator==(const ClassicSide& other) const;
};

struct MemberMetadata {
    std::optional<std::string> instance_id;
    std::optional<std::string> rack_id;
    std::string client_id;
    std::string client_host;
    std::vector<std::string> topics;  ///< in order, each once
    std::string regex;                ///< empty: none
    std::int32_t rebalance_timeout_ms = -1;
    std::optional<std::string> assignor;
    std::optional<ClassicSide> classic;

    bool operator==(const MemberMetadata&) const = default;
};

enum class MemberState : std::int8_t {
    stable = 0,      ///< has what it is to have at its epoch
    unrevoked = 1,   ///< has been told to give partitions up and still has them
    unreleased = 2,  ///< lacks partitions that others still have
    unknown = 127,   ///< written by a later version
};

GroupMemberName name_of(const std::string& member_id, const MemberMetadata& member);

/// The epoch of a static member that is away.
inline constexpr std::int32_t kAwayEpoch = -2;
inline constexpr std::int32_t kLeaveEpoch = -1;

struct MemberCurrent {
    std::int32_t epoch = 0;
    std::int32_t previous_epoch = 0;
    MemberState state = MemberState::stable;
    OwnedSet assigned;
    OwnedSet revoking;  ///< to be given up, and not yet given up

    bool operator==(const MemberCurrent&) const = default;
};

/// Exists as long as one of its records does; is a member while it has metadata.
struct ConsumerMember {
    std::optional<MemberMetadata> metadata;
    std::optional<MemberCurrent> current;
    SharedPartitions target;  ///< null: nothing

    bool is_classic() const { return metadata && metadata->classic; }
    std::int32_t epoch() const { return current ? current->epoch : 0; }
    const PartitionSet& wanted() const;
    /// All that is its own as long as it has not said otherwise: nobody else may have it.
    PartitionSet held() const;
};

}  // namespace milena::coordinator
