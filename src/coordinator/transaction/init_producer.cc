// SPDX-License-Identifier: Apache-2.0
// InitProducerId with a transactional id: a producer that has it alone from now on. An epoch newer
// than all before, or the next id when epochs are used up; an open transaction is aborted first,
// and the client comes again. A producer that says who it was (KIP-360) goes on if nobody else has
// begun since.
#include "transaction_functions.h"

namespace milena::coordinator {
namespace {

void refuse(TransactionDecision& decision, Ticket ticket, ErrorCode code) {
    decision.answer(ticket, InitProducerReply{.code = code});
}

ErrorCode check(const TransactionDecision& decision, const InitProducerRequest& request) {
    if (request.transactional_id.empty()) return ErrorCode::invalid_request;
    if ((request.producer_id == kNoProducer) != (request.producer_epoch == -1))
        return ErrorCode::invalid_request;
    if (request.enable_2pc) return ErrorCode::transactional_id_authorization_failed;
    if (request.keep_prepared) return ErrorCode::unsupported_version;
    if (request.timeout_ms <= 0 ||
        request.timeout_ms > decision.table.options.transaction_max_timeout_ms)
        return ErrorCode::invalid_transaction_timeout;
    return ErrorCode::none;
}

bool says_who_it_was(const InitProducerRequest& request) {
    return request.producer_id != kNoProducer;
}

bool is_current(const InitProducerRequest& request, const Transaction& before) {
    return request.producer_id == before.producer_id && request.producer_epoch == before.epoch;
}

/// It was told the epoch that there is now, and has not heard it.
bool is_retry(const InitProducerRequest& request, const Transaction& before) {
    if (request.producer_epoch != before.last_epoch) return false;
    if (request.producer_id == before.producer_id) return before.last_epoch < before.epoch;
    // The answer had the next id, with its first epoch.
    return request.producer_id == before.previous_producer_id && before.epoch == 0;
}

Result<ProducerId> take_id(TransactionDecision& decision) {
    const auto id = decision.table.producer_ids.take();
    if (!id) return fail(ErrorCode::coordinator_load_in_progress, "no producer ids at hand");
    return *id;
}

/// What the producer is from now on.
Result<Beginning> beginning_of(TransactionDecision& decision, const InitProducerRequest& request,
                               const Transaction& before) {
    const bool says = says_who_it_was(request);
    if (says && is_retry(request, before))
        return Beginning{before.producer_id, before.epoch, before.last_epoch, request.timeout_ms};
    if (says && !is_current(request, before))
        return fail(ErrorCode::producer_fenced, "another producer has begun since");
    const std::int16_t last = says ? before.epoch : std::int16_t{-1};
    if (before.is_exhausted()) {
        TRY(const ProducerId id, take_id(decision));
        return Beginning{id, 0, last, request.timeout_ms};
    }
    return Beginning{before.producer_id, static_cast<std::int16_t>(before.epoch + 1), last,
                     request.timeout_ms};
}

Result<Beginning> first_beginning(TransactionDecision& decision,
                                  const InitProducerRequest& request) {
    if (decision.table.ids().size() >= decision.table.options.ids_max)
        return fail(ErrorCode::coordinator_load_in_progress, "too many transactional ids");
    TRY(const ProducerId id, take_id(decision));
    return Beginning{id, 0, -1, request.timeout_ms};
}

void begin(TransactionDecision& decision, Ticket ticket, const InitProducerRequest& request,
           const Transaction* before) {
    const auto beginning = before == nullptr ? first_beginning(decision, request)
                                             : beginning_of(decision, request, *before);
    if (!beginning) return refuse(decision, ticket, beginning.error().code);
    const Transaction next =
        begun(before == nullptr ? Transaction() : *before, *beginning, decision.wall_ms());
    const auto written = decision.write(request.transactional_id, next);
    if (!written) return refuse(decision, ticket, ErrorCode::invalid_request);
    decision.answer(ticket, InitProducerReply{.producer_id = beginning->producer_id,
                                              .producer_epoch = beginning->epoch});
}

}  // namespace

void init_producer(TransactionDecision& decision, Ticket ticket,
                   const InitProducerRequest& request) {
    if (const auto code = check(decision, request); code != ErrorCode::none)
        return refuse(decision, ticket, code);
    const Transaction* const before = decision.table.find(request.transactional_id);
    if (before != nullptr && is_prepared(before->state))
        return refuse(decision, ticket, ErrorCode::concurrent_transactions);
    if (before == nullptr || before->state != TransactionState::ongoing)
        return begin(decision, ticket, request, before);
    // Of those that were a producer before only the present one may end its transaction.
    if (says_who_it_was(request) && !is_current(request, *before))
        return refuse(decision, ticket, ErrorCode::producer_fenced);
    const ErrorCode code = fence(decision, request.transactional_id, false);
    refuse(decision, ticket, code == ErrorCode::none ? ErrorCode::concurrent_transactions : code);
}

}  // namespace milena::coordinator
