// SPDX-License-Identifier: Apache-2.0
// Batches with fewer records than they had, as log compaction leaves them: what stays keeps its
// offset and its time, the batch its offsets, sequences, producer, epoch and codec.
#pragma once

#include <optional>
#include <vector>

#include "milena/record/compression.h"
#include "milena/record/records.h"

namespace milena::record {

class BatchRewriter {
public:
    /// Of `original`, whose records are told in their order. With `delete_horizon` the batch says
    /// from now on when its tombstones may go (KIP-534); without, it says what it said before.
    BatchRewriter(BatchView original, std::optional<Timestamp> delete_horizon);

    void keep(const RecordView& record);
    std::int32_t count() const { return count_; }
    /// Bytes of the kept records, not compressed.
    std::size_t plain_bytes() const { return plain_.size(); }
    /// The new batch; at least one record was kept.
    Result<std::vector<std::byte>> finish() &&;

private:
    BatchView original_;
    Timestamp base_timestamp_;
    bool has_horizon_;
    Timestamp max_timestamp_{-1};
    std::int32_t count_ = 0;
    std::vector<std::byte> plain_;
};

/// `original` without any record: what it says of its producer, its offsets and its leader epoch.
std::vector<std::byte> empty_batch(BatchView original);

/// What has_delete_horizon() speaks of; nothing without it.
std::optional<Timestamp> delete_horizon(const BatchView& batch);

}  // namespace milena::record
