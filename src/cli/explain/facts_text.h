// SPDX-License-Identifier: Apache-2.0
// Sentences of a group's facts: since when, why, who holds it up, when its offsets go; each with
// what to do about it.
#pragma once

#include "explain/facts.h"

namespace milena::cli {

/// "1.2 s", "5 min", "3 h 20 min", "6 d 23 h".
std::string time_text(std::int64_t ms);

/// ", for 5 min now": what follows on the name of the state.
std::string age_text(const GroupFacts& facts);
/// Why it rebalances, or last did.
std::string rebalance_text(const GroupFacts& facts);
/// Whom the rebalance waits for; empty if nobody is named.
std::string awaited_text(const GroupFacts& facts);
/// When its unused offsets go; empty if all are in use.
std::string expiring_text(const GroupFacts& facts);

}  // namespace milena::cli
