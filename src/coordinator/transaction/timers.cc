// SPDX-License-Identifier: Apache-2.0
// What happens when nobody asks: open transactions time out, ids that nobody uses expire, markers
// are sent again. Each id has one of these at a time. What was written in this process is measured
// by the clock that never goes back; what another node has written, by its timestamps.
#include <algorithm>

#include "milena/base/invariant.h"
#include "transaction_functions.h"

namespace milena::coordinator {
namespace {

/// Ids that are forgotten in one decision; all topics have room for such a batch.
constexpr std::size_t kForgottenBytesMax = 512UL << 10;
/// Before a transaction is aborted that could not be.
constexpr std::int64_t kRetryMs = 100;

/// Of what began at `since_ms`; no more than all of it, whatever the clock says.
std::int64_t remaining_ms(const TransactionDecision& decision, std::int64_t since_ms,
                          std::int64_t length_ms) {
    return std::clamp<std::int64_t>(length_ms - (decision.wall_ms() - since_ms), 0, length_ms);
}

/// Whose timeout is the greatest there is never times out (KIP-939).
bool times_out(const Transaction& said) {
    return said.timeout_ms != INT32_MAX;
}

void abort_timed_out(TransactionDecision& decision, std::string_view id) {
    if (fence(decision, id, true) != ErrorCode::none)
        decision.table.set_due(id, decision.in_ms(kRetryMs));
}

/// All ids that have expired, as many as one batch may have.
void forget_expired(TransactionDecision& decision) {
    std::vector<std::string> expired;
    std::size_t bytes = 0;
    while (decision.table.deadline() <= decision.now() && bytes < kForgottenBytesMax) {
        const std::string id(decision.table.first_due());
        if (!is_idle(decision.table.find(id)->state)) break;
        // If it can't be appended it is tried again; until then it makes way for the next one.
        decision.table.set_due(id, decision.in_ms(kRetryMs));
        decision.forget(id);
        bytes = decision.bytes();
    }
}

}  // namespace

void set_timer(TransactionDecision& decision, std::string_view id, Written written) {
    const Transaction& said = *decision.table.find(id);
    const bool is_new = written == Written::now;
    if (is_prepared(said.state)) {
        // Its markers go out when the record is committed; they did if it was before.
        decision.table.set_due(id, is_new ? env::kNever : decision.now());
        return;
    }
    if (said.state == TransactionState::ongoing && !times_out(said)) return;
    const bool is_open = said.state == TransactionState::ongoing;
    const std::int64_t length = is_open ? std::max(said.timeout_ms, 0)
                                        : decision.table.options.transactional_id_expiration_ms;
    const std::int64_t since = is_open ? said.start_ms : said.updated_ms;
    const std::int64_t left = is_new ? length : remaining_ms(decision, since, length);
    decision.table.set_due(id, decision.in_ms(left));
}

void take_due(TransactionDecision& decision) {
    if (decision.table.deadline() > decision.now()) return;
    const std::string id(decision.table.first_due());
    const LiveTransaction& live = *decision.table.find_live(id);
    if (is_idle(live.said.state)) return forget_expired(decision);
    if (live.said.state == TransactionState::ongoing) return abort_timed_out(decision, id);
    if (live.markers == nullptr) return begin_markers(decision, id);
    go_on_with_markers(decision, id);
}

}  // namespace milena::coordinator
