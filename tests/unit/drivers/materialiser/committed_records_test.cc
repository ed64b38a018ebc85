// SPDX-License-Identifier: Apache-2.0
// Which records of a piece of a log are seen, batch by batch.
#include "materialiser/committed_records.h"

#include <gtest/gtest.h>

#include "milena/record/compression.h"
#include "support/producers.h"

namespace milena::drivers {
namespace {

using Offsets = std::vector<std::int64_t>;

class CommittedRecordsTest : public testing::Test {
protected:
    void add(const std::vector<std::byte>& batch) {
        bytes.insert(bytes.end(), batch.begin(), batch.end());
    }
    void add_sent(std::int64_t at, std::int64_t producer, int records = 1) {
        add(support::sent_batch(
            at, {.producer = producer, .records = records, .is_transactional = true}));
    }
    void add_marker(std::int64_t at, std::int64_t producer, bool is_abort) {
        add(support::marker_batch(at, {.producer = producer, .is_abort = is_abort}));
    }
    Offsets seen(const std::vector<storage::AbortedTransaction>& aborted, std::int64_t from = 0) {
        Offsets offsets;
        const auto read =
            for_each_committed({bytes, Offset(from), aborted}, scratch,
                               [&](const record::RecordView& record, LeaderEpoch) -> Result<void> {
                                   offsets.push_back(record.offset.value);
                                   return ok();
                               });
        EXPECT_TRUE(read);
        if (read) end = read->end.value;
        return offsets;
    }
    static storage::AbortedTransaction aborted(std::int64_t producer, std::int64_t first) {
        return {ProducerId(producer), Offset(first)};
    }

    std::vector<std::byte> bytes;
    record::Scratch scratch;
    std::int64_t end = -1;
};

TEST_F(CommittedRecordsTest, NoneOfNothing) {
    EXPECT_EQ(seen({}, 5), Offsets());
    EXPECT_EQ(end, 5);
}

TEST_F(CommittedRecordsTest, FromAnOffsetInsideABatch) {
    add(support::plain_batch(0, 3, 1000));
    add(support::plain_batch(3, 2, 1000));
    EXPECT_EQ(seen({}, 2), (Offsets{2, 3, 4}));
    EXPECT_EQ(end, 5);
}

TEST_F(CommittedRecordsTest, NotOfABatchThatIsCut) {
    add(support::plain_batch(0, 1, 1000));
    add(support::plain_batch(1, 1, 1000));
    bytes.pop_back();
    EXPECT_EQ(seen({}), (Offsets{0}));
    EXPECT_EQ(end, 1);
}

TEST_F(CommittedRecordsTest, NotOfAnAbortedTransactionButOfTheNextOne) {
    add_sent(0, 7, 2);
    add_marker(2, 7, true);
    add_sent(3, 7);
    add_marker(4, 7, false);
    EXPECT_EQ(seen({aborted(7, 0)}), (Offsets{3}));
    EXPECT_EQ(end, 5);
}

TEST_F(CommittedRecordsTest, OfOthersBetweenThoseOfAnAbortedTransaction) {
    add_sent(0, 7);
    add_sent(1, 8);
    add(support::plain_batch(2, 1, 1000));
    add_sent(3, 7);
    add_marker(4, 8, false);
    add_marker(5, 7, true);
    EXPECT_EQ(seen({aborted(7, 0)}), (Offsets{1, 2}));
}

TEST_F(CommittedRecordsTest, OfATransactionAfterOneOfWhichOnlyTheMarkerIsLeft) {
    add_marker(2, 7, true);
    add_sent(3, 7);
    add_marker(4, 7, false);
    EXPECT_EQ(seen({aborted(7, 0)}), (Offsets{3}));
}

TEST_F(CommittedRecordsTest, OfATransactionBeforeOneThatWasAborted) {
    add_sent(0, 7);
    add_marker(1, 7, false);
    add_sent(2, 7);
    add_marker(3, 7, true);
    EXPECT_EQ(seen({aborted(7, 2)}), (Offsets{0}));
}

TEST_F(CommittedRecordsTest, EndWithAnErrorOfWhoeverSeesThem) {
    add(support::plain_batch(0, 3, 1000));
    int count = 0;
    const auto read =
        for_each_committed({bytes, Offset(0), {}}, scratch,
                           [&](const record::RecordView&, LeaderEpoch) -> Result<void> {
                               if (++count == 2)
                                   return fail(ErrorCode::kafka_storage_error, "full");
                               return ok();
                           });
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().why, "full");
    EXPECT_EQ(count, 2);
}

TEST_F(CommittedRecordsTest, NotOfADamagedBatch) {
    add(support::plain_batch(0, 1, 1000));
    bytes.back() ^= std::byte{1};
    const auto read =
        for_each_committed({bytes, Offset(0), {}}, scratch,
                           [](const record::RecordView&, LeaderEpoch) { return ok(); });
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::corrupt_message);
}

}  // namespace
}  // namespace milena::drivers
