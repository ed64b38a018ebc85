// SPDX-License-Identifier: Apache-2.0
// AddPartitionsToTxn: a transaction begins with its first partition, and ends in all of them. Asked
// by a producer before it writes, or by a partition's leader when a producer writes there first
// (KIP-890); or by a leader who only wants to know whether the producer has asked.
#include <algorithm>

#include "transaction_functions.h"
#include "transaction_records.h"

namespace milena::coordinator {
namespace {

/// What the partitions of a transaction may take in its record: with the rest of it, less than a
/// batch of 1 MiB.
constexpr std::size_t kPartitionBytesMax = 900UL << 10;

bool is_current(const AddPartitionsRequest& request, const Transaction& before) {
    return request.producer_id == before.producer_id && request.producer_epoch == before.epoch;
}

/// Its last transaction has used up the epochs; it has been told what it goes on with.
bool is_next(const AddPartitionsRequest& request, const Transaction& before) {
    return request.producer_id == before.next_producer_id && request.producer_epoch == 0;
}

/// Whether the producer may have a transaction now.
ErrorCode check_producer(const AddPartitionsRequest& request, const Transaction* before) {
    if (request.transactional_id.empty()) return ErrorCode::invalid_request;
    if (before == nullptr || request.producer_id == kNoProducer)
        return ErrorCode::invalid_producer_id_mapping;
    if (is_prepared(before->state) && (is_current(request, *before) || is_next(request, *before)))
        return ErrorCode::concurrent_transactions;
    if (request.producer_id != before->producer_id) return ErrorCode::invalid_producer_id_mapping;
    if (request.producer_epoch != before->epoch) return ErrorCode::producer_fenced;
    return ErrorCode::none;
}

AddPartitionsReply verified(const AddPartitionsRequest& request, const Transaction& transaction) {
    AddPartitionsReply reply;
    for (const auto& partition : request.partitions) {
        const bool is_in = transaction.partitions.contains(partition);
        reply.partitions.push_back(is_in ? ErrorCode::none : ErrorCode::transaction_abortable);
    }
    return reply;
}

ErrorCode add(TransactionDecision& decision, const AddPartitionsRequest& request,
              const Transaction& before) {
    const auto is_in = [&](const TransactionPartition& partition) {
        return before.partitions.contains(partition);
    };
    if (before.state == TransactionState::ongoing && std::ranges::all_of(request.partitions, is_in))
        return ErrorCode::none;
    if (decision.table.partitions() + request.partitions.size() >
        decision.table.options.partitions_max)
        return ErrorCode::coordinator_load_in_progress;
    Transaction next =
        added(before, request.partitions, decision.allowed(request.version), decision.wall_ms());
    if (partition_bytes(next.partitions) > kPartitionBytesMax)
        return ErrorCode::unknown_server_error;
    const auto written = decision.write(request.transactional_id, std::move(next));
    return written ? ErrorCode::none : ErrorCode::invalid_request;
}

}  // namespace

void add_partitions(TransactionDecision& decision, Ticket ticket,
                    const AddPartitionsRequest& request) {
    const Transaction* const before = decision.table.find(request.transactional_id);
    ErrorCode code = check_producer(request, before);
    if (code == ErrorCode::none && request.verify_only)
        return decision.answer(ticket, verified(request, *before));
    if (code == ErrorCode::none) code = add(decision, request, *before);
    decision.answer(ticket, AddPartitionsReply{.code = code});
}

}  // namespace milena::coordinator
