// SPDX-License-Identifier: Apache-2.0
// What a decision about transactions can be: the answer to a request, or what follows from time,
// from the high watermark and from markers.
#pragma once

#include "transaction_table.h"

namespace milena::coordinator {

void init_producer(TransactionDecision& decision, Ticket ticket,
                   const InitProducerRequest& request);
void add_partitions(TransactionDecision& decision, Ticket ticket,
                    const AddPartitionsRequest& request);
void end_transaction(TransactionDecision& decision, Ticket ticket,
                     const EndTransactionRequest& request);
void describe_transaction(TransactionDecision& decision, Ticket ticket,
                          const DescribeTransactionRequest& request);
void list_transactions(TransactionDecision& decision, Ticket ticket,
                       const ListTransactionsRequest& request);

/// Aborts an open transaction in the name of the coordinator: its producer is fenced.
/// COORDINATOR_LOAD_IN_PROGRESS: there is no producer id for the next one now.
ErrorCode fence(TransactionDecision& decision, std::string_view id, bool is_timeout);
/// That of the next transaction, if ending this one uses up the last epoch and each end bumps it;
/// else kNoProducer. COORDINATOR_LOAD_IN_PROGRESS: there is none now.
Result<ProducerId> next_producer(TransactionDecision& decision, const Transaction& before,
                                 TransactionVersion version);

/// The decision of a transaction is committed: its end is to be known to all of its partitions.
void begin_markers(TransactionDecision& decision, std::string_view id);
void take_markers(TransactionDecision& decision, const MarkerResult& result);
/// Orders those that wait, or writes that there are none left.
void go_on_with_markers(TransactionDecision& decision, std::string_view id);

/// Whether a record was written just now, or by whoever was the coordinator before.
enum class Written : std::uint8_t { now, before };
/// When something is due for an id, by its last record.
void set_timer(TransactionDecision& decision, std::string_view id, Written written);
/// The one that is due first, if one is.
void take_due(TransactionDecision& decision);

}  // namespace milena::coordinator
