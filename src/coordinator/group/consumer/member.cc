// SPDX-License-Identifier: Apache-2.0
// What follows from a member's parts.
#include "member.h"

#include "../history/rebalance_history.h"

#include <algorithm>

namespace milena::coordinator {

bool ClassicSide::operator==(const ClassicSide& other) const {
    return session_timeout_ms == other.session_timeout_ms &&
           std::ranges::equal(protocols, other.protocols, [](const auto& a, const auto& b) {
               return a.name == b.name && a.metadata == b.metadata;
           });
}

GroupMemberName name_of(const std::string& member_id, const MemberMetadata& member) {
    return kept_name(member_id, member.instance_id.value_or(""), member.client_id,
                     member.client_host);
}

const PartitionSet& ConsumerMember::wanted() const {
    static const PartitionSet kNothing;
    return target ? *target : kNothing;
}

PartitionSet ConsumerMember::held() const {
    return current ? partitions_of(joined(current->assigned, current->revoking)) : PartitionSet();
}

}  // namespace milena::coordinator
