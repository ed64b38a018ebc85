// SPDX-License-Identifier: Apache-2.0
// What was waiting for a record: it is committed, or it could not be appended.
#include <utility>

#include "join.h"
#include "rebalance.h"
#include "requests.h"

namespace milena::coordinator {
namespace {

template <class... Cases>
struct Each : Cases... {
    using Cases::operator()...;
};

/// The assignments were handed in for the generation that still waits for them.
bool is_awaited(const ClassicGroup& group, const Sequel::Assignments& handed_in) {
    return group.is(GroupState::completing_rebalance) && group.generation == handed_in.generation;
}

/// A group that was never written: whoever waits in it is told.
void undo_creation(Decision& decision, ClassicGroup& group, ErrorCode code) {
    for (auto& [id, member] : group.members()) {
        if (member.joining)
            decision.answer(*std::exchange(member.joining, std::nullopt), refused_join(code, {}));
    }
    decision.table.classic.erase(decision.table.classic.find(group.name));
}

}  // namespace

void after_commit(Decision& decision, Sequel sequel) {
    ClassicGroup* const group = decision.table.find(sequel.group);
    if (group == nullptr) return;
    std::visit(Each{[](Sequel::Creation&) {},
                    [&](Sequel::Assignments& handed_in) {
                        if (is_awaited(*group, handed_in))
                            hand_out(decision, *group, std::move(handed_in.assignments));
                    },
                    [&](Sequel::Return& back) { welcome_back(decision, *group, back); }},
               sequel.what);
}

void after_giving_up(Decision& decision, Sequel sequel, ErrorCode code) {
    ClassicGroup* const group = decision.table.find(sequel.group);
    if (group == nullptr) return;
    // Others have gone on meanwhile: only what still stands as it was written is taken back.
    if (const auto* const back = std::get_if<Sequel::Return>(&sequel.what)) {
        const Member* const member = group->find(back->new_id);
        if (member == nullptr || !member->joining || !group->is(GroupState::stable)) return;
    }
    // A group that was made is in the log, and who has come into it is in a rebalance.
    if (std::holds_alternative<Sequel::Creation>(sequel.what)) return;
    after_failure(decision, std::move(sequel), code);
}

void after_failure(Decision& decision, Sequel sequel, ErrorCode code) {
    ClassicGroup* const group = decision.table.find(sequel.group);
    if (group == nullptr) return;
    std::visit(Each{[&](Sequel::Creation&) { undo_creation(decision, *group, code); },
                    [&](Sequel::Assignments& handed_in) {
                        if (!is_awaited(*group, handed_in)) return;
                        withdraw_assignments(decision, *group, code);
                        group->is_assignment_too_large = code == ErrorCode::message_too_large;
                        rebalance_or_complete(decision, *group,
                                              {.cause = RebalanceCause::assignment_not_stored});
                    },
                    [&](Sequel::Return& back) {
                        take_return_back(decision, *group, std::move(back), code);
                    }},
               sequel.what);
}

}  // namespace milena::coordinator
