// SPDX-License-Identifier: Apache-2.0
// The transactions of one partition of __transaction_state: a state machine without I/O, threads or
// waits. Its host has it decide one thing at a time, as it does with groups (groups.h):
//
//   ask() -> append -> apply() of each record -> committed() -> answers, markers to send
//                 \-> append_failed()
//
// All that is known of a transactional id is in its last record. A request only reads it, and says
// what the next record is; apply() alone changes it. So the next request sees what is appended and
// not yet committed, and is answered when both are.
//
// A transaction is decided by its record PrepareCommit or PrepareAbort. Once that is committed the
// step has a MarkerOrder; the host has the markers written and tells marked() what became of them.
// What was not written is ordered again. When none is left the last record is written.
#pragma once

#include <memory>
#include <vector>

#include "milena/coordinator/groups.h"
#include "milena/coordinator/record.h"
#include "milena/coordinator/transaction_requests.h"
#include "milena/env/clock.h"

namespace milena::coordinator {

/// The broker's keys that transactions go by; names are the keys'.
struct TransactionOptions {
    std::int32_t transaction_max_timeout_ms = 900'000;
    std::int64_t transactional_id_expiration_ms = 7LL * 24 * 3600 * 1000;
    /// Most ids that one partition remembers. More are COORDINATOR_LOAD_IN_PROGRESS until some have
    /// expired.
    std::size_t ids_max = 1'000'000;
    /// Most partitions in its transactions, all told; more are refused likewise.
    std::size_t partitions_max = 1'000'000;
};

/// Ids that nobody has had, out of the node's block of them.
class ProducerIdSource {
public:
    virtual ~ProducerIdSource() = default;
    /// Nothing while the controller is being asked for more.
    virtual std::optional<ProducerId> take() = 0;
};

struct TransactionAnswer {
    Ticket ticket = 0;
    TransactionReply reply{};
};

/// What one decision comes to.
struct TransactionStep {
    /// To be appended as one batch. If that fails the decision is void: append_failed().
    std::vector<Record> records{};
    /// To be given when these records and all before them are committed. If the append fails those
    /// that wait are told why instead, and these answers are dropped.
    std::vector<TransactionAnswer> answers{};
    /// To be sent, whatever becomes of the records. Each partition of each comes back once, in a
    /// call of marked().
    std::vector<MarkerOrder> markers{};
};

using TransactionTime = GroupTime;

class Transactions {
public:
    struct Place {
        /// Leader epoch of the partition of __transaction_state: markers have it, so that those of
        /// a coordinator that does not know that it is none any more are refused.
        std::int32_t coordinator_epoch = 0;
        /// Of the cluster's feature transaction.version.
        TransactionVersion version = TransactionVersion::epoch_a_transaction;
    };

    /// `ids` outlives this.
    static std::unique_ptr<Transactions> make(TransactionOptions options, Place place,
                                              ProducerIdSource& ids);
    virtual ~Transactions() = default;

    // Taking over: load() of all that the state store has, then of the log from there on; then
    // loaded(), when all of that is committed.
    /// What a record says; it is taken on trust. An error names a record that can't be read: it is
    /// to be logged and skipped.
    virtual Result<void> load(const RecordView& record) = 0;
    /// Everything is read. Timeouts go on; markers of transactions that are decided are sent again,
    /// by tick().
    virtual TransactionStep loaded(const TransactionTime& time) = 0;

    /// Answers in this step, each ticket once.
    virtual TransactionStep ask(Ticket ticket, const TransactionRequest& request,
                                const TransactionTime& time) = 0;
    /// The records of the last step, in their order, as they were appended.
    virtual void apply(const RecordView& record, const TransactionTime& time) = 0;
    /// The records of the last step were not appended.
    virtual TransactionStep append_failed(ErrorCode why, const TransactionTime& time) = 0;
    /// The high watermark: all below it is committed. It never goes back.
    virtual TransactionStep committed(Offset high_watermark, const TransactionTime& time) = 0;
    /// What became of markers. Those of another transaction than the one at hand are ignored.
    virtual TransactionStep marked(const MarkerResult& result, const TransactionTime& time) = 0;
    /// As it is from now on: led in a newer epoch, or the cluster's features have changed.
    virtual void follow(Place place) = 0;

    /// What is due: transactions that have timed out, ids that have expired, markers that have to
    /// be sent again. One thing at a time; ask again.
    virtual TransactionStep tick(const TransactionTime& time) = 0;
    /// When to call it next.
    virtual env::Instant deadline() const = 0;

    virtual TransactionFigures figures() const = 0;
};

}  // namespace milena::coordinator
