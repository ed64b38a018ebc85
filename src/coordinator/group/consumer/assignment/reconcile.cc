// SPDX-License-Identifier: Apache-2.0
// One step of a member's way.
#include "reconcile.h"

#include <algorithm>

namespace milena::coordinator {
namespace {

/// It has, or may have, some of these. Who says nothing has what it had.
bool has_any_of(const Reconciliation& with, const OwnedSet& partitions) {
    return with.owned == nullptr || share_any(partitions, *with.owned);
}

/// The epoch before is the last that the member has said: of several answers that were lost, one
/// after the other, it has heard none. One that was away comes back from nothing.
MemberCurrent at_epoch(const Reconciliation& with, std::int32_t epoch) {
    MemberCurrent next;
    next.previous_epoch = with.said_epoch > 0 ? with.said_epoch : std::max(with.current.epoch, 0);
    next.epoch = epoch;
    return next;
}

MemberCurrent next_of(const Reconciliation& with) {
    const MemberCurrent& current = with.current;
    OwnedSet kept = kept_of(current.assigned, with.wanted);
    OwnedSet given_up = gone_of(current.assigned, with.wanted);
    if (!given_up.empty() && has_any_of(with, given_up)) {
        MemberCurrent next = at_epoch(with, current.epoch);
        next.state = MemberState::unrevoked;
        next.assigned = std::move(kept);
        next.revoking = std::move(given_up);
        return next;
    }
    MemberCurrent next = at_epoch(with, with.assignment_epoch);
    OwnedSet given;
    for (const GroupPartition& one : missing_of(with.wanted, kept)) {
        if (with.is_free(one)) {
            given.push_back({one, with.assignment_epoch});
        } else {
            next.state = MemberState::unreleased;
        }
    }
    next.assigned = joined(std::move(kept), given);
    return next;
}

/// What it does not subscribe to any more is given up without waiting for an assignment.
OwnedSet unsubscribed(const Reconciliation& with) {
    OwnedSet out;
    for (const OwnedPartition& one : with.current.assigned) {
        if (!with.is_subscribed(one.at.topic)) out.push_back(one);
    }
    return out;
}

/// It still has what it is to give up: that can only become more.
MemberCurrent still_unrevoked(const Reconciliation& with) {
    const OwnedSet more = unsubscribed(with);
    if (more.empty()) return with.current;
    MemberCurrent next = at_epoch(with, with.current.epoch);
    next.state = MemberState::unrevoked;
    next.assigned = gone_of(with.current.assigned, partitions_of(more));
    next.revoking = joined(with.current.revoking, more);
    return next;
}

}  // namespace

bool is_reconciled(const Reconciliation& with) {
    return with.current.state == MemberState::stable &&
           with.current.epoch == with.assignment_epoch && unsubscribed(with).empty();
}

MemberCurrent reconcile(const Reconciliation& with) {
    switch (with.current.state) {
        case MemberState::stable: return is_reconciled(with) ? with.current : next_of(with);
        case MemberState::unreleased: return next_of(with);
        case MemberState::unrevoked:
            return has_any_of(with, with.current.revoking) ? still_unrevoked(with) : next_of(with);
        case MemberState::unknown: break;
    }
    // A later version has written this. What it has is known, so it goes on from there.
    return next_of(with);
}

}  // namespace milena::coordinator
