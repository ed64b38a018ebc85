// SPDX-License-Identifier: Apache-2.0
// A classic group's record says since when it is in its state, so that outlives its coordinator; of
// a consumer group only what this coordinator has seen is known.
#include "facts.h"

#include <algorithm>

#include "../offsets/expiration.h"
#include "classic_history.h"
#include "consumer_history.h"

namespace milena::coordinator {

GroupFacts facts_of(const Decision& decision, const ClassicGroup& group, StoredRecords stored) {
    GroupFacts facts;
    if (group.state_since() >= 0) {
        facts.state_age_ms = std::max<std::int64_t>(decision.wall_ms() - group.state_since(), 0);
    }
    facts.rebalance = fact_of(group.rebalance, decision.now());
    facts.awaited = awaited(group, decision.now());
    facts.expiring = expiring(decision, group.name, stored);
    return facts;
}

GroupFacts facts_of(const Decision& decision, const ConsumerGroup& group, StoredRecords stored) {
    GroupFacts facts;
    facts.state_age_ms = whole_ms(decision.now() - group.history.since);
    facts.is_since_take_over = !group.history.has_seen_begin;
    facts.rebalance = fact_of(group.history.rebalance, decision.now());
    facts.awaited = awaited(decision.table, group, decision.now());
    facts.expiring = expiring(decision, group.name, stored);
    return facts;
}

}  // namespace milena::coordinator
