// SPDX-License-Identifier: Apache-2.0
// Committed offsets as records. The keys of one group are neighbours in the order of bytes:
//
//   type 1: i16 | i16 length, group | i16 length, topic | partition: i32
#pragma once

#include <string>
#include <string_view>

#include "milena/base/uuid.h"
#include "milena/coordinator/group_requests.h"
#include "milena/coordinator/offset_record.h"
#include "milena/coordinator/record.h"

namespace milena::coordinator {

inline constexpr std::int16_t kOffsetType = 1;
/// The same before Kafka 0.8.2. The store has them as type 1; here, until it does, they only make a
/// group.
inline constexpr std::int16_t kLegacyOffsetType = 0;
inline bool is_offset_type(std::int16_t type) {
    return type == kOffsetType || type == kLegacyOffsetType;
}

struct OffsetValue {
    Offset offset;
    LeaderEpoch leader_epoch = kNoLeaderEpoch;
    std::string_view metadata;
    std::int64_t commit_ms = 0;
    /// −1: as long as the broker keeps them; else that is when it goes.
    std::int64_t expire_ms = -1;
    Uuid topic_id;  ///< zero if it was not known
};

/// With what the keys of a group begin.
std::vector<std::byte> offset_prefix(std::string_view group);
std::vector<std::byte> offset_key(const OffsetKey& key);

/// As Kafka 4.4 writes it: version 4, or 1 where the offset says itself when it goes.
Record offset_record(const OffsetKey& key, const OffsetValue& value);
Record offset_tombstone(const OffsetKey& key);

/// A view of the bytes. CORRUPT_MESSAGE if they are something else.
Result<OffsetValue> read_offset_value(BytesView value, protocol::Arena& arena);

}  // namespace milena::coordinator
