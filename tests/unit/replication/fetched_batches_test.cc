// SPDX-License-Identifier: Apache-2.0
// What a follower takes of the bytes its leader sent.
#include "core/fetched_batches.h"

#include <gtest/gtest.h>

#include "memory_log.h"

namespace milena::replication {
namespace {

constexpr LeaderEpoch kEpoch(5);

std::vector<std::byte> stamped(std::int64_t base, int count, int epoch = 5) {
    std::vector<std::byte> batch = batch_of(count, Timestamp(0));
    record::stamp(batch, Offset(base), LeaderEpoch(epoch));
    return batch;
}

std::vector<std::byte> joined(std::initializer_list<std::vector<std::byte>> batches) {
    std::vector<std::byte> bytes;
    for (const auto& batch : batches) bytes.insert(bytes.end(), batch.begin(), batch.end());
    return bytes;
}

TEST(FetchedBatches, TakesWholeBatchesOneAfterTheOther) {
    const auto bytes = joined({stamped(10, 3), stamped(13, 2)});
    const auto taken = check_fetched(bytes, Offset(10), kEpoch);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->bytes.size(), bytes.size());
    EXPECT_EQ(taken->end, Offset(15));
}

TEST(FetchedBatches, LeavesACutBatchOut) {
    const auto first = stamped(10, 3);
    auto bytes = joined({first, stamped(13, 2)});
    bytes.pop_back();
    const auto taken = check_fetched(bytes, Offset(10), kEpoch);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->bytes.size(), first.size());
    EXPECT_EQ(taken->end, Offset(13));
}

TEST(FetchedBatches, KeepsTheGapsOfACompactedLog) {
    const auto taken = check_fetched(joined({stamped(12, 1), stamped(20, 1)}), Offset(10), kEpoch);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->end, Offset(21));
}

TEST(FetchedBatches, StopsAtALaterEpoch) {
    const auto first = stamped(10, 3);
    const auto taken = check_fetched(joined({first, stamped(13, 2, 6)}), Offset(10), kEpoch);
    ASSERT_TRUE(taken);
    EXPECT_EQ(taken->bytes.size(), first.size());
}

TEST(FetchedBatches, RefusesWhatLiesBeforeTheEnd) {
    const auto taken = check_fetched(joined({stamped(10, 3), stamped(12, 2)}), Offset(10), kEpoch);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, ErrorCode::corrupt_message);
    EXPECT_FALSE(check_fetched(stamped(9, 1), Offset(10), kEpoch));
}

TEST(FetchedBatches, RefusesAWrongChecksum) {
    auto bytes = stamped(10, 3);
    bytes.back() ^= std::byte{1};
    const auto taken = check_fetched(bytes, Offset(10), kEpoch);
    ASSERT_FALSE(taken);
    EXPECT_EQ(taken.error().code, ErrorCode::corrupt_message);
}

TEST(FetchedBatches, TakesNothingOfNothing) {
    const auto taken = check_fetched({}, Offset(10), kEpoch);
    ASSERT_TRUE(taken);
    EXPECT_TRUE(taken->bytes.empty());
    EXPECT_EQ(taken->end, Offset(10));
}

}  // namespace
}  // namespace milena::replication
