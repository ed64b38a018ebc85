// SPDX-License-Identifier: Apache-2.0
// Classic groups as records (GroupMetadataKey and GroupMetadataValue), version 3 as Kafka 4.4
// writes it.
#pragma once

#include "classic_group.h"
#include "milena/coordinator/record.h"

namespace milena::coordinator {

inline constexpr std::int16_t kGroupType = 2;

/// The group as it is, with its members' assignments.
Record group_record(const ClassicGroup& group);
/// The same with others, in the order of the members' ids; who has none is left without.
Record group_record(const ClassicGroup& group,
                    const std::vector<SyncRequest::Assignment>& assignments);
Record group_tombstone(std::string_view group);

Result<std::string> read_group_key(BytesView key);
/// Fills a group that has nothing yet.
Result<void> load_group(BytesView value, ClassicGroup& group);

}  // namespace milena::coordinator
