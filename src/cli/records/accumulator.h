// SPDX-License-Identifier: Apache-2.0
// What a producer has taken and has not got rid of: for each partition one batch that is being
// filled and those that are closed, in their order. It decides which batch may leave when, and
// counts the memory; it sends nothing and knows no clock.
#pragma once

#include <deque>
#include <map>

#include "records/batch_writer.h"

namespace milena::cli {

/// What is remembered of a record until it is known what became of it.
struct RecordReceipt {
    std::int64_t key_bytes = -1;    ///< -1: it has none
    std::int64_t value_bytes = -1;  ///< -1: it is null
    env::Instant taken_at{};
};

/// A finished batch on its way.
struct ClosedBatch {
    std::int32_t partition = 0;
    std::vector<std::byte> bytes;
    std::size_t charged_bytes = 0;  ///< of the accumulator's memory, until release()
    std::vector<RecordReceipt> records;
    env::Instant began{};       ///< when its first record was taken
    env::Instant not_before{};  ///< when it may be sent (again)
    std::int64_t attempts = 0;
};

class Accumulator {
public:
    struct Limits {
        std::size_t batch_bytes = 16'384;  ///< a batch is closed before it grows beyond this
        env::Duration linger{};            ///< how long a batch waits for more records
        std::size_t buffer_bytes = 32U << 20;
        record::Codec codec = record::Codec::none;
    };

    explicit Accumulator(Limits limits) : limits_(limits) {}

    /// Whether there is memory for a record; one always fits when nothing else is there.
    bool has_room(const RecordParts& record) const;
    /// Takes a record; true if that closed a batch.
    bool append(std::int32_t partition, const RecordParts& record, env::Instant now);
    /// All that has been taken by now may leave at once.
    void close_all();

    /// When the partition's next batch may leave: now or earlier if it is closed, at the end of its
    /// linger if it is being filled. Nothing if there is none.
    std::optional<env::Instant> due(std::int32_t partition) const;
    /// The partition's next batch. due() must have come.
    ClosedBatch take(std::int32_t partition);
    /// Puts a batch that was taken back, before the others of its partition.
    void give_back(ClosedBatch batch);
    /// A batch that was taken is done: its memory is free.
    void release(const ClosedBatch& batch);

    /// Bytes of all batches, those that were taken and not released among them.
    std::size_t bytes() const { return bytes_; }
    bool empty() const { return bytes_ == 0; }

private:
    struct Partition {
        BatchWriter writer;
        std::vector<RecordReceipt> records;
        env::Instant began{};
        std::deque<ClosedBatch> closed;
    };
    void close(std::int32_t index, Partition& partition);

    Limits limits_;
    std::map<std::int32_t, Partition> partitions_;
    std::size_t bytes_ = 0;
};

}  // namespace milena::cli
