// SPDX-License-Identifier: Apache-2.0
// Groups that go from the classic protocol to the consumer protocol and back, with their members in
// them (KIP-848): the first member of the consumer protocol takes a classic group over, the last
// one that leaves makes it classic again. group.consumer.migration.policy says which way they may.
#pragma once

#include "../../decision.h"

namespace milena::coordinator {

/// GROUP_ID_NOT_FOUND: there is a group, of another kind.
Error not_of_consumers(std::string_view group);
/// The same, or that there is none.
Result<ConsumerGroup*> consumer_group_of(Table& table, std::string_view group);

/// The classic group as one of the consumer protocol, with its members and what they have: it is
/// gone when that is written. An error if it can't be, and nothing has happened.
Result<ConsumerGroup*> upgraded(Decision& decision, ClassicGroup& classic);

/// All but these members speak the classic protocol, there are some, and they may go back to it.
bool may_downgrade(const Table& table, const ConsumerGroup& group,
                   const std::vector<std::string>& without);
/// Without these members it is a classic group, which rebalances.
void downgrade(Decision& decision, ConsumerGroup& group, const std::vector<std::string>& without);

}  // namespace milena::coordinator
