// SPDX-License-Identifier: Apache-2.0
// DescribeTransactions and ListTransactions: what the last records say.
#include <algorithm>

#include "pattern.h"
#include "transaction_functions.h"

namespace milena::coordinator {
namespace {

constexpr TransactionState kStates[]{TransactionState::empty,
                                     TransactionState::ongoing,
                                     TransactionState::prepare_commit,
                                     TransactionState::prepare_abort,
                                     TransactionState::complete_commit,
                                     TransactionState::complete_abort,
                                     TransactionState::dead,
                                     TransactionState::prepare_epoch_fence};

/// A request's filters, looked up.
struct Filters {
    std::set<TransactionState> states;
    std::vector<std::string> unknown;
    std::set<ProducerId> producer_ids;
    std::optional<Pattern> pattern;
};

Result<Filters> filters_of(const ListTransactionsRequest& request) {
    Filters filters;
    for (const std::string& name : request.states) {
        const auto* const found = std::ranges::find(kStates, name, text);
        if (found == std::end(kStates)) {
            filters.unknown.push_back(name);
        } else {
            filters.states.insert(*found);
        }
    }
    filters.producer_ids.insert(request.producer_ids.begin(), request.producer_ids.end());
    if (request.pattern && !request.pattern->empty()) {
        TRY(filters.pattern, Pattern::make(*request.pattern));
    }
    return filters;
}

bool fits(const ListTransactionsRequest& request, const Filters& filters, std::int64_t now_ms,
          const std::pair<const std::string, LiveTransaction>& one) {
    const auto& [id, live] = one;
    if (!request.states.empty() && !filters.states.contains(live.said.state)) return false;
    if (!filters.producer_ids.empty() && !filters.producer_ids.contains(live.said.producer_id))
        return false;
    // Also of those that are over: since they began, as in Kafka.
    if (request.duration_ms >= 0 && now_ms - live.said.start_ms <= request.duration_ms)
        return false;
    return !filters.pattern || filters.pattern->matches(id);
}

}  // namespace

void describe_transaction(TransactionDecision& decision, Ticket ticket,
                          const DescribeTransactionRequest& request) {
    const auto refuse = [&](ErrorCode code) {
        decision.answer(ticket, DescribeTransactionReply{.code = code});
    };
    if (request.transactional_id.empty()) return refuse(ErrorCode::invalid_request);
    const Transaction* const said = decision.table.find(request.transactional_id);
    if (said == nullptr) return refuse(ErrorCode::transactional_id_not_found);
    DescribeTransactionReply reply{.state = said->state,
                                   .timeout_ms = said->timeout_ms,
                                   .start_ms = said->start_ms,
                                   .producer_id = said->producer_id,
                                   .producer_epoch = said->epoch,
                                   .partitions = {}};
    reply.partitions.assign(said->partitions.begin(), said->partitions.end());
    decision.answer(ticket, std::move(reply));
}

void list_transactions(TransactionDecision& decision, Ticket ticket,
                       const ListTransactionsRequest& request) {
    const auto filters = filters_of(request);
    ListTransactionsReply reply;
    if (!filters) {
        reply.code = filters.error().code;
        return decision.answer(ticket, std::move(reply));
    }
    reply.unknown_states = filters->unknown;
    for (const auto& one : decision.table.ids()) {
        if (fits(request, *filters, decision.wall_ms(), one))
            reply.transactions.push_back(
                {one.first, one.second.said.producer_id, one.second.said.state});
    }
    decision.answer(ticket, std::move(reply));
}

}  // namespace milena::coordinator
