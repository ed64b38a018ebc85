// SPDX-License-Identifier: Apache-2.0
// EndTxn. In the classic protocol a transaction has its producer's epoch, and so has the next one:
// what comes again after it is over is told what it was told, if it asks for the same, and what
// comes even later can't be told from the next transaction's end. By KIP-890 each end gives the
// next epoch, so the epoch says which transaction is meant.
//
//                    abort                    commit
//                    again     present        again     present
//   Empty            fenced    next epoch     fenced    invalid
//   CompleteAbort    none      next epoch     invalid   invalid
//   CompleteCommit   invalid   next epoch     none      invalid
#include "transaction_functions.h"

namespace milena::coordinator {
namespace {

struct Ended {
    ErrorCode code = ErrorCode::none;
    ProducerId producer_id = kNoProducer;
    std::int16_t epoch = -1;
};

bool has_same_outcome(const Transaction& before, bool commit) {
    return commit == (before.state == TransactionState::prepare_commit ||
                      before.state == TransactionState::complete_commit);
}

/// What is decided is decided.
ErrorCode told_of_decided(const Transaction& before, bool commit) {
    if (!has_same_outcome(before, commit)) return ErrorCode::invalid_txn_state;
    return is_prepared(before.state) ? ErrorCode::concurrent_transactions : ErrorCode::none;
}

Ended as_it_is(ErrorCode code, const Transaction& before) {
    return {code, before.producer_id, before.epoch};
}

Ended end(TransactionDecision& decision, const EndTransactionRequest& request,
          const Transaction& before, TransactionVersion version) {
    const auto next_id = next_producer(decision, before, version);
    if (!next_id) return {.code = next_id.error().code};
    const Ending ending{.commit = request.commit, .version = version, .next_producer_id = *next_id};
    Transaction next = prepared(before, ending, decision.wall_ms());
    Ended ended = as_it_is(ErrorCode::none, next);
    if (*next_id != kNoProducer) ended = {ErrorCode::none, *next_id, 0};
    decision.write_known(request.transactional_id, std::move(next));
    return ended;
}

Ended end_classic(TransactionDecision& decision, const EndTransactionRequest& request,
                  const Transaction& before) {
    if (request.producer_id != before.producer_id)
        return {.code = ErrorCode::invalid_producer_id_mapping};
    if (request.producer_epoch != before.epoch) return {.code = ErrorCode::producer_fenced};
    if (before.state == TransactionState::ongoing)
        return end(decision, request, before, TransactionVersion::classic);
    if (before.state == TransactionState::empty) return {.code = ErrorCode::invalid_txn_state};
    return as_it_is(told_of_decided(before, request.commit), before);
}

/// Which of the producer's transactions it means.
enum class Meant : std::uint8_t { last, present, none };

Meant meant(const EndTransactionRequest& request, const Transaction& before) {
    if (request.producer_id == before.producer_id) {
        if (request.producer_epoch == before.epoch) return Meant::present;
        const bool is_last = before.bumps_epochs() && request.producer_epoch + 1 == before.epoch;
        return is_last ? Meant::last : Meant::none;
    }
    if (is_prepared(before.state) && request.producer_id == before.next_producer_id)
        return request.producer_epoch == 0 ? Meant::present : Meant::none;
    const bool is_last = is_complete(before.state) && before.bumps_epochs() &&
                         request.producer_id == before.previous_producer_id &&
                         request.producer_epoch == kLastEpoch && before.epoch == 0;
    return is_last ? Meant::last : Meant::none;
}

bool knows_producer(const EndTransactionRequest& request, const Transaction& before) {
    return request.producer_id != kNoProducer && (request.producer_id == before.producer_id ||
                                                  request.producer_id == before.next_producer_id);
}

Ended end_by_epoch(TransactionDecision& decision, const EndTransactionRequest& request,
                   const Transaction& before) {
    const Meant which = meant(request, before);
    if (which == Meant::none) {
        return {.code = knows_producer(request, before) ? ErrorCode::producer_fenced
                                                        : ErrorCode::invalid_producer_id_mapping};
    }
    const bool is_decided = is_prepared(before.state) || is_complete(before.state);
    if (which == Meant::last) {
        // Of an open transaction and of a producer that has begun anew the last one is long over.
        if (!is_decided) return {.code = ErrorCode::producer_fenced};
        return as_it_is(told_of_decided(before, request.commit), before);
    }
    if (is_prepared(before.state)) return {.code = ErrorCode::concurrent_transactions};
    if (before.state != TransactionState::ongoing && request.commit)
        return {.code = ErrorCode::invalid_txn_state};
    return end(decision, request, before, TransactionVersion::epoch_a_transaction);
}

}  // namespace

Result<ProducerId> next_producer(TransactionDecision& decision, const Transaction& before,
                                 TransactionVersion version) {
    const bool bumps = version >= TransactionVersion::epoch_a_transaction;
    if (!bumps || !before.is_exhausted()) return kNoProducer;
    const auto id = decision.table.producer_ids.take();
    if (!id) return fail(ErrorCode::coordinator_load_in_progress, "no producer ids at hand");
    return *id;
}

ErrorCode fence(TransactionDecision& decision, std::string_view id, bool is_timeout) {
    const Transaction& before = *decision.table.find(id);
    const TransactionVersion version = decision.allowed(before.version);
    const auto next_id = next_producer(decision, before, version);
    if (!next_id) return next_id.error().code;
    const Ending ending{.version = version, .is_fence = true, .next_producer_id = *next_id};
    decision.write_known(id, prepared(before, ending, decision.wall_ms()), is_timeout);
    return ErrorCode::none;
}

void end_transaction(TransactionDecision& decision, Ticket ticket,
                     const EndTransactionRequest& request) {
    const Transaction* const before = decision.table.find(request.transactional_id);
    Ended ended{.code = ErrorCode::invalid_producer_id_mapping};
    if (request.transactional_id.empty()) {
        ended.code = ErrorCode::invalid_request;
    } else if (before != nullptr) {
        const bool by_epoch =
            decision.allowed(request.version) >= TransactionVersion::epoch_a_transaction;
        ended = by_epoch ? end_by_epoch(decision, request, *before)
                         : end_classic(decision, request, *before);
    }
    if (ended.code != ErrorCode::none) ended = {.code = ended.code};
    decision.answer(ticket, EndTransactionReply{.code = ended.code,
                                                .producer_id = ended.producer_id,
                                                .producer_epoch = ended.epoch});
}

}  // namespace milena::coordinator
