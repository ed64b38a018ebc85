// SPDX-License-Identifier: Apache-2.0
// Offsets of partitions, asked of their leaders.
#pragma once

#include "cluster/session.h"

namespace milena::cli {

struct TopicPartition {
    std::string topic;
    std::int32_t partition = 0;
    auto operator<=>(const TopicPartition&) const = default;
    /// "topic-3".
    std::string text() const;
};

/// Of a call to a broker that did not get through: another may lead by now.
bool is_out_of_reach(ErrorCode code);

/// What ListOffsets can be asked for instead of a time.
inline constexpr std::int64_t kLatest = -1;
inline constexpr std::int64_t kEarliest = -2;
inline constexpr std::int64_t kMaxTimestamp = -3;
inline constexpr std::int64_t kEarliestLocal = -4;
inline constexpr std::int64_t kLatestTiered = -5;
inline constexpr std::int64_t kEarliestPendingUpload = -6;

/// A partition's offset, −1 if it has none of that time, or why it can't be told.
using OffsetAnswers = std::map<TopicPartition, Result<std::int64_t>>;

/// The offsets at `timestamp`, one of the numbers above or a time. Waits for leaders to be there.
env::Task<Result<OffsetAnswers>> list_offsets(Session& session,
                                              std::vector<TopicPartition> partitions,
                                              std::int64_t timestamp);

/// Partitions by the broker that leads them; refreshes what the client knows, and waits while a
/// leader is missing. A topic that is not there is an error.
env::Task<Result<std::map<BrokerId, std::vector<TopicPartition>>>> by_leader(
    Session& session, const std::vector<TopicPartition>& partitions);

}  // namespace milena::cli
