// SPDX-License-Identifier: Apache-2.0
// Commits that wait for the store, over what the store has.
#include "group/offsets/pending_offsets.h"

#include <gtest/gtest.h>

#include "group/offsets/offset_records.h"
#include "unit/coordinator/group/messages.h"

namespace milena::coordinator::test {
namespace {

class PendingOffsetsTest : public testing::Test {
protected:
    const Bytes& kept(std::string_view text) { return texts_.emplace_back(bytes(text)); }
    RecordView record(std::string_view key, std::string_view value, std::int64_t offset = -1) {
        return {.key = kept(key), .value = BytesView(kept(value)), .offset = Offset(offset)};
    }
    RecordView tombstone(std::string_view key, std::int64_t offset) {
        return {.key = kept(key), .value = {}, .offset = Offset(offset)};
    }
    static std::string text(const std::vector<RecordView>& records) {
        std::string out;
        for (const RecordView& one : records)
            out += std::string(as_text(one.key)) + "=" + std::string(as_text(*one.value)) + " ";
        return out;
    }

    PendingOffsets pending_;
    std::deque<Bytes> texts_;
};

TEST_F(PendingOffsetsTest, OneKeyThatIsCommittedAgainAndAgainTakesNoMore) {
    for (std::int64_t offset = 0; offset < 5000; ++offset) {
        pending_.note(record("k", "v", offset));
        texts_.clear();
    }
    EXPECT_LT(pending_.order_size(), 1100U);
    pending_.forget_below(Offset(4999));
    EXPECT_EQ(pending_.count(), 1U);
    pending_.forget_below(Offset(5000));
    EXPECT_EQ(pending_.count(), 0U);
}

TEST_F(PendingOffsetsTest, IsFullByBytesToo) {
    const std::string large(PendingOffsets::kBytesMax / 4, 'v');
    for (std::int64_t i = 0; i < 4; ++i) {
        EXPECT_FALSE(pending_.is_full());
        pending_.note(record(std::to_string(i), large, i));
        texts_.clear();
    }
    EXPECT_TRUE(pending_.is_full());
    pending_.forget_below(Offset(1));
    EXPECT_FALSE(pending_.is_full());
}

TEST_F(PendingOffsetsTest, GoesBeforeTheStore) {
    pending_.note(record("k2", "new", 1));
    pending_.note(tombstone("k3", 2));
    pending_.note(record("k4", "added", 3));
    const std::vector<RecordView> stored{record("k1", "old"), record("k2", "old"),
                                         record("k3", "old"), record("k5", "old")};
    EXPECT_EQ(text(pending_.with(stored, as_bytes("k"))), "k1=old k2=new k4=added k5=old ");
    const StoredByKey known = by_key(stored);
    EXPECT_EQ(as_text(*pending_.value_of(as_bytes("k1"), known)), "old");
    EXPECT_EQ(as_text(*pending_.value_of(as_bytes("k2"), known)), "new");
    EXPECT_FALSE(pending_.value_of(as_bytes("k3"), known).has_value());
    EXPECT_FALSE(pending_.value_of(as_bytes("k6"), known).has_value());
}

TEST_F(PendingOffsetsTest, TellsOnlyOfKeysThatBeginSo) {
    pending_.note(record("a", "1", 1));
    pending_.note(record("b1", "2", 2));
    pending_.note(record("c", "3", 3));
    const std::vector<RecordView> stored{record("a0", "x"), record("b2", "y")};
    EXPECT_EQ(text(pending_.with(stored, as_bytes("b"))), "b1=2 b2=y ");
    EXPECT_TRUE(pending_.has_any(as_bytes("b")));
    EXPECT_FALSE(pending_.has_any(as_bytes("d")));
}

TEST_F(PendingOffsetsTest, ForgetsAKeyWithItsLastCommit) {
    pending_.note(record("k", "first", 1));
    pending_.note(record("l", "only", 2));
    pending_.note(record("k", "last", 3));
    pending_.forget_below(Offset(2));
    EXPECT_EQ(pending_.count(), 2U);
    pending_.forget_below(Offset(3));
    EXPECT_EQ(pending_.count(), 1U);
    EXPECT_EQ(as_text(*pending_.value_of(as_bytes("k"), {})), "last");
    pending_.forget_below(Offset(4));
    EXPECT_EQ(pending_.count(), 0U);
}

}  // namespace
}  // namespace milena::coordinator::test
