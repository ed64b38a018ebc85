// SPDX-License-Identifier: Apache-2.0
// ListOffsets over a log in memory.
#include "offset_lookup.h"

#include <gtest/gtest.h>

#include "memory_log.h"

namespace milena::replication {
namespace {

/// Batches at 0 (time 100), 1 (time 300), 2 (time 200), the last above the high watermark; epoch 4
/// since offset 2.
class OffsetLookupTest : public testing::Test {
protected:
    OffsetLookupTest() {
        append(0, 100, 3);
        append(1, 300, 3);
        append(2, 200, 4);
        view_.leads = true;
        view_.leader = {BrokerId(1), LeaderEpoch(4)};
        view_.epoch_start = Offset(2);
        view_.log_end = Offset(3);
        view_.high_watermark = Offset(2);
        view_.last_stable = Offset(1);
    }
    void append(std::int64_t base, std::int64_t time, int epoch) {
        auto batch = batch_of(1, Timestamp(time));
        record::stamp(batch, Offset(base), LeaderEpoch(epoch));
        log_.append(batch).value();
    }
    OffsetAnswer ask(std::int64_t timestamp_or_spec) {
        question_.timestamp_or_spec = timestamp_or_spec;
        return lookup_offset(question_, view_, log_);
    }
    OffsetAnswer ask(OffsetSpec spec) { return ask(static_cast<std::int64_t>(spec)); }

    MemoryLog log_;
    ReplicaView view_;
    OffsetQuestion question_;
};

void expect(const OffsetAnswer& answer, std::int64_t offset, std::int64_t timestamp, int epoch) {
    EXPECT_EQ(answer.code, ErrorCode::none);
    EXPECT_EQ(answer.offset, Offset(offset));
    EXPECT_EQ(answer.timestamp, Timestamp(timestamp));
    EXPECT_EQ(answer.leader_epoch, LeaderEpoch(epoch));
}

TEST_F(OffsetLookupTest, LatestIsWhatTheAskerMaySee) {
    expect(ask(OffsetSpec::latest), 2, -1, 4);
    question_.read_committed = true;
    expect(ask(OffsetSpec::latest), 1, -1, 4);
    question_.replica = BrokerId(2);
    expect(ask(OffsetSpec::latest), 3, -1, 4);
}

TEST_F(OffsetLookupTest, EarliestIsTheLogStartWithItsEpoch) {
    expect(ask(OffsetSpec::earliest), 0, -1, 3);
    expect(ask(OffsetSpec::earliest_local), 0, -1, 3);
}

TEST_F(OffsetLookupTest, EarliestOfAnEmptyLogHasTheLeadersEpoch) {
    view_.log_start = view_.high_watermark = view_.last_stable = Offset(3);
    expect(ask(OffsetSpec::earliest), 3, -1, 4);
}

TEST_F(OffsetLookupTest, FindsTheFirstRecordAtOrAfterATime) {
    expect(ask(100), 0, 100, 3);
    expect(ask(101), 1, 300, 3);
}

TEST_F(OffsetLookupTest, FindsNothingBeyondTheHighWatermark) {
    log_.truncate_to(Offset(1)).value();
    append(1, 150, 3);
    append(2, 400, 4);
    expect(ask(160), -1, -1, -1);
    question_.replica = kDebugConsumer;
    expect(ask(160), 2, 400, 4);
}

TEST_F(OffsetLookupTest, FindsTheFirstRecordWithTheGreatestTimestamp) {
    expect(ask(OffsetSpec::max_timestamp), 1, 300, 3);
    view_.high_watermark = view_.last_stable = view_.epoch_start = Offset(0);
    expect(ask(OffsetSpec::max_timestamp), -1, -1, -1);
}

TEST_F(OffsetLookupTest, KnowsOfNoTiers) {
    expect(ask(OffsetSpec::latest_tiered), -1, -1, -1);
    expect(ask(OffsetSpec::earliest_pending_upload), -1, -1, -1);
}

TEST_F(OffsetLookupTest, RefusesNumbersWithoutAMeaning) {
    EXPECT_EQ(ask(-7).code, ErrorCode::unsupported_version);
    EXPECT_EQ(ask(INT64_MIN).code, ErrorCode::unsupported_version);
}

TEST_F(OffsetLookupTest, DoesNotKnowTheEndBeforeItsHighWatermarkReachedItsEpoch) {
    // KIP-207: the leader before may have shown consumers more than this one knows to be committed.
    view_.high_watermark = Offset(1);
    EXPECT_EQ(ask(OffsetSpec::latest).code, ErrorCode::offset_not_available);
    EXPECT_EQ(ask(301).code, ErrorCode::offset_not_available);
    expect(ask(100), 0, 100, 3);
    expect(ask(OffsetSpec::earliest), 0, -1, 3);
    question_.replica = BrokerId(2);
    expect(ask(OffsetSpec::latest), 3, -1, 4);
}

TEST_F(OffsetLookupTest, FencesAndWantsTheLeader) {
    question_.current_leader_epoch = LeaderEpoch(3);
    EXPECT_EQ(ask(OffsetSpec::latest).code, ErrorCode::fenced_leader_epoch);
    question_.current_leader_epoch = LeaderEpoch(5);
    EXPECT_EQ(ask(OffsetSpec::latest).code, ErrorCode::unknown_leader_epoch);
    question_.current_leader_epoch = kNoLeaderEpoch;
    view_.leads = false;
    EXPECT_EQ(ask(OffsetSpec::latest).code, ErrorCode::not_leader_or_follower);
    question_.replica = kDebugConsumer;
    expect(ask(OffsetSpec::latest), 3, -1, 4);
}

}  // namespace
}  // namespace milena::replication
