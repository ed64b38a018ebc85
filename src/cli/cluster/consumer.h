// SPDX-License-Identifier: Apache-2.0
// Reads partitions from given offsets on, without a group.
#pragma once

#include "cluster/offsets.h"
#include "records/record_format.h"

namespace milena::cli {

struct ConsumerOptions {
    bool read_committed = false;
    bool reset_to_earliest = false;             ///< where to go when an offset is no more there
    std::int32_t wait_ms = 500;                 ///< what a leader may wait for records
    std::int32_t bytes_max = 50 * 1024 * 1024;  ///< of one answer
    std::int32_t partition_bytes_max = 1024 * 1024;  ///< of one partition in it
};

class Consumer {
public:
    /// Takes a record of a partition; false ends the poll.
    using OnRecord = std::function<bool(const TopicPartition&, const ConsumedRecord&)>;

    Consumer(Session& session, ConsumerOptions options) : session_(session), options_(options) {}

    /// Reads these partitions from these offsets on.
    void assign(std::map<TopicPartition, std::int64_t> positions) {
        positions_ = std::move(positions);
        leaders_.clear();
    }
    /// The next record of each: everything before it was given.
    const std::map<TopicPartition, std::int64_t>& positions() const { return positions_; }
    /// Asks each leader once. False when `on_record` has said so.
    env::Task<Result<bool>> poll(const OnRecord& on_record);

private:
    struct Fetched;
    env::Task<Result<bool>> fetch(BrokerId leader, const std::vector<TopicPartition>& partitions,
                                  const OnRecord& on_record);
    env::Task<Result<void>> reset(const TopicPartition& partition);
    Result<bool> take(const TopicPartition& partition, const Fetched& fetched,
                      const OnRecord& on_record);

    Session& session_;
    ConsumerOptions options_;
    std::map<TopicPartition, std::int64_t> positions_;
    std::map<BrokerId, std::vector<TopicPartition>> leaders_;  ///< empty: ask again
};

}  // namespace milena::cli
