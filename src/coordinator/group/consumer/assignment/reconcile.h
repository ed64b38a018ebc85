// SPDX-License-Identifier: Apache-2.0
// How one member comes from what it has to what it is to have (KIP-848): it gives up first, comes
// to the epoch of the assignment when it has, and is given what nobody else has any more.
//
//                 nothing to give up, all is free
//     stable --------------------------------------> stable, at the assignment's epoch
//       | gives up                  some is not free |  ^
//       v                                            v  | all is free
//   unrevoked ----- has given up ----------------> unreleased
#pragma once

#include <functional>

#include "../member.h"

namespace milena::coordinator {

struct Reconciliation {
    const MemberCurrent& current;
    std::int32_t assignment_epoch = 0;
    /// What it is to have, but for topics that it does not subscribe to any more.
    const PartitionSet& wanted;
    /// Whether it still subscribes to a topic.
    std::function<bool(Uuid)> is_subscribed;
    /// As the member has just said; null: it said nothing.
    const PartitionSet* owned = nullptr;
    /// The epoch that it has said to be at, its own or the one before; 0: it joins.
    std::int32_t said_epoch = 0;
    /// Nobody else has it, or is still to give it up.
    std::function<bool(const GroupPartition&)> is_free;
};

/// True if there is nothing to do, whatever the member says.
bool is_reconciled(const Reconciliation& with);
MemberCurrent reconcile(const Reconciliation& with);

}  // namespace milena::coordinator
