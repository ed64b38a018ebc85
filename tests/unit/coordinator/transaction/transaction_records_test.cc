// SPDX-License-Identifier: Apache-2.0
// Records of __transaction_state as Apache Kafka 4.4 has written them: read, and written again,
// they are the same bytes.
#include "transaction/transaction_records.h"

#include <gtest/gtest.h>

namespace milena::coordinator::test {
namespace {

std::vector<std::byte> hex(std::string_view text) {
    std::vector<std::byte> bytes;
    for (std::size_t at = 0; at < text.size(); at += 2)
        bytes.push_back(
            static_cast<std::byte>(std::stoi(std::string(text.substr(at, 2)), nullptr, 16)));
    return bytes;
}

// Of transactional id "tx-1", producer 5, in the order in which they were written.
constexpr std::string_view kKey = "0000000474782d31";
constexpr std::string_view kEmpty =
    "0001000000000000000500000000ea600000000001a227c95e8effffffffffffffff01000800000000000000"
    "05";
constexpr std::string_view kOngoing =
    "0001000000000000000500000000ea6001020474786e020000000000000001a227c95f1a000001a227c95f1a"
    "020008000000000000000502020002";
constexpr std::string_view kPrepareCommit =
    "0001000000000000000500010000ea6002020474786e020000000000000001a227c95f40000001a227c95f1a"
    "020008000000000000000502020002";
constexpr std::string_view kCompleteCommit =
    "0001000000000000000500010000ea600401000001a227c95f4a000001a227c95f1a02000800000000000000"
    "0502020002";

Transaction read(std::string_view value) {
    const auto transaction = read_transaction(hex(value));
    EXPECT_TRUE(transaction.has_value());
    return transaction.value_or(Transaction());
}

TEST(TransactionRecords, ReadWhatKafkaHasWritten) {
    EXPECT_EQ(read_transaction_key(hex(kKey)), "tx-1");
    Transaction said;
    said.producer_id = said.previous_producer_id = ProducerId(5);
    said.epoch = 0;
    said.timeout_ms = 60'000;
    said.updated_ms = 1795963838094;
    EXPECT_EQ(read(kEmpty), said);

    said.state = TransactionState::ongoing;
    said.version = TransactionVersion::epoch_a_transaction;
    said.partitions = {{"txn", PartitionIndex(0)}};
    said.start_ms = said.updated_ms = 1795963838234;
    EXPECT_EQ(read(kOngoing), said);

    said.state = TransactionState::prepare_commit;
    said.epoch = 1;
    said.last_epoch = 0;
    said.updated_ms = 1795963838272;
    EXPECT_EQ(read(kPrepareCommit), said);

    said.state = TransactionState::complete_commit;
    said.partitions.clear();
    said.updated_ms = 1795963838282;
    EXPECT_EQ(read(kCompleteCommit), said);
}

TEST(TransactionRecords, AreWrittenAsKafkaWritesThem) {
    for (const auto value : {kEmpty, kOngoing, kPrepareCommit, kCompleteCommit}) {
        const auto record = transaction_record("tx-1", read(value), TransactionVersion(2));
        ASSERT_TRUE(record.has_value());
        EXPECT_EQ(record->key, hex(kKey));
        EXPECT_EQ(record->value, hex(value));
    }
}

TEST(TransactionRecords, HaveNoTaggedFieldsInAClassicCluster) {
    const auto record = transaction_record("tx-1", read(kOngoing), TransactionVersion::classic);
    ASSERT_TRUE(record.has_value());
    EXPECT_EQ(*record->value, hex("0000000000000000000500000000ea60010000000100037478"
                                  "6e0000000100000000000001a227c95f1a000001a227c95f1a"));
    const auto again = read_transaction(*record->value);
    ASSERT_TRUE(again.has_value());
    EXPECT_EQ(again->version, TransactionVersion::classic);
    EXPECT_EQ(again->previous_producer_id, kNoProducer);
    EXPECT_EQ(again->partitions, read(kOngoing).partitions);
}

TEST(TransactionRecords, KeepTheNextProducer) {
    Transaction said = read(kPrepareCommit);
    said.next_producer_id = ProducerId(9);
    said.next_epoch = 3;
    said.epoch = INT16_MAX;
    said.partitions.insert({"a", PartitionIndex(2)});
    said.partitions.insert({"a", PartitionIndex(1)});
    const auto record = transaction_record("tx-1", said, TransactionVersion(2));
    ASSERT_TRUE(record.has_value());
    said.last_epoch = kLastEpoch;
    EXPECT_EQ(*read_transaction(*record->value), said);
}

TEST(TransactionRecords, ATombstoneHasTheKey) {
    const auto record = transaction_tombstone("tx-1");
    ASSERT_TRUE(record.has_value());
    EXPECT_EQ(record->key, hex(kKey));
    EXPECT_FALSE(record->value.has_value());
}

TEST(TransactionRecords, RefuseAnIdThatIsTooLong) {
    const std::string id(40'000, 'x');
    EXPECT_FALSE(transaction_record(id, read(kEmpty), TransactionVersion(2)).has_value());
    EXPECT_FALSE(transaction_tombstone(id).has_value());
}

TEST(TransactionRecords, RefuseWhatTheyDoNotKnow) {
    EXPECT_EQ(read_transaction_key(hex("0001000474782d31")).error().code,
              ErrorCode::corrupt_message);
    EXPECT_FALSE(read_transaction_key(hex("00")).has_value());
    // States 6 and 7, which nobody writes, and one that there is not.
    for (const char* const state : {"06", "07", "08", "ff"}) {
        std::string value(kEmpty);
        value.replace(32, 2, state);
        EXPECT_EQ(read_transaction(hex(value)).error().code, ErrorCode::corrupt_message) << state;
    }
    std::string value(kEmpty);
    value.replace(0, 4, "0002");
    EXPECT_FALSE(read_transaction(hex(value)).has_value());
}

TEST(TransactionRecords, APrefixIsNoRecord) {
    const auto whole = hex(kOngoing);
    for (std::size_t size = 0; size < whole.size(); ++size)
        EXPECT_FALSE(read_transaction(BytesView(whole).first(size)).has_value()) << size;
}

}  // namespace
}  // namespace milena::coordinator::test
