// SPDX-License-Identifier: Apache-2.0
// What the coordinator of transactions is asked, and what it answers. Errors are in the answers, as
// on the wire. Everything is about one transactional id: a request that names several is asked once
// for each.
#pragma once

#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "milena/base/ids.h"
#include "milena/base/result.h"

namespace milena::coordinator {

/// How a client takes part (KIP-890): by what its requests' versions say, and never more than the
/// cluster's feature transaction.version allows.
enum class TransactionVersion : std::int16_t {
    classic = 0,
    flexible_records = 1,  ///< the classic protocol; records have tagged fields
    epoch_a_transaction = 2,
};

/// As a record and DescribeTransactions say it. Neither of the last two is ever in a record: an id
/// that is dead has none, and the fence of an epoch is a PrepareAbort with the next one.
enum class TransactionState : std::int8_t {
    empty = 0,
    ongoing = 1,
    prepare_commit = 2,
    prepare_abort = 3,
    complete_commit = 4,
    complete_abort = 5,
    dead = 6,
    prepare_epoch_fence = 7,
};
std::string_view text(TransactionState state);

struct TransactionPartition {
    std::string topic{};
    PartitionIndex partition{};

    auto operator<=>(const TransactionPartition&) const = default;
};

/// InitProducerId (22) with a transactional id.
struct InitProducerRequest {
    std::string transactional_id{};
    std::int32_t timeout_ms = 0;
    /// From version 3 on: what the client has been until now (KIP-360); −1: it is new.
    ProducerId producer_id = kNoProducer;
    std::int16_t producer_epoch = -1;
    /// Of version 6 (KIP-939), which is not served.
    bool enable_2pc = false;
    bool keep_prepared = false;
};
struct InitProducerReply {
    ErrorCode code = ErrorCode::none;
    ProducerId producer_id = kNoProducer;
    std::int16_t producer_epoch = -1;
};

/// AddPartitionsToTxn (24) of a client or of a partition's leader, and AddOffsetsToTxn (25), where
/// the partition is that of the group in __consumer_offsets. Who asks has seen that the partitions
/// exist; markers depend on it.
struct AddPartitionsRequest {
    std::string transactional_id{};
    ProducerId producer_id = kNoProducer;
    std::int16_t producer_epoch = -1;
    std::vector<TransactionPartition> partitions{};
    /// Nothing is added: are these in the transaction?
    bool verify_only = false;
    /// epoch_a_transaction from version 5 on.
    TransactionVersion version = TransactionVersion::classic;
};
struct AddPartitionsReply {
    /// Of all partitions.
    ErrorCode code = ErrorCode::none;
    /// If only verified, and nothing is wrong with all: in the order of the request.
    /// TRANSACTION_ABORTABLE: it is not in the transaction.
    std::vector<ErrorCode> partitions{};
};

/// EndTxn (26).
struct EndTransactionRequest {
    std::string transactional_id{};
    ProducerId producer_id = kNoProducer;
    std::int16_t producer_epoch = -1;
    bool commit = false;
    /// epoch_a_transaction from version 5 on.
    TransactionVersion version = TransactionVersion::classic;
};
struct EndTransactionReply {
    ErrorCode code = ErrorCode::none;
    /// What the producer goes on with; of version 5.
    ProducerId producer_id = kNoProducer;
    std::int16_t producer_epoch = -1;
};

/// DescribeTransactions (65).
struct DescribeTransactionRequest {
    std::string transactional_id{};
};
struct DescribeTransactionReply {
    ErrorCode code = ErrorCode::none;
    TransactionState state = TransactionState::empty;
    std::int32_t timeout_ms = 0;
    std::int64_t start_ms = 0;
    ProducerId producer_id = kNoProducer;
    std::int16_t producer_epoch = 0;
    std::vector<TransactionPartition> partitions{};  ///< in order
};

/// ListTransactions (66). A filter that is empty lets all pass.
struct ListTransactionsRequest {
    std::vector<std::string> states{};
    std::vector<ProducerId> producer_ids{};
    /// Those that began longer ago; −1: all.
    std::int64_t duration_ms = -1;
    /// RE2's, of the whole id.
    std::optional<std::string> pattern{};
};
struct ListTransactionsReply {
    ErrorCode code = ErrorCode::none;
    std::vector<std::string> unknown_states{};
    struct Listed {
        std::string transactional_id{};
        ProducerId producer_id = kNoProducer;
        TransactionState state = TransactionState::empty;
    };
    std::vector<Listed> transactions{};  ///< in the order of their ids
};

using TransactionRequest =
    std::variant<InitProducerRequest, AddPartitionsRequest, EndTransactionRequest,
                 DescribeTransactionRequest, ListTransactionsRequest>;
/// In the order of the requests.
using TransactionReply = std::variant<InitProducerReply, AddPartitionsReply, EndTransactionReply,
                                      DescribeTransactionReply, ListTransactionsReply>;

/// WriteTxnMarkers (27) for one transaction: the end of it is to be written to these partitions,
/// by whoever leads them.
struct MarkerOrder {
    std::string transactional_id{};
    ProducerId producer_id = kNoProducer;
    std::int16_t producer_epoch = -1;
    bool commit = false;
    std::int32_t coordinator_epoch = -1;
    TransactionVersion version = TransactionVersion::classic;
    std::vector<TransactionPartition> partitions{};  ///< in order

    bool operator==(const MarkerOrder&) const = default;
};

/// What became of it, of some or all of its partitions.
struct MarkerResult {
    std::string transactional_id{};
    ProducerId producer_id = kNoProducer;
    std::int16_t producer_epoch = -1;
    std::int32_t coordinator_epoch = -1;
    struct Partition {
        TransactionPartition partition{};
        /// The leader's answer, or why there is none.
        ErrorCode code = ErrorCode::none;
        /// The cluster does not have it any more, so it needs no marker.
        bool is_deleted = false;
    };
    std::vector<Partition> partitions{};
};

/// Numbers for metrics.
struct TransactionFigures {
    std::uint64_t ids = 0;
    std::uint64_t empty = 0;
    std::uint64_t ongoing = 0;
    std::uint64_t preparing = 0;  ///< markers are on their way
    std::uint64_t complete = 0;
    std::uint64_t partitions = 0;  ///< in transactions that are not complete
    std::uint64_t timed_out = 0;   ///< transactions that were aborted because of it, ever
};

}  // namespace milena::coordinator
