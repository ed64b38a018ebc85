// SPDX-License-Identifier: Apache-2.0
// Aborted transactions of a segment: which of them overlap a range, and where a search may end.
#include "producers/transaction_index.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::storage {
namespace {

class TransactionIndexTest : public ::testing::Test {
protected:
    void append(std::int64_t producer, std::int64_t first, std::int64_t last, std::int64_t stable) {
        ASSERT_TRUE(index.append(
            {ProducerId(producer), Offset(first), Offset(last), Offset(stable), true}));
    }
    Result<std::shared_ptr<env::File>> write() {
        TRY(FileWrite whole, index.whole());
        TRY_VOID(whole.run(node.files()));
        return std::move(whole.file);
    }
    std::vector<std::int64_t> firsts(std::int64_t from, std::int64_t upper) {
        std::vector<AbortedTransaction> found;
        is_complete = index.collect(Offset(from), Offset(upper), found).value();
        std::vector<std::int64_t> offsets;
        for (const AbortedTransaction& one : found) offsets.push_back(one.first_offset.value);
        return offsets;
    }

    sim::World world{1};
    sim::Node& node{world.add_node("n1")};
    TransactionIndex index{node.files(), "/00000000000000000000.txnindex"};
    bool is_complete = false;
};

TEST_F(TransactionIndexTest, GivesThoseThatOverlapTheRange) {
    append(1, 2, 5, 6);
    append(2, 7, 9, 10);
    append(3, 8, 20, 21);
    EXPECT_EQ(firsts(0, 100), (std::vector<std::int64_t>{2, 7, 8}));
    EXPECT_EQ(firsts(5, 7), (std::vector<std::int64_t>{2}));
    EXPECT_EQ(firsts(6, 7), (std::vector<std::int64_t>{}));
    EXPECT_EQ(firsts(6, 8), (std::vector<std::int64_t>{7}));
    EXPECT_EQ(firsts(10, 11), (std::vector<std::int64_t>{8}));
    EXPECT_EQ(firsts(21, 99), (std::vector<std::int64_t>{}));
}

TEST_F(TransactionIndexTest, TheSearchEndsWhereAllBeforeTheRangesEndIsDecided) {
    append(1, 2, 5, 3);
    EXPECT_EQ(firsts(0, 4), (std::vector<std::int64_t>{2}));
    EXPECT_FALSE(is_complete) << "the transaction open at 3 may be aborted later";
    EXPECT_EQ(firsts(0, 3), (std::vector<std::int64_t>{2}));
    EXPECT_TRUE(is_complete);
}

TEST_F(TransactionIndexTest, IsCutAtTheMarkers) {
    append(1, 2, 5, 6);
    append(2, 3, 9, 10);
    ASSERT_TRUE(index.truncate(Offset(9)));
    EXPECT_EQ(firsts(0, 100), (std::vector<std::int64_t>{2}));
    ASSERT_TRUE(index.truncate(Offset(5)));
    EXPECT_EQ(firsts(0, 100), (std::vector<std::int64_t>{}));
}

TEST_F(TransactionIndexTest, MoreThanABlockOfThemIsFoundAgainInTheFile) {
    for (std::int64_t n = 0; n < 300; ++n) append(n, 10 * n, 10 * n + 5, 10 * n + 6);
    ASSERT_TRUE(write());
    TransactionIndex again(node.files(), "/00000000000000000000.txnindex");
    again.file().attach(300 * TransactionIndex::kEntryBytes);
    std::vector<AbortedTransaction> found;
    ASSERT_TRUE(again.collect(Offset(1995), Offset(2021), found));
    EXPECT_EQ(found, (std::vector<AbortedTransaction>{{ProducerId(199), Offset(1990)},
                                                      {ProducerId(200), Offset(2000)},
                                                      {ProducerId(201), Offset(2010)},
                                                      {ProducerId(202), Offset(2020)}}));
}

TEST_F(TransactionIndexTest, AnEmptyOneHasNoFileUnlessItHadOne) {
    EXPECT_EQ(write().value(), nullptr);
    EXPECT_FALSE(node.files().exists("/00000000000000000000.txnindex"));
    append(1, 2, 5, 6);
    ASSERT_TRUE(write());
    ASSERT_TRUE(index.truncate(Offset(0)));
    const auto file = write().value();
    ASSERT_NE(file, nullptr);
    EXPECT_EQ(*file->size(), 0U);
}

}  // namespace
}  // namespace milena::storage
