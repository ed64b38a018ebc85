// SPDX-License-Identifier: Apache-2.0
// The records of __transaction_state: TransactionLogKey 0 and TransactionLogValue 0 and 1. Version
// 1, with tagged fields, is written if the cluster's transaction.version is 1 or above.
#pragma once

#include "milena/coordinator/record.h"
#include "transaction.h"

namespace milena::coordinator {

/// INVALID_REQUEST if the id or a topic's name is longer than a field may be.
Result<Record> transaction_record(std::string_view transactional_id, const Transaction& transaction,
                                  TransactionVersion version);
Result<Record> transaction_tombstone(std::string_view transactional_id);

Result<std::string> read_transaction_key(BytesView key);
/// As restored() has it. CORRUPT_MESSAGE also for a state that no record has.
Result<Transaction> read_transaction(BytesView value);

/// What the partitions of a record take in bytes, roughly and at most.
std::size_t partition_bytes(const std::set<TransactionPartition>& partitions);

}  // namespace milena::coordinator
