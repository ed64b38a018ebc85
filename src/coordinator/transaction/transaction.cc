// SPDX-License-Identifier: Apache-2.0
// The records of a transactional id, each made from the one before.
#include "transaction.h"

#include <algorithm>
#include <array>

#include "milena/base/invariant.h"

namespace milena::coordinator {
namespace {

constexpr std::array<std::string_view, 8> kNames{
    "Empty",          "Ongoing",       "PrepareCommit", "PrepareAbort",
    "CompleteCommit", "CompleteAbort", "Dead",          "PrepareEpochFence"};

/// What each record repeats of the one before.
Transaction next_of(const Transaction& before, TransactionState state, std::int64_t now_ms) {
    Transaction next = before;
    next.previous_producer_id = before.producer_id;
    next.state = state;
    // The clock on the wall may jump; what is written goes one way.
    next.updated_ms = std::max(now_ms, before.updated_ms);
    return next;
}

bool is_later(const Transaction& before, const Transaction& next) {
    return next.producer_id != before.producer_id || next.epoch >= before.epoch;
}

}  // namespace

std::string_view text(TransactionState state) {
    return kNames.at(static_cast<std::size_t>(state));
}

bool is_prepared(TransactionState state) {
    return state == TransactionState::prepare_commit || state == TransactionState::prepare_abort;
}

bool is_complete(TransactionState state) {
    return state == TransactionState::complete_commit || state == TransactionState::complete_abort;
}

bool is_idle(TransactionState state) {
    return state == TransactionState::empty || is_complete(state);
}

bool may_follow(TransactionState state, TransactionState next) {
    switch (next) {
        case TransactionState::empty: return is_idle(state);
        case TransactionState::ongoing: return is_idle(state) || state == TransactionState::ongoing;
        case TransactionState::prepare_commit: return state == TransactionState::ongoing;
        case TransactionState::prepare_abort:
            return is_idle(state) || state == TransactionState::ongoing;
        case TransactionState::complete_commit: return state == TransactionState::prepare_commit;
        case TransactionState::complete_abort: return state == TransactionState::prepare_abort;
        case TransactionState::dead:
        case TransactionState::prepare_epoch_fence: return false;
    }
    return false;
}

bool may_follow(const Transaction& before, const Transaction& next) {
    if (!may_follow(before.state, next.state) || !is_later(before, next)) return false;
    switch (next.state) {
        case TransactionState::ongoing:
            return next.epoch == before.epoch && next.producer_id == before.producer_id &&
                   std::ranges::includes(next.partitions, before.partitions);
        case TransactionState::prepare_commit:
        case TransactionState::prepare_abort:
            return next.producer_id == before.producer_id && next.partitions == before.partitions;
        case TransactionState::complete_commit:
        case TransactionState::complete_abort:
            return next.producer_id == before.producer_id ||
                   next.producer_id == before.next_producer_id;
        default: return next.partitions.empty();
    }
}

Transaction begun(const Transaction& before, const Beginning& beginning, std::int64_t now_ms) {
    INVARIANT(is_idle(before.state), "a producer begins while its transaction goes on");
    Transaction next = next_of(before, TransactionState::empty, now_ms);
    // Of an id that is new there is no record before.
    if (before.producer_id == kNoProducer) next.previous_producer_id = beginning.producer_id;
    next.producer_id = beginning.producer_id;
    next.epoch = beginning.epoch;
    next.last_epoch = beginning.last_epoch;
    next.timeout_ms = beginning.timeout_ms;
    next.partitions.clear();
    next.start_ms = -1;
    return next;
}

Transaction added(const Transaction& before, const std::vector<TransactionPartition>& partitions,
                  TransactionVersion version, std::int64_t now_ms) {
    Transaction next = next_of(before, TransactionState::ongoing, now_ms);
    if (before.state != TransactionState::ongoing) next.start_ms = next.updated_ms;
    next.partitions.insert(partitions.begin(), partitions.end());
    next.version = version;
    return next;
}

Transaction prepared(const Transaction& before, const Ending& ending, std::int64_t now_ms) {
    const auto state =
        ending.commit ? TransactionState::prepare_commit : TransactionState::prepare_abort;
    INVARIANT(may_follow(before.state, state), "a transaction ends that can't");
    Transaction next = next_of(before, state, now_ms);
    next.version = ending.version;
    next.next_producer_id = ending.next_producer_id;
    if (next.bumps_epochs() || ending.is_fence) {
        // At INT16_MAX it can't be greater. Nobody has it, so there is nobody to be fenced.
        if (before.epoch < INT16_MAX) ++next.epoch;
        next.last_epoch = next.bumps_epochs() ? before.epoch : std::int16_t{-1};
    }
    // An abort without a transaction begins with itself.
    if (before.state != TransactionState::ongoing) next.start_ms = next.updated_ms;
    return next;
}

Transaction completed(const Transaction& before, std::int64_t now_ms) {
    const auto state = before.state == TransactionState::prepare_commit
                           ? TransactionState::complete_commit
                           : TransactionState::complete_abort;
    INVARIANT(is_prepared(before.state), "a transaction is complete that is not decided");
    Transaction next = next_of(before, state, now_ms);
    next.partitions.clear();
    if (before.next_producer_id != kNoProducer) {
        next.producer_id = before.next_producer_id;
        next.epoch = 0;
        next.next_producer_id = kNoProducer;
    }
    return next;
}

Transaction restored(Transaction read) {
    read.last_epoch = -1;
    if (!read.bumps_epochs()) return read;
    // Each end has bumped it, and only an end has written these states.
    if (is_complete(read.state) && read.previous_producer_id != read.producer_id) {
        read.last_epoch = kLastEpoch;
    } else if (is_prepared(read.state) || is_complete(read.state)) {
        read.last_epoch = static_cast<std::int16_t>(read.epoch - 1);
    }
    return read;
}

}  // namespace milena::coordinator
