// SPDX-License-Identifier: Apache-2.0
// As consumers do it (KIP-98): a producer's records are void from the beginning of an aborted
// transaction to the marker that ends it.
#include "committed_records.h"

#include <set>

#include <fmt/format.h>

#include "milena/record/compression.h"

namespace milena::drivers {
namespace {

class Transactions {
public:
    explicit Transactions(std::span<const storage::AbortedTransaction> aborted)
        : to_come_(aborted) {}

    /// Whether the next batch has nothing to be seen.
    bool pass(record::BatchView batch) {
        // With a marker too: of the transaction that it ends there may be nothing left but it.
        while (!to_come_.empty() && to_come_.front().first_offset <= batch.last_offset()) {
            void_.insert(to_come_.front().producer);
            to_come_ = to_come_.subspan(1);
        }
        if (batch.is_control()) {
            void_.erase(batch.producer_id());
            return true;
        }
        return batch.is_transactional() && void_.contains(batch.producer_id());
    }

private:
    std::span<const storage::AbortedTransaction> to_come_;
    std::set<ProducerId> void_;
};

Result<void> walk(record::BatchView batch, Offset from, record::Scratch& scratch,
                  const EachCommitted& each) {
    Result<void> outcome;
    const auto one = [&](const record::RecordView& record) {
        if (record.offset >= from) outcome = each(record, batch.leader_epoch());
        return outcome.has_value();
    };
    TRY_VOID(record::for_each_record(batch, {}, one, &scratch));
    return outcome;
}

}  // namespace

Result<ReadEnd> for_each_committed(const ReadBatches& batches, record::Scratch& scratch,
                                   const EachCommitted& each) {
    Transactions transactions(batches.aborted);
    ReadEnd read{.end = batches.from};
    for (BytesView rest = batches.bytes;;) {
        TRY(const auto batch, record::first_batch(rest));
        if (!batch) return read;
        if (!batch->check_crc()) {
            return fail(
                ErrorCode::corrupt_message,
                fmt::format("the batch at offset {} has a wrong CRC", batch->base_offset()));
        }
        if (!transactions.pass(*batch)) TRY_VOID(walk(*batch, batches.from, scratch, each));
        read = {std::max(batches.from, batch->next_offset()), batch->leader_epoch()};
        rest = rest.subspan(batch->size());
    }
}

}  // namespace milena::drivers
