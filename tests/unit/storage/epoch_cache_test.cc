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
    ASSERT_TRUE(cache.begin(LeaderEpoch(0), Offset(250)));
    ASSERT_TRUE(cache.begin(LeaderEpoch(2), Offset(400)));
    EXPECT_EQ(env::read_file(node.files(), kPath, 100), "0\n2\n0 250\n2 400\n");
    EpochCache again(node.files(), kPath);
    ASSERT_TRUE(again.load());
    EXPECT_EQ(again.entries(), (Entries{entry(0, 250), entry(2, 400)}));
}

TEST_F(EpochCacheTest, AnEpochWithoutABatchGivesWayToTheNext) {
    ASSERT_TRUE(cache.begin(LeaderEpoch(1), Offset(10)));
    ASSERT_TRUE(cache.begin(LeaderEpoch(3), Offset(10)));
    ASSERT_TRUE(cache.begin(LeaderEpoch(2), Offset(20)));
    EXPECT_EQ(cache.entries(), Entries{entry(3, 10)});
}

TEST_F(EpochCacheTest, IsCutAtBothEnds) {
    for (const std::int32_t epoch : {1, 2, 3})
        ASSERT_TRUE(cache.begin(LeaderEpoch(epoch), Offset(10 * epoch)));
    ASSERT_TRUE(cache.truncate_end(Offset(30)));
    EXPECT_EQ(cache.entries(), (Entries{entry(1, 10), entry(2, 20)}));
    ASSERT_TRUE(cache.truncate_start(Offset(15)));
    EXPECT_EQ(cache.entries(), (Entries{entry(1, 15), entry(2, 20)}));
    ASSERT_TRUE(cache.truncate_start(Offset(20)));
    EXPECT_EQ(cache.entries(), Entries{entry(2, 20)});
    ASSERT_TRUE(cache.truncate_start(Offset(99)));
    EXPECT_EQ(cache.entries(), Entries{entry(2, 99)});
}

TEST_F(EpochCacheTest, NothingChangesWhenTheFileCanNotBeWritten) {
    ASSERT_TRUE(cache.begin(LeaderEpoch(1), Offset(10)));
    for (std::uint64_t call = 0; call < 5; ++call) {
        node.faults().fail_call(call);
        EXPECT_FALSE(cache.begin(LeaderEpoch(2), Offset(20))) << call;
        EXPECT_EQ(cache.last(), LeaderEpoch(1)) << call;
    }
    node.faults().clear();
    EXPECT_TRUE(cache.begin(LeaderEpoch(2), Offset(20)));
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
