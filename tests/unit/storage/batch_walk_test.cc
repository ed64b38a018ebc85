// SPDX-License-Identifier: Apache-2.0
// Walking over batches in a file: small ones by the thousand, some larger than any buffer, damaged
// ones.
#include "batch_walk.h"

#include "log_fixture.h"

namespace milena::storage {
namespace {

using support::plain_batch;

class BatchWalkTest : public ::testing::Test {
protected:
    void append(const std::vector<std::byte>& bytes) {
        ASSERT_TRUE(file->write_at(size, bytes));
        size += bytes.size();
    }
    /// Base offsets of what a walk finds before it ends or fails.
    template <class Walk>
    std::vector<std::int64_t> bases(std::optional<ErrorCode>& error, std::uint64_t from = 0) {
        std::vector<std::int64_t> found;
        Walk walk(*file, from, size);
        while (true) {
            const auto batch = walk.next();
            if (!batch) error = batch.error().code;
            if (!batch || !*batch) return found;
            EXPECT_EQ((*batch)->view.bytes().size(), record::kBatchHeaderBytes);
            found.push_back((*batch)->view.base_offset().value);
        }
    }

    sim::World world{1};
    sim::Node& node{world.add_node("n1")};
    std::unique_ptr<env::File> file = *node.files().open("/f", env::OpenMode::create);
    std::uint64_t size = 0;
};

TEST_F(BatchWalkTest, BothWalksFindBatchesOfAllSizes) {
    std::vector<std::int64_t> expected;
    for (int batch = 0; batch < 2000; ++batch) {
        const std::size_t value_bytes =
            batch % 500 == 499 ? 700'000 : static_cast<std::size_t>(batch % 300);
        append(plain_batch(batch, 1, 1, 0, value_bytes));
        expected.push_back(batch);
    }
    std::optional<ErrorCode> error;
    EXPECT_EQ(bases<HeaderWalk>(error), expected);
    EXPECT_EQ(bases<CheckedWalk>(error), expected);
    EXPECT_EQ(error, std::nullopt);
}

TEST_F(BatchWalkTest, OnlyTheOneThatReadsThemSeesDamagedRecords) {
    for (const std::size_t value_bytes : {10UL, 900'000UL, 10UL})
        append(plain_batch(0, 1, 1, 0, value_bytes));
    node.files().flip_bit("/f", 500'000 * 8);
    std::optional<ErrorCode> error;
    EXPECT_EQ(bases<HeaderWalk>(error).size(), 3U);
    EXPECT_EQ(error, std::nullopt);
    EXPECT_EQ(bases<CheckedWalk>(error).size(), 1U);
    EXPECT_EQ(error, ErrorCode::corrupt_message);
}

TEST_F(BatchWalkTest, BothWalksFailWhereABatchIsCut) {
    const auto batch = plain_batch(0, 1, 1, 0, 300'000);
    for (const std::size_t cut :
         {std::size_t{1}, std::size_t{16}, std::size_t{60}, batch.size() - 1}) {
        ASSERT_TRUE(file->truncate(0));
        size = 0;
        append(batch);
        append({batch.begin(), batch.begin() + static_cast<std::ptrdiff_t>(cut)});
        for (const bool checked : {false, true}) {
            std::optional<ErrorCode> error;
            EXPECT_EQ((checked ? bases<CheckedWalk>(error) : bases<HeaderWalk>(error)).size(), 1U)
                << cut;
            EXPECT_EQ(error, ErrorCode::corrupt_message) << cut;
        }
    }
}

TEST_F(BatchWalkTest, ALengthThatLiesTakesNoMemory) {
    auto batch = plain_batch(0, 1, 1);
    store<std::int32_t>(batch.data() + 8, INT32_MAX);
    append(batch);
    ASSERT_TRUE(file->truncate(10'000'000));
    size = 10'000'000;
    std::optional<ErrorCode> error;
    EXPECT_TRUE(bases<CheckedWalk>(error).empty());
    EXPECT_EQ(error, ErrorCode::corrupt_message);
}

TEST_F(BatchWalkTest, AWholeBatchIsReadIntoMemoryThatIsReused) {
    const auto small = plain_batch(0, 1, 1);
    const auto large = plain_batch(1, 1, 1, 0, 5000);
    append(large);
    append(small);
    HeaderWalk walk(*file, 0, size);
    std::vector<std::byte> memory;
    for (const auto& expected : {large, small}) {
        const auto found = walk.next();
        ASSERT_TRUE(found && *found);
        const auto batch = read_batch(*file, **found, memory);
        ASSERT_TRUE(batch);
        EXPECT_TRUE(std::ranges::equal(batch->bytes(), expected));
    }
    EXPECT_EQ(memory.size(), large.size());
}

}  // namespace
}  // namespace milena::storage
