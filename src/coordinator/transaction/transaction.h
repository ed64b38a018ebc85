// SPDX-License-Identifier: Apache-2.0
// A transactional id as its last record says it, and the records that may follow. Pure: each
// function takes what there is and gives what is to be written.
#pragma once

#include <set>

#include "milena/coordinator/transaction_requests.h"

namespace milena::coordinator {

/// The last epoch that a client may have: one is left to fence it with.
inline constexpr std::int16_t kLastEpoch = INT16_MAX - 1;

struct Transaction {
    ProducerId producer_id = kNoProducer;
    /// That of the record before.
    ProducerId previous_producer_id = kNoProducer;
    /// That of the next transaction, if this one uses up the last epoch.
    ProducerId next_producer_id = kNoProducer;
    std::int16_t epoch = -1;
    std::int16_t next_epoch = -1;  ///< KIP-939; kept as it is
    std::int32_t timeout_ms = 0;
    TransactionState state = TransactionState::empty;
    std::set<TransactionPartition> partitions{};
    std::int64_t updated_ms = -1;
    std::int64_t start_ms = -1;
    TransactionVersion version = TransactionVersion::classic;  ///< of the client
    /// The epoch that the producer had before it was told this one, so that it may ask again; −1 if
    /// none may (KIP-360). In no record: restored() says what can be known of it.
    std::int16_t last_epoch = -1;

    bool is_exhausted() const { return epoch >= kLastEpoch; }
    bool bumps_epochs() const { return version >= TransactionVersion::epoch_a_transaction; }
    bool operator==(const Transaction&) const = default;
};

/// One that is decided and whose markers are not all written.
bool is_prepared(TransactionState state);
bool is_complete(TransactionState state);
/// One that expires if nobody uses it.
bool is_idle(TransactionState state);

/// Whether a record of `next` may follow one of `state`.
bool may_follow(TransactionState state, TransactionState next);
/// What must hold between two records of an id: the epoch never goes back, the outcome of a
/// transaction never changes, and what it wrote to is not forgotten before it is complete.
bool may_follow(const Transaction& before, const Transaction& next);

/// A producer that begins anew, with the id and epoch that it has from now on.
struct Beginning {
    ProducerId producer_id = kNoProducer;
    std::int16_t epoch = 0;
    std::int16_t last_epoch = -1;
    std::int32_t timeout_ms = 0;
};
Transaction begun(const Transaction& before, const Beginning& beginning, std::int64_t now_ms);
Transaction added(const Transaction& before, const std::vector<TransactionPartition>& partitions,
                  TransactionVersion version, std::int64_t now_ms);
/// How a transaction ends.
struct Ending {
    bool commit = false;
    TransactionVersion version = TransactionVersion::classic;
    /// Not by its producer, who is to have a newer epoch before it goes on.
    bool is_fence = false;
    /// If the last epoch is used up; of those that bump it each time.
    ProducerId next_producer_id = kNoProducer;
};
Transaction prepared(const Transaction& before, const Ending& ending, std::int64_t now_ms);
Transaction completed(const Transaction& before, std::int64_t now_ms);
/// As it is known to one that has read its record.
Transaction restored(Transaction read);

}  // namespace milena::coordinator
