// SPDX-License-Identifier: Apache-2.0
// The end of a transaction that is decided: a marker in each of its partitions, as often as it
// takes, then its last record. A marker may be written twice, which does no harm; the transaction
// is not complete before each partition has one.
#include "milena/base/invariant.h"
#include "transaction_functions.h"

namespace milena::coordinator {
namespace {

/// Before what failed is tried again, and what could not be appended.
constexpr std::int64_t kRetryMs = 100;
/// Last records that one decision has; all topics have room for such a batch.
constexpr std::size_t kStepBytesMax = 512UL << 10;

/// Whether nothing of the transaction is left open there, or there is nothing.
bool is_settled(const MarkerResult::Partition& result) {
    if (result.is_deleted) return true;
    switch (result.code) {
        case ErrorCode::none:
        // The partition has seen the producer with a newer epoch than that of this end: what was
        // open has been ended by somebody else, such as an operator. No marker of ours will ever
        // be taken.
        case ErrorCode::invalid_producer_epoch:
        // It has no transactions, so nothing was written to it in this one.
        case ErrorCode::unsupported_for_message_format:
        case ErrorCode::unsupported_version: return true;
        // All others may be otherwise the next time. TRANSACTION_COORDINATOR_FENCED is from one who
        // knows of another coordinator before this one does, which will be told soon.
        default: return false;
    }
}

MarkerOrder order_of(const TransactionDecision& decision, std::string_view id,
                     const LiveTransaction& live) {
    return {.transactional_id = std::string(id),
            .producer_id = live.said.producer_id,
            .producer_epoch = live.said.epoch,
            .commit = live.said.state == TransactionState::prepare_commit,
            .coordinator_epoch = decision.table.place.coordinator_epoch,
            .version = live.said.version,
            .partitions = {live.markers->waiting.begin(), live.markers->waiting.end()}};
}

void complete(TransactionDecision& decision, std::string_view id, const Transaction& before) {
    if (decision.bytes() >= kStepBytesMax) return decision.table.set_due(id, decision.now());
    // Until the record is applied it is due, so that one that can't be appended is tried again.
    decision.table.set_due(id, decision.in_ms(kRetryMs));
    decision.write_known(id, completed(before, decision.wall_ms()));
}

bool is_about(const MarkerResult& result, const LiveTransaction& live) {
    return live.markers != nullptr && live.said.producer_id == result.producer_id &&
           live.said.epoch == result.producer_epoch;
}

}  // namespace

void begin_markers(TransactionDecision& decision, std::string_view id) {
    LiveTransaction* const live = decision.table.find_live(id);
    INVARIANT(live != nullptr && is_prepared(live->said.state) && live->markers == nullptr,
              "markers of a transaction that is not decided");
    live->markers = std::make_unique<Markers>();
    live->markers->waiting = live->said.partitions;
    go_on_with_markers(decision, id);
}

void go_on_with_markers(TransactionDecision& decision, std::string_view id) {
    LiveTransaction& live = *decision.table.find_live(id);
    if (live.markers->are_written()) return complete(decision, id, live.said);
    decision.table.set_due(id, env::kNever);
    if (live.markers->waiting.empty()) return;
    decision.order(order_of(decision, id, live));
    live.markers->sent.merge(live.markers->waiting);
}

void take_markers(TransactionDecision& decision, const MarkerResult& result) {
    LiveTransaction* const live = decision.table.find_live(result.transactional_id);
    if (live == nullptr || !is_about(result, *live)) return;
    Markers& markers = *live->markers;
    if (markers.are_written()) return;
    for (const auto& one : result.partitions) {
        if (markers.sent.erase(one.partition) == 0 || is_settled(one)) continue;
        markers.waiting.insert(one.partition);
    }
    if (markers.are_written()) {
        complete(decision, result.transactional_id, live->said);
    } else if (!markers.waiting.empty() && live->due == env::kNever) {
        decision.table.set_due(result.transactional_id, decision.in_ms(kRetryMs));
    }
}

}  // namespace milena::coordinator
