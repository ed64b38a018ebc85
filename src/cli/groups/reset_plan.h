// SPDX-License-Identifier: Apache-2.0
// What reset-offsets is told and prints, and what it makes of both: topics with partitions, CSV,
// and offsets kept within what a partition has. No I/O.
#pragma once

#include <optional>

#include "groups/group_tables.h"

namespace milena::cli {

/// "topic" or "topic:0,1,2". INVALID_REQUEST, which is wrong usage, for other numbers.
struct ResetScope {
    std::string topic;
    std::vector<std::int32_t> partitions{};  ///< empty: all
    bool operator==(const ResetScope&) const = default;
};
Result<ResetScope> parse_scope(std::string_view text);

/// An offset within the partition's range, and what is to be warned of.
struct Clamped {
    std::int64_t offset = 0;
    std::string warning{};  ///< empty if the offset is what was asked for
};
Clamped clamp_offset(const TopicPartition& partition, std::int64_t wanted, std::int64_t earliest,
                     std::int64_t latest);

/// Lines of "topic,partition,offset", or with `with_group` of "group,topic,partition,offset".
/// `group` is whose they are in the first form.
Result<NewOffsets> parse_csv(std::string_view text, bool with_group, const std::string& group);

/// The same lines of offsets, and an empty line after them, as the tool prints them.
std::string csv_of(const NewOffsets& offsets, bool with_group);

}  // namespace milena::cli
