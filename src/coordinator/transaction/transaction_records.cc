// SPDX-License-Identifier: Apache-2.0
// From a transaction to its record and back.
#include "transaction_records.h"

#include <algorithm>

#include <fmt/format.h>

#include "milena/protocol/records/transaction.h"

namespace milena::coordinator {
namespace {

using protocol::TransactionLogKey;
using protocol::TransactionLogValue;

/// The partitions by topic, and what the message looks at while it is encoded.
struct ByTopic {
    std::vector<std::vector<std::int32_t>> indexes;
    std::vector<TransactionLogValue::PartitionsSchema> topics;
};

ByTopic by_topic(const std::set<TransactionPartition>& partitions) {
    ByTopic all;
    for (const auto& [topic, partition] : partitions) {
        if (all.topics.empty() || all.topics.back().topic != topic) {
            all.topics.push_back({.topic = topic});
            all.indexes.emplace_back();
        }
        all.indexes.back().push_back(partition.value);
    }
    for (std::size_t at = 0; at < all.topics.size(); ++at)
        all.topics[at].partition_ids = all.indexes[at];
    return all;
}

/// One that no record has is refused: Dead and PrepareEpochFence too.
bool is_written(std::int8_t status) {
    return status >= static_cast<std::int8_t>(TransactionState::empty) &&
           status <= static_cast<std::int8_t>(TransactionState::complete_abort);
}

}  // namespace

Result<Record> transaction_record(std::string_view transactional_id, const Transaction& transaction,
                                  TransactionVersion version) {
    const ByTopic partitions = by_topic(transaction.partitions);
    TransactionLogValue value;
    value.producer_id = transaction.producer_id.value;
    value.producer_epoch = transaction.epoch;
    value.transaction_timeout_ms = transaction.timeout_ms;
    value.transaction_status = static_cast<std::int8_t>(transaction.state);
    if (transaction.state == TransactionState::empty) {
        value.transaction_partitions = std::nullopt;
    } else {
        value.transaction_partitions = partitions.topics;
    }
    value.transaction_last_update_timestamp_ms = transaction.updated_ms;
    value.transaction_start_timestamp_ms = transaction.start_ms;
    if (version == TransactionVersion::classic)
        return make_record(TransactionLogKey{.transactional_id = transactional_id}, value, 0);
    value.previous_producer_id = transaction.previous_producer_id.value;
    value.next_producer_id = transaction.next_producer_id.value;
    value.next_producer_epoch = transaction.next_epoch;
    value.client_transaction_version = static_cast<std::int16_t>(transaction.version);
    return make_record(TransactionLogKey{.transactional_id = transactional_id}, value, 1);
}

Result<Record> transaction_tombstone(std::string_view transactional_id) {
    return make_tombstone(TransactionLogKey{.transactional_id = transactional_id});
}

Result<std::string> read_transaction_key(BytesView key) {
    const auto type = leading_number(key);
    if (type != TransactionLogKey::kKey)
        return fail(ErrorCode::corrupt_message,
                    fmt::format("records of type {} are not known", type.value_or(-1)));
    protocol::Arena arena;
    TRY(const auto read, decode_after_number<TransactionLogKey>(key, arena));
    return std::string(read.transactional_id);
}

Result<Transaction> read_transaction(BytesView value) {
    protocol::Arena arena;
    TRY(const auto read, decode_after_number<TransactionLogValue>(value, arena));
    if (!is_written(read.transaction_status)) {
        return fail(ErrorCode::corrupt_message,
                    fmt::format("no transaction has the state {}", read.transaction_status));
    }
    Transaction transaction;
    transaction.producer_id = ProducerId(read.producer_id);
    transaction.previous_producer_id = ProducerId(read.previous_producer_id);
    transaction.next_producer_id = ProducerId(read.next_producer_id);
    transaction.epoch = read.producer_epoch;
    transaction.next_epoch = read.next_producer_epoch;
    transaction.timeout_ms = read.transaction_timeout_ms;
    transaction.state = static_cast<TransactionState>(read.transaction_status);
    transaction.updated_ms = read.transaction_last_update_timestamp_ms;
    transaction.start_ms = read.transaction_start_timestamp_ms;
    transaction.version = static_cast<TransactionVersion>(read.client_transaction_version);
    for (const auto& topic : read.transaction_partitions) {
        for (const std::int32_t index : topic.partition_ids)
            transaction.partitions.insert({std::string(topic.topic), PartitionIndex(index)});
    }
    return restored(std::move(transaction));
}

std::size_t partition_bytes(const std::set<TransactionPartition>& partitions) {
    constexpr std::size_t kTopicBytes = 16;
    std::size_t bytes = 0;
    std::string_view topic;
    for (const auto& one : partitions) {
        if (bytes == 0 || one.topic != topic) bytes += kTopicBytes + one.topic.size();
        topic = one.topic;
        bytes += sizeof(std::int32_t);
    }
    return bytes;
}

}  // namespace milena::coordinator
