// SPDX-License-Identifier: Apache-2.0
// When committed offsets go (KIP-211).
#pragma once

#include "../requests.h"
#include "offset_records.h"

namespace milena::coordinator {

/// What expired on the last page is in the log.
void keep_expired(ExpirationRound& round);

/// By the wall; nothing while the offset is in use.
std::optional<std::int64_t> expires_at(const Table& table, const OffsetKey& key,
                                       const OffsetValue& offset);

/// Those of a group that are not in use, by topic; `stored` are all of the group that the state
/// store has, in order.
std::vector<ExpiringOffsets> expiring(const Decision& decision, std::string_view group,
                                      StoredRecords stored);

}  // namespace milena::coordinator
