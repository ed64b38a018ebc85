// SPDX-License-Identifier: Apache-2.0
// Which markers have something left before them.
#include "cleaner/cleaned_transactions.h"

#include <gtest/gtest.h>

#include "support/producers.h"

namespace milena::storage {
namespace {

using support::marker_batch;
using support::sent_batch;

constexpr IndexedTransaction kAborted{ProducerId(7), Offset(10), Offset(20), Offset(21)};

bool data(CleanedTransactions& transactions, std::int64_t at, std::int64_t producer = 7) {
    const auto batch = sent_batch(at, {.producer = producer, .is_transactional = true});
    return transactions.pass_data(record::BatchView(batch));
}

bool marker(CleanedTransactions& transactions, std::int64_t at, bool is_abort) {
    const auto batch = marker_batch(at, {.is_abort = is_abort});
    return transactions.pass_control(record::BatchView(batch));
}

TEST(CleanedTransactions, AnAbortedOneWithABatchKeepsMarkerAndIndex) {
    CleanedTransactions transactions;
    transactions.add({kAborted});
    EXPECT_TRUE(data(transactions, 12));
    EXPECT_FALSE(data(transactions, 14, 8)) << "another producer's";
    EXPECT_FALSE(marker(transactions, 20, true));
    EXPECT_EQ(transactions.take_indexed(), kAborted);
    EXPECT_EQ(transactions.take_indexed(), std::nullopt);
    EXPECT_FALSE(data(transactions, 22)) << "the next transaction";
}

TEST(CleanedTransactions, WithoutABatchTheMarkerMayGo) {
    CleanedTransactions transactions;
    transactions.add({kAborted});
    EXPECT_TRUE(marker(transactions, 20, true));
    EXPECT_EQ(transactions.take_indexed(), std::nullopt);
    EXPECT_TRUE(marker(transactions, 30, false));
    EXPECT_FALSE(data(transactions, 32));
    EXPECT_FALSE(marker(transactions, 33, false));
    EXPECT_TRUE(marker(transactions, 34, false)) << "a second marker ends nothing";
}

TEST(CleanedTransactions, OneThatIsToldTwiceIsOne) {
    CleanedTransactions transactions;
    transactions.add({kAborted});
    EXPECT_TRUE(data(transactions, 12));
    transactions.add({kAborted});
    EXPECT_FALSE(marker(transactions, 20, true));
    EXPECT_FALSE(data(transactions, 22));
    EXPECT_FALSE(marker(transactions, 23, false));
}

TEST(CleanedTransactions, ControlBatchesOfOtherKindsStayAndEmptyOnesMayGo) {
    CleanedTransactions transactions;
    auto other = marker_batch(20, {});
    // The type of the record: leader change.
    for (std::size_t i = 61; i + 1 < other.size(); ++i) {
        if (other[i] == std::byte{1} && other[i + 1] == std::byte{12}) other[i] = std::byte{2};
    }
    EXPECT_FALSE(transactions.pass_control(record::BatchView(other)));
    support::BatchSpec empty{.base_offset = 20, .attributes = 0x30, .producer_id = 7};
    EXPECT_TRUE(transactions.pass_control(record::BatchView(support::make_batch(empty))));
}

}  // namespace
}  // namespace milena::storage
