// SPDX-License-Identifier: Apache-2.0
// Index files over several blocks: search, cutting, reloading, zeros at the end.
#include "index_file.h"

#include <gtest/gtest.h>

#include "offset_index.h"
#include "sim/world.h"
#include "time_index.h"

namespace milena::storage {
namespace {

constexpr int kEntries = 1300;  // two whole blocks of 512 and some

class IndexFileTest : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_TRUE(node.files().create_directories("/d")); }
    /// Entry i: offset 100 + 2 i at position 50 i + 1.
    OffsetIndex filled() {
        OffsetIndex index(node.files(), "/d/i", Offset(100));
        for (int entry = 0; entry < kEntries; ++entry) {
            EXPECT_TRUE(
                index.append(Offset(100 + 2 * entry), static_cast<std::uint64_t>(50 * entry + 1)));
            EXPECT_TRUE(index.file().write_full_blocks());
        }
        return index;
    }
    static void check(const OffsetIndex& index, int entries) {
        for (int entry = 0; entry < entries; ++entry) {
            for (const int beside : {0, 1}) {
                const auto found =
                    index.floor(Offset(100 + 2 * entry + (entry + 1 < entries ? beside : 0)));
                ASSERT_TRUE(found);
                ASSERT_EQ(found->offset, Offset(100 + 2 * entry));
                ASSERT_EQ(found->position, static_cast<std::uint64_t>(50 * entry + 1));
            }
        }
        EXPECT_EQ(index.floor(Offset(99))->position, 0U);
        EXPECT_EQ(index.floor(Offset(1 << 30))->offset, Offset(100 + 2 * (entries - 1)));
    }
    std::uint64_t file_size() {
        return *(*node.files().open("/d/i", env::OpenMode::read_only))->size();
    }

    sim::World world{1};
    sim::Node& node{world.add_node("n1")};
};

TEST_F(IndexFileTest, EveryEntryIsFoundInBlocksAndTail) {
    check(filled(), kEntries);
    EXPECT_EQ(file_size(), 4096U * (kEntries / 512));
}

TEST_F(IndexFileTest, AReloadedFileHasTheSameEntries) {
    OffsetIndex index = filled();
    ASSERT_TRUE(index.file().whole().run(node.files()));
    EXPECT_EQ(file_size(), 8U * kEntries);
    OffsetIndex again(node.files(), "/d/i", Offset(100));
    again.file().attach(file_size());
    check(again, kEntries);
}

TEST_F(IndexFileTest, ZerosAtTheEndAreNoEntries) {
    ASSERT_TRUE(filled().file().whole().run(node.files()));
    ASSERT_TRUE((*node.files().open("/d/i", env::OpenMode::read_write))->truncate(8 * 5000));
    OffsetIndex index(node.files(), "/d/i", Offset(100));
    index.file().attach(8 * 5000);
    check(index, kEntries);
    ASSERT_TRUE(index.file().whole().run(node.files()));
    EXPECT_EQ(file_size(), 8U * kEntries);
}

TEST_F(IndexFileTest, AFileOfZerosHasNoEntries) {
    ASSERT_TRUE((*node.files().open("/d/i", env::OpenMode::create))->truncate(10'485'760));
    OffsetIndex index(node.files(), "/d/i", Offset(100));
    index.file().attach(10'485'760);
    EXPECT_EQ(index.last()->position, 0U);
    EXPECT_EQ(index.count(), 0U);
}

TEST_F(IndexFileTest, IsCutAtAnyEntryAndGrowsOn) {
    for (const int kept : {0, 1, 511, 512, 513, 1024, 1200, 1299}) {
        OffsetIndex index = filled();
        ASSERT_TRUE(index.truncate(Offset(100 + 2 * kept)));
        EXPECT_EQ(index.count(), static_cast<std::uint64_t>(kept));
        for (int entry = kept; entry < kEntries; ++entry) {
            ASSERT_TRUE(
                index.append(Offset(100 + 2 * entry), static_cast<std::uint64_t>(50 * entry + 1)));
            if (kept % 2 == 0) ASSERT_TRUE(index.file().write_full_blocks());
        }
        check(index, kEntries);
        ASSERT_TRUE(index.file().whole().run(node.files()));
        EXPECT_EQ(file_size(), 8U * kEntries);
    }
}

TEST_F(IndexFileTest, NothingIsWrittenBeforeABlockIsFull) {
    OffsetIndex index(node.files(), "/d/i", Offset(100));
    for (int entry = 0; entry < 512; ++entry) ASSERT_TRUE(index.append(Offset(100 + entry), 1));
    EXPECT_FALSE(index.file().has_full_block());  // the last entry is always in memory
    ASSERT_TRUE(index.file().write_full_blocks());
    EXPECT_FALSE(node.files().exists("/d/i"));
    ASSERT_TRUE(index.append(Offset(700), 1));
    EXPECT_TRUE(index.file().has_full_block());
}

TEST_F(IndexFileTest, AFailedBlockWriteLeavesItAsItWas) {
    OffsetIndex index(node.files(), "/d/i", Offset(100));
    for (int entry = 0; entry < 1030; ++entry) ASSERT_TRUE(index.append(Offset(100 + entry), 1));
    node.faults().fail_call(0);
    EXPECT_FALSE(index.file().write_full_blocks());
    EXPECT_EQ(index.count(), 1030U);
    ASSERT_TRUE(index.append(Offset(2000), 1));
    ASSERT_TRUE(index.file().write_full_blocks());
    EXPECT_EQ(file_size(), 8192U);
    EXPECT_EQ(index.last()->offset, Offset(2000));
    EXPECT_EQ(index.floor(Offset(700))->offset, Offset(700));
}

TEST_F(IndexFileTest, TimesThatDoNotRiseAreLeftOut) {
    TimeIndex index(node.files(), "/d/i", Offset(100));
    for (const auto& [timestamp, offset] :
         {std::pair{-1, 100}, {10, 101}, {10, 102}, {9, 103}, {20, 104}}) {
        ASSERT_TRUE(index.maybe_append({Timestamp(timestamp), Offset(offset)}));
    }
    EXPECT_EQ(index.count(), 2U);
    EXPECT_EQ(index.last_before(Timestamp(10))->timestamp, Timestamp(-1));
    EXPECT_EQ(index.last_before(Timestamp(11))->offset, Offset(101));
    EXPECT_EQ(index.last_below(Offset(104))->timestamp, Timestamp(10));
    EXPECT_EQ(index.last()->offset, Offset(104));
}

}  // namespace
}  // namespace milena::storage
