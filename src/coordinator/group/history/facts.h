// SPDX-License-Identifier: Apache-2.0
// What is told of a group to who asks for more than Kafka's answers have.
#pragma once

#include "../requests.h"

namespace milena::coordinator {

/// `stored` are all offsets of the group that the state store has, in order.
GroupFacts facts_of(const Decision& decision, const ClassicGroup& group, StoredRecords stored);
GroupFacts facts_of(const Decision& decision, const ConsumerGroup& group, StoredRecords stored);

}  // namespace milena::coordinator
