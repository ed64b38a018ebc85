// SPDX-License-Identifier: Apache-2.0
// Follows the aborted transactions that the indexes name, and takes all others for committed.
#include "cleaner/cleaned_transactions.h"

#include "producers/producer_states.h"

namespace milena::storage {

void CleanedTransactions::add(std::vector<IndexedTransaction> aborted) {
    for (const IndexedTransaction& one : aborted) {
        const auto [first, last] = to_come_.equal_range(one.first_offset);
        const bool is_known =
            std::any_of(first, last, [&](const auto& known) { return known.second == one; });
        const auto ongoing = aborted_.find(one.producer);
        if (is_known || (ongoing != aborted_.end() && ongoing->second.transaction == one)) continue;
        to_come_.emplace(one.first_offset, one);
    }
}

void CleanedTransactions::begin_up_to(Offset offset) {
    while (!to_come_.empty() && to_come_.begin()->first <= offset) {
        const IndexedTransaction next = to_come_.begin()->second;
        to_come_.erase(to_come_.begin());
        aborted_.try_emplace(next.producer, Ongoing{next});
    }
}

bool CleanedTransactions::pass_data(const record::BatchView& batch) {
    begin_up_to(batch.last_offset());
    if (!batch.is_transactional()) return false;
    const auto aborted = aborted_.find(batch.producer_id());
    if (aborted == aborted_.end()) {
        committed_.insert(batch.producer_id());
        return false;
    }
    aborted->second.has_batch = true;
    return true;
}

bool CleanedTransactions::pass_control(const record::BatchView& batch) {
    begin_up_to(batch.last_offset());
    if (batch.record_count() == 0) return true;
    const auto marker = end_marker_of(batch);
    if (!marker) return false;
    if (!marker->is_abort) return committed_.erase(marker->producer) == 0;
    const auto aborted = aborted_.find(marker->producer);
    if (aborted == aborted_.end()) return true;
    const Ongoing ended = aborted->second;
    aborted_.erase(aborted);
    if (ended.has_batch) indexed_ = ended.transaction;
    return !ended.has_batch;
}

}  // namespace milena::storage
