// SPDX-License-Identifier: Apache-2.0
// Images as everybody sees them: in order, never back, and waited for.
#include "milena/drivers/metadata_publisher.h"

#include <gtest/gtest.h>

#include "milena/metadata/features.h"
#include "milena/protocol/records/metadata.h"
#include "sim/world.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;
using metadata::RecordValue;

RecordValue feature(std::string_view name, std::int16_t level) {
    return metadata::encode_record(protocol::FeatureLevelRecord{name, level});
}

class PublisherTest : public ::testing::Test {
protected:
    void commit(std::int64_t first, const std::vector<RecordValue>& records) {
        const MetadataBatch batch{Offset(first),
                                  Offset(first + static_cast<std::int64_t>(records.size()) - 1),
                                  LeaderEpoch(1),
                                  Timestamp(0),
                                  {records.begin(), records.end()}};
        publisher_.on_committed(std::span(&batch, 1));
    }
    void snapshot(std::int64_t end, const std::vector<RecordValue>& records) {
        MetadataSnapshot snapshot{Offset(end), LeaderEpoch(1), Timestamp(0), {}};
        snapshot.batches.push_back({Offset(0),
                                    Offset(static_cast<std::int64_t>(records.size()) - 1),
                                    LeaderEpoch(1),
                                    Timestamp(0),
                                    {records.begin(), records.end()}});
        publisher_.on_snapshot(snapshot);
    }
    /// Waits on core 0 for an offset while `what` happens on the control thread after a second.
    Result<void> wait_while(Offset offset, env::Duration limit, std::function<void()> what) {
        Result<void> result = fail(ErrorCode::unknown_server_error, "did not return");
        world_.after(1s, [this, what] { env::post(node_.control(), what); });
        EXPECT_TRUE(world_.run(node_, wait(offset, limit, result)));
        return result;
    }
    env::Task<void> wait(Offset offset, env::Duration limit, Result<void>& result) {
        result = co_await publisher_.wait_for_image(offset, node_.clock().now() + limit);
    }

    sim::World world_{1};
    sim::Node& node_ = world_.add_node("n");
    int failures_ = 0;
    MetadataPublisher publisher_{node_, Logger(), [this](const Error&) { ++failures_; }};
};

TEST_F(PublisherTest, TellsFollowersInOrderAfterPublishing) {
    std::vector<std::string> calls;
    publisher_.follow([&](const metadata::Update& update) {
        EXPECT_EQ(publisher_.image(), update.after);
        calls.push_back("a" + std::to_string(update.after->provenance.last_offset.value));
    });
    publisher_.follow([&](const metadata::Update& update) {
        calls.push_back("b" + std::to_string(update.after->provenance.last_offset.value));
    });
    commit(0, {feature("x", 1), feature("y", 1)});
    commit(2, {feature("z", 1)});
    EXPECT_EQ(calls, (std::vector<std::string>{"a1", "b1", "a2", "b2"}));
}

TEST_F(PublisherTest, TellsALateFollowerWhatThereIs) {
    commit(0, {feature("x", 1)});
    bool told = false;
    publisher_.follow([&](const metadata::Update& update) {
        told = true;
        EXPECT_EQ(update.before, metadata::Image::empty());
        EXPECT_TRUE(update.changes.features);
    });
    EXPECT_TRUE(told);
}

TEST_F(PublisherTest, WakesWhoWaitsForAnOffset) {
    const auto started = world_.now();
    EXPECT_TRUE(
        wait_while(Offset(1), 10s, [this] { commit(0, {feature("x", 1), feature("y", 1)}); }));
    EXPECT_LT(world_.now() - started, 2s);
    EXPECT_TRUE(wait_while(Offset(0), 10s, [] {})) << "it is there already";
}

TEST_F(PublisherTest, LetsNobodyWaitPastTheDeadline) {
    const auto waited = wait_while(Offset(5), 3s, [this] { commit(0, {feature("x", 1)}); });
    ASSERT_FALSE(waited);
    EXPECT_EQ(waited.error().code, ErrorCode::request_timed_out);
}

TEST_F(PublisherTest, TakesASnapshotInPlaceOfTheLog) {
    snapshot(100, {feature("x", 1)});
    EXPECT_EQ(publisher_.image()->provenance.last_offset, Offset(99));
    EXPECT_EQ(publisher_.image()->features->level("x"), 1);
    commit(100, {feature("y", 1)});
    EXPECT_EQ(publisher_.image()->provenance.last_offset, Offset(100));
}

/// As when the leader's log begins behind this node's: what came in between shows at once, and so
/// does what is no more.
TEST_F(PublisherTest, ASnapshotInTheMiddleIsAChangeLikeAnyOther) {
    const Uuid gone{1, 1};
    const Uuid kept{2, 2};
    commit(0, {metadata::encode_record(protocol::TopicRecord{"gone", gone}),
               metadata::encode_record(protocol::TopicRecord{"kept", kept}), feature("x", 1)});
    commit(3, {metadata::encode_record(protocol::BeginTransactionRecord{}), feature("x", 2)});
    const auto before = publisher_.image();
    std::vector<metadata::Update> updates;
    publisher_.follow([&](const metadata::Update& update) { updates.push_back(update); });
    updates.clear();
    EXPECT_TRUE(wait_while(Offset(99), 10s, [&] {
        snapshot(100, {metadata::encode_record(protocol::TopicRecord{"kept", kept}),
                       metadata::encode_record(protocol::TopicRecord{"new", {3, 3}})});
    }));
    ASSERT_EQ(updates.size(), 1u);
    EXPECT_EQ(updates[0].before, before);
    EXPECT_EQ(updates[0].changes.topics, (std::set<Uuid>{gone, {3, 3}}));
    EXPECT_TRUE(updates[0].changes.features);
    EXPECT_FALSE(publisher_.image()->topics->find("gone"));
    EXPECT_TRUE(publisher_.image()->topics->find("kept"));
    EXPECT_FALSE(publisher_.in_transaction()) << "what had begun before is in the snapshot, or not";
    commit(100, {feature("y", 1)});
    EXPECT_EQ(publisher_.image()->features->level("y"), 1);
    EXPECT_EQ(failures_, 0);
}

TEST_F(PublisherTest, DoesNotTakeWhatFormattingLeftForTheState) {
    snapshot(0, {feature("x", 1)});
    EXPECT_EQ(publisher_.image(), metadata::Image::empty());
}

TEST_F(PublisherTest, StopsAtARecordThatItCannotFollow) {
    commit(0, {feature("x", 1)});
    commit(1, {metadata::encode_record(protocol::RemoveTopicRecord{{1, 1}})});
    EXPECT_EQ(failures_, 1);
    EXPECT_EQ(publisher_.image()->provenance.last_offset, Offset(0));
    commit(2, {feature("y", 1)});
    EXPECT_EQ(publisher_.image()->provenance.last_offset, Offset(0))
        << "an image without what came before would lie";
    EXPECT_EQ(failures_, 1);
}

}  // namespace
}  // namespace milena::drivers
