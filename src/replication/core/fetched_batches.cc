// SPDX-License-Identifier: Apache-2.0
// Walks over fetched bytes batch by batch and stops where they may not be appended.
#include "core/fetched_batches.h"

namespace milena::replication {

Result<FetchedBatches> check_fetched(BytesView bytes, Offset from, LeaderEpoch fetched_in) {
    FetchedBatches taken{bytes.first(0), from};
    for (;;) {
        TRY(const std::optional<record::BatchView> batch,
            record::first_batch(bytes.subspan(taken.bytes.size())));
        if (!batch || batch->leader_epoch() > fetched_in) return taken;
        if (batch->base_offset() < taken.end || batch->last_offset_delta() < 0) {
            return fail(ErrorCode::corrupt_message,
                        fmt::format("batch at offset {} where {} or later is due",
                                    batch->base_offset(), taken.end));
        }
        if (!batch->check_crc()) {
            return fail(ErrorCode::corrupt_message,
                        fmt::format("the checksum of the batch at offset {} does not match",
                                    batch->base_offset()));
        }
        taken.bytes = bytes.first(taken.bytes.size() + batch->size());
        taken.end = batch->next_offset();
    }
}

}  // namespace milena::replication
