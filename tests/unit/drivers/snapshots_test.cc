// SPDX-License-Identifier: Apache-2.0
// When a snapshot is due, and of what.
#include "milena/drivers/snapshots.h"

#include <gtest/gtest.h>

#include "memory_quorum.h"
#include "milena/metadata/features.h"
#include "milena/protocol/records/metadata.h"
#include "sim/world.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;
using metadata::encode_record;
using metadata::RecordValue;

class SnapshotsTest : public ::testing::Test {
protected:
    SnapshotsTest() {
        quorum_.start({&publisher_, &snapshots_});
        on_control([this] { quorum_.lead(); });
    }

    void on_control(std::function<void()> what) {
        env::post(node_.control(), std::move(what));
        world_.run_for(1ms);
    }
    void commit(std::vector<RecordValue> values) {
        on_control([&] { ASSERT_TRUE(quorum_.schedule(LeaderEpoch(1), std::move(values))); });
        world_.run_for(1ms);
    }
    void commit_feature(std::int16_t level) {
        commit({encode_record(protocol::FeatureLevelRecord{"group.version", level})});
    }
    void commit_nothing() { commit({encode_record(protocol::NoOpRecord{})}); }
    std::optional<Offset> snapshot_end() {
        world_.run_for(200ms);
        const auto newest = quorum_.newest_snapshot();
        return newest ? std::optional(newest->end_offset) : std::nullopt;
    }

    sim::World world_{1};
    sim::Node& node_ = world_.add_node("n");
    MemoryQuorum quorum_{node_};
    MetadataPublisher publisher_{node_, Logger(), [](const Error&) { FAIL(); }};
    Snapshots snapshots_{node_, Logger(), {.after_bytes = 1000, .after = 1h}, quorum_, publisher_};
};

TEST_F(SnapshotsTest, ComesAfterSoManyBytes) {
    while (quorum_.end() < Offset(13)) commit_nothing();
    EXPECT_EQ(snapshot_end(), std::nullopt);
    while (!snapshot_end() && quorum_.end() < Offset(100)) commit_nothing();
    // Batches of a header and four bytes.
    EXPECT_EQ(quorum_.newest_snapshot()->end_offset, Offset(16));
    EXPECT_EQ(quorum_.snapshots_asked, 1);
    const Offset first = *snapshot_end();
    while (snapshot_end() == first && quorum_.end() < Offset(100)) commit_nothing();
    EXPECT_EQ(quorum_.newest_snapshot()->end_offset, Offset(32));
}

TEST_F(SnapshotsTest, ComesAfterAnHourIfAnythingHasChanged) {
    commit_feature(1);
    world_.run_for(50min);
    commit_nothing();
    EXPECT_EQ(snapshot_end(), std::nullopt);
    world_.run_for(10min);
    commit_nothing();
    EXPECT_EQ(snapshot_end(), quorum_.end());
    EXPECT_EQ(snapshots_.figures().newest_bytes, quorum_.newest_snapshot()->bytes);
    EXPECT_LT(snapshots_.figures().newest_age, 1s);
    for (int hour = 0; hour < 10; ++hour) {
        world_.run_for(1h);
        commit_nothing();
    }
    EXPECT_EQ(quorum_.snapshots_asked, 1) << "nothing has changed";
    commit_feature(0);
    EXPECT_EQ(snapshot_end(), quorum_.end());
}

TEST_F(SnapshotsTest, OneAtATime) {
    for (int i = 0; i < 100; ++i) {
        on_control([&] {
            ASSERT_TRUE(quorum_.schedule(LeaderEpoch(1), {encode_record(protocol::NoOpRecord{})}));
        });
    }
    EXPECT_EQ(quorum_.snapshots_asked, 1);
    // What was committed meanwhile counts for the next.
    world_.run_for(200ms);
    commit_nothing();
    EXPECT_EQ(quorum_.snapshots_asked, 2);
    EXPECT_EQ(snapshot_end(), quorum_.end());
}

TEST_F(SnapshotsTest, OneThatIsLoadedWhileAnotherIsWrittenCounts) {
    while (quorum_.snapshots_asked == 0) commit_nothing();
    on_control([&] {
        snapshots_.on_snapshot({.end_offset = quorum_.end(),
                                .epoch = LeaderEpoch(1),
                                .last_contained_timestamp = Timestamp(1),
                                .batches = {}});
    });
    world_.run_for(200ms);
    commit_nothing();
    EXPECT_EQ(quorum_.snapshots_asked, 1);
    world_.run_for(200ms);
}

TEST_F(SnapshotsTest, IsTriedAgainAMinuteAfterAFailure) {
    quorum_.snapshots_fail = true;
    while (quorum_.snapshots_asked == 0) commit_nothing();
    world_.run_for(200ms);
    quorum_.snapshots_fail = false;
    commit_nothing();
    EXPECT_EQ(quorum_.snapshots_asked, 1);
    world_.run_for(1min);
    commit_nothing();
    EXPECT_EQ(snapshot_end(), quorum_.end());
}

TEST_F(SnapshotsTest, NotInsideATransaction) {
    commit({encode_record(protocol::BeginTransactionRecord{})});
    for (int i = 0; i < 30; ++i) commit_nothing();
    EXPECT_EQ(quorum_.snapshots_asked, 0);
    commit({encode_record(protocol::EndTransactionRecord{})});
    EXPECT_EQ(snapshot_end(), quorum_.end());
}

TEST_F(SnapshotsTest, AStopWaitsForWhatIsBeingWritten) {
    while (quorum_.snapshots_asked == 0) commit_nothing();
    EXPECT_FALSE(quorum_.newest_snapshot());
    ASSERT_TRUE(world_.run(node_, env::run_on(node_.control(), snapshots_.stop())));
    EXPECT_TRUE(quorum_.newest_snapshot());
}

}  // namespace
}  // namespace milena::drivers
