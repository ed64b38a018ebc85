// SPDX-License-Identifier: Apache-2.0
// The epochs of a log, their file, and what happens when it can't be written.
#include "epoch_cache.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::storage {
namespace {

using Entries = std::vector<EpochCache::Entry>;
constexpr const char* kPath = "/d/leader-epoch-checkpoint";

class EpochCacheTest : public ::testing::Test {
protected:
    void SetUp() override { ASSERT_TRUE(node.files().create_directories("/d")); }
    static EpochCache::Entry entry(std::int32_t epoch, std::int64_t start) {
        return {LeaderEpoch(epoch), Offset(start)};
    }
    void write(std::string_view text) {
        ASSERT_TRUE(
            (*node.files().open(kPath, env::OpenMode::create_empty))->write_at(0, as_bytes(text)));
    }

    sim::World world{1};
    sim::Node& node{world.add_node("n1")};
    EpochCache cache{node.files(), kPath};
};

TEST_F(EpochCacheTest, IsWrittenAsKafkaWritesIt) {
    cache.begin(LeaderEpoch(0), Offset(250));
    cache.begin(LeaderEpoch(2), Offset(400));
    EXPECT_EQ(cache.text(), "0\n2\n0 250\n2 400\n");
    write(cache.text());
    EpochCache again(node.files(), kPath);
    ASSERT_TRUE(again.load());
    EXPECT_EQ(again.entries(), (Entries{entry(0, 250), entry(2, 400)}));
}

TEST_F(EpochCacheTest, AnEpochWithoutABatchGivesWayToTheNext) {
    cache.begin(LeaderEpoch(1), Offset(10));
    cache.begin(LeaderEpoch(3), Offset(10));
    cache.begin(LeaderEpoch(2), Offset(20));
    EXPECT_EQ(cache.entries(), Entries{entry(3, 10)});
}

TEST_F(EpochCacheTest, IsCutAtBothEnds) {
    for (const std::int32_t epoch : {1, 2, 3}) cache.begin(LeaderEpoch(epoch), Offset(10 * epoch));
    cache.truncate_end(Offset(30));
    EXPECT_EQ(cache.entries(), (Entries{entry(1, 10), entry(2, 20)}));
    cache.truncate_start(Offset(15));
    EXPECT_EQ(cache.entries(), (Entries{entry(1, 15), entry(2, 20)}));
    cache.truncate_start(Offset(20));
    EXPECT_EQ(cache.entries(), Entries{entry(2, 20)});
    cache.truncate_start(Offset(99));
    EXPECT_EQ(cache.entries(), Entries{entry(2, 99)});
}

TEST_F(EpochCacheTest, IsDueAfterEveryChangeUntilItIsWritten) {
    EXPECT_TRUE(cache.is_written());
    cache.begin(LeaderEpoch(1), Offset(10));
    const std::uint64_t first = cache.version();
    cache.begin(LeaderEpoch(2), Offset(20));
    cache.mark_written(first);
    EXPECT_FALSE(cache.is_written());
    cache.mark_written(cache.version());
    cache.begin(LeaderEpoch(2), Offset(30));  // no news
    cache.truncate_end(Offset(30));
    EXPECT_TRUE(cache.is_written());
}

TEST_F(EpochCacheTest, AMalformedFileNamesItsLine) {
    for (const auto& [text, line] : {std::pair{"0\n1\n5\n", 3},
                                     {"0\n1\nx 1\n", 3},
                                     {"0\n2\n2 0\n1 5\n", 4},
                                     {"0\n2\n1 9\n2 5\n", 4}}) {
        write(text);
        const auto loaded = cache.load();
        ASSERT_FALSE(loaded) << text;
        EXPECT_TRUE(loaded.error().why.starts_with(fmt::format("{}:{}:", kPath, line)))
            << loaded.error().why;
    }
}

}  // namespace
}  // namespace milena::storage
