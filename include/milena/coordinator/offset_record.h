// SPDX-License-Identifier: Apache-2.0
// What the records of committed offsets say, for those who read them beside the groups: from the
// log, or from the state store.
#pragma once

#include <string_view>

#include "milena/base/bytes.h"
#include "milena/base/ids.h"
#include "milena/base/result.h"

namespace milena::coordinator {

/// Whose offset a record is.
struct OffsetKey {
    std::string_view group;
    std::string_view topic;
    PartitionIndex partition;
};

/// A view of the bytes. CORRUPT_MESSAGE if they are something else.
Result<OffsetKey> read_offset_key(BytesView key);
/// What the group reads next. CORRUPT_MESSAGE if the bytes are something else.
Result<Offset> read_committed_offset(BytesView value);

}  // namespace milena::coordinator
