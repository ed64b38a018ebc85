// SPDX-License-Identifier: Apache-2.0
// What of a log comes into the store and what never does, and when a space is made anew.
#include "materialiser/followed_space.h"

#include <gmock/gmock.h>

#include "followed_replica.h"

namespace milena::drivers {
namespace {

using testing::IsEmpty;
using Content = std::map<std::string, std::string>;

constexpr std::int64_t kDay = 24 * 3600 * 1000;

class FollowedSpaceTest : public testing::Test {
protected:
    FollowedSpaceTest() { begin(); }

    void begin() {
        followed = std::make_shared<FollowedSpace>(
            Logger(), FollowedSpace::Parts{replica.partition, [this] { ++wakes; }, true});
        replica.partition->listen(followed);
    }
    FollowedSpace::Turn turn(std::uint64_t bytes = 1 << 20) {
        return {.store = *store, .bytes = bytes, .now_ms = now_ms, .age_max_ms = kDay};
    }
    /// Turns until there is nothing more at once.
    FollowedSpace::Outcome advance(std::uint64_t bytes = 1 << 20) {
        FollowedSpace::Outcome all;
        for (int i = 0; i < 100; ++i) {
            const auto one = followed->advance(turn(bytes));
            EXPECT_TRUE(one) << one.error().why;
            if (!one) return all;
            all.has_moved |= one->has_moved;
            all.is_rebuilt |= one->is_rebuilt;
            all.records += one->records;
            if (!one->has_more) return all;
        }
        ADD_FAILURE() << "turns without end";
        return all;
    }
    void take(BytesView records, std::int64_t high_watermark) {
        ASSERT_TRUE(replica.take(records, high_watermark));
    }
    /// Not committed yet.
    void take_more(BytesView records) { take(records, replica.partition->high_watermark().value); }
    void take_aborted(std::int64_t at, std::int64_t producer, const Pairs& records,
                      std::int64_t high_watermark, bool is_abort = true) {
        take_more(batch_at(at, records,
                           {.attributes = 0x10,
                            .producer_id = producer,
                            .producer_epoch = 0,
                            .base_sequence = 0}));
        const auto end = at + static_cast<std::int64_t>(records.size());
        take(support::marker_batch(end, {.producer = producer, .is_abort = is_abort}),
             high_watermark);
    }
    Content content() { return drivers::content(*store, replica.space()); }
    std::optional<storage::StatePosition> position() {
        return store->position(replica.space()).value();
    }
    /// The store says that it has come to `applied` in `epoch`, with this key.
    void store_says(std::int64_t applied, std::int32_t epoch, std::int64_t written_ms) {
        const storage::StateChange change{as_bytes("old"), as_bytes("state")};
        ASSERT_TRUE(store->write(replica.space(), std::span(&change, 1),
                                 {Offset(applied), LeaderEpoch(epoch), written_ms}));
    }

    sim::World world{1};
    sim::Node& node = world.add_node("n1");
    FollowedReplica replica{node};
    std::uint64_t kept_writes = 0;
    support::StateDisk disk{
        [this](std::uint64_t bound) { return std::min(kept_writes, bound - 1); }};
    std::unique_ptr<storage::StateStore> store = disk.open();
    std::shared_ptr<FollowedSpace> followed;
    int wakes = 0;
    std::int64_t now_ms = 1'700'000'000'000;
    const std::string a = typed_key(1, "a");
    const std::string b = typed_key(1, "b");
    const std::string group = typed_key(2, "group");
};

TEST_F(FollowedSpaceTest, ComesToTheHighWatermarkOfAFollower) {
    take(batch_at(0, {{a, "1"}, {group, "g"}}), 0);
    take(batch_at(2, {{a, "2"}, {group, std::nullopt}}), 2);
    EXPECT_EQ(followed->applied(), std::nullopt) << "not compared with its log yet";
    EXPECT_TRUE(advance().has_moved);
    EXPECT_EQ(followed->applied(), Offset(2));
    EXPECT_EQ(content(), (Content{{a, "1"}, {group, "g"}}));
    EXPECT_FALSE(advance().has_moved);
    take({}, 4);
    EXPECT_EQ(advance().records, 2U);
    EXPECT_EQ(content(), (Content{{a, "2"}}));
    EXPECT_EQ(position(), (storage::StatePosition{Offset(4), LeaderEpoch(0), now_ms}));
}

TEST_F(FollowedSpaceTest, IsToldOfNewsOnceUntilItIsTaken) {
    ASSERT_TRUE(followed->take_news()) << "it begins with a look";
    take(batch_at(0, {{a, "1"}}), 0);
    take({}, 1);
    EXPECT_EQ(wakes, 1);
    EXPECT_TRUE(followed->take_news());
    EXPECT_FALSE(followed->take_news());
    take(batch_at(1, {{a, "1"}}), 1);
    EXPECT_EQ(wakes, 2);
}

TEST_F(FollowedSpaceTest, WaitsForARole) {
    auto log = storage::Log::open(node, Logger(), "/data/other", {}, {}).value();
    const auto roleless = replication::Partition::make(
        node, Logger(),
        {BrokerId(1), {"__consumer_offsets", PartitionIndex(5)}, kTopic, std::move(log), {}, {}});
    FollowedSpace space(Logger(), {roleless, [] {}, true});
    const auto outcome = space.advance(turn());
    ASSERT_TRUE(outcome);
    EXPECT_FALSE(outcome->has_more);
    EXPECT_EQ(space.applied(), std::nullopt);
}

TEST_F(FollowedSpaceTest, MakesOneKeyOfTheTwoKindsOfOffsetKeys) {
    take(batch_at(0, {{typed_key(0, "a"), "old"}, {b, "1"}, {typed_key(0, "b"), std::nullopt}}), 3);
    advance();
    EXPECT_EQ(content(), (Content{{a, "old"}}));
}

TEST_F(FollowedSpaceTest, LeavesKeysOfOtherTopicsAsTheyAre) {
    followed = std::make_shared<FollowedSpace>(
        Logger(), FollowedSpace::Parts{replica.partition, [] {}, false});
    take(batch_at(0, {{typed_key(0, "id"), "1"}}), 1);
    advance();
    EXPECT_EQ(content(), (Content{{typed_key(0, "id"), "1"}}));
}

TEST_F(FollowedSpaceTest, PassesOverRecordsWithoutAKeyOfACoordinator) {
    support::BatchSpec spec{.records = {{.value = "no key"}, {.key = "x", .value = "no type"}}};
    take(support::make_batch(spec), 2);
    EXPECT_EQ(advance().records, 2U);
    EXPECT_THAT(content(), IsEmpty());
    EXPECT_EQ(followed->applied(), Offset(2));
}

TEST_F(FollowedSpaceTest, ReadsCompressedBatches) {
    const std::string value(10'000, 'v');
    take(batch_at(0, {{a, value}, {b, value}}, {.codec = record::Codec::zstd}), 2);
    advance();
    EXPECT_EQ(content(), (Content{{a, value}, {b, value}}));
}

TEST_F(FollowedSpaceTest, ReadsSomeBytesAtATime) {
    for (int i = 0; i < 10; ++i) take(batch_at(i, {{a, std::to_string(i)}}), i + 1);
    const auto first = followed->advance(turn(200));
    ASSERT_TRUE(first);
    EXPECT_TRUE(first->has_more);
    EXPECT_LT(first->records, 4U);
    EXPECT_GT(first->records, 0U);
    advance(1);
    EXPECT_EQ(followed->applied(), Offset(10)) << "one batch at least";
    EXPECT_EQ(content(), (Content{{a, "9"}}));
}

TEST_F(FollowedSpaceTest, NeverHasWhatWasAborted) {
    take_aborted(0, 7, {{a, "void"}, {b, "void"}}, 3);
    take_aborted(3, 7, {{a, "kept"}}, 5, false);
    take_aborted(5, 8, {{group, "void"}}, 7);
    take(batch_at(7, {{b, "plain"}}), 8);
    advance();
    EXPECT_EQ(content(), (Content{{a, "kept"}, {b, "plain"}}));
    EXPECT_EQ(followed->applied(), Offset(8));
}

TEST_F(FollowedSpaceTest, NeverHasWhatWasAbortedHoweverItIsCutIntoPieces) {
    take_aborted(0, 7, {{a, "void"}, {b, "void"}}, 3);
    take(batch_at(3, {{b, "plain"}}), 4);
    take_aborted(4, 7, {{a, "kept"}}, 6, false);
    advance(1);
    EXPECT_EQ(content(), (Content{{a, "kept"}, {b, "plain"}}));
}

TEST_F(FollowedSpaceTest, WaitsForTheEndOfAnOpenTransaction) {
    take_more(batch_at(0, {{a, "1"}}));
    take_more(
        batch_at(1, {{b, "2"}},
                 {.attributes = 0x10, .producer_id = 7, .producer_epoch = 0, .base_sequence = 0}));
    take(batch_at(2, {{a, "3"}}), 3);
    advance();
    EXPECT_EQ(content(), (Content{{a, "1"}})) << "also what was written behind it waits";
    EXPECT_EQ(followed->applied(), Offset(1));
    take(support::marker_batch(3, {.producer = 7}), 4);
    advance();
    EXPECT_EQ(content(), (Content{{a, "3"}, {b, "2"}}));
    EXPECT_EQ(followed->applied(), Offset(4));
}

TEST_F(FollowedSpaceTest, GoesOnInTheMiddleOfALargeBatch) {
    // 40 values of 100 kB are more than is written at once; of the writes only the first survives.
    Pairs records;
    for (int i = 0; i < 40; ++i)
        records.emplace_back(typed_key(1, std::to_string(i)), std::string(100'000, 'x'));
    take(batch_at(0, records, {.codec = record::Codec::zstd}), 40);
    advance();
    const Content whole = content();
    EXPECT_EQ(whole.size(), 40U);
    kept_writes = 1;
    store = disk.open();
    const Offset kept = position()->applied;
    EXPECT_GT(kept, Offset(0));
    EXPECT_LT(kept, Offset(40));
    begin();
    EXPECT_EQ(advance().records, static_cast<std::uint64_t>(Offset(40) - kept));
    EXPECT_EQ(content(), whole);
}

TEST_F(FollowedSpaceTest, GoesOnWhereTheStoreIs) {
    for (int i = 0; i < 4; ++i) take(batch_at(i, {{a, "log"}}), i + 1);
    store_says(2, 0, now_ms);
    const auto outcome = advance();
    EXPECT_FALSE(outcome.is_rebuilt);
    EXPECT_EQ(outcome.records, 2U);
    EXPECT_EQ(content(), (Content{{a, "log"}, {"old", "state"}}));
}

TEST_F(FollowedSpaceTest, IsMadeAnewWhenItIsNotOfThisLog) {
    take(batch_at(0, {{a, "1"}}, {.leader_epoch = 0}), 1);
    replica.follow(4);
    take(batch_at(1, {{a, "2"}}, {.leader_epoch = 4}), 2);
    struct Case {
        const char* what;
        std::int64_t applied;
        std::int32_t epoch;
        std::int64_t age_ms;
    };
    const Case cases[] = {{"an epoch that ended before", 2, 0, 0},
                          {"an epoch that never was", 2, 3, 0},
                          {"an epoch that is yet to come", 2, 5, 0},
                          {"beyond the log's end", 3, 4, 0},
                          {"older than delete.retention.ms", 2, 4, kDay + 1}};
    for (const auto& [what, applied, epoch, age_ms] : cases) {
        ASSERT_TRUE(store->drop(replica.space()));
        store_says(applied, epoch, now_ms - age_ms);
        begin();
        const auto outcome = advance();
        EXPECT_TRUE(outcome.is_rebuilt) << what;
        EXPECT_TRUE(outcome.has_moved) << what;
        EXPECT_EQ(content(), (Content{{a, "2"}})) << what;
        EXPECT_EQ(followed->applied(), Offset(2)) << what;
    }
    ASSERT_TRUE(store->drop(replica.space()));
    store_says(2, 4, now_ms - kDay);
    begin();
    EXPECT_FALSE(advance().is_rebuilt);
}

TEST_F(FollowedSpaceTest, IsMadeAnewWhenTheLogBeginsLater) {
    for (int i = 0; i < 4; ++i) take(batch_at(i, {{a, "log"}}), i + 1);
    advance();
    store_says(4, 0, now_ms);
    const std::vector<BrokerId> alone{BrokerId(1)};
    ASSERT_TRUE(
        replica.partition->become({BrokerId(1), LeaderEpoch(1), PartitionEpoch(9), alone, alone}));
    ASSERT_EQ(replica.partition->delete_records(Offset(3), {}).code, ErrorCode::none);
    store = disk.open();  // all of it is lost
    store_says(2, 0, now_ms);
    begin();
    EXPECT_TRUE(advance().is_rebuilt);
    EXPECT_EQ(content(), (Content{{a, "log"}}));
    EXPECT_EQ(followed->applied(), Offset(4));
}

TEST_F(FollowedSpaceTest, IsMadeAnewWhenWhatItHasIsCutOff) {
    take(batch_at(0, {{a, "1"}}), 1);
    take(batch_at(1, {{b, "lost"}}), 2);
    advance();
    ASSERT_EQ(followed->applied(), Offset(2));
    // An unclean election: the new leader has only the first.
    replica.follow(3);
    ASSERT_TRUE(replica.take({}, 1, storage::EpochEnd{LeaderEpoch(0), Offset(1)}));
    take(batch_at(1, {{a, "3"}, {a, "4"}}, {.leader_epoch = 3}), 3);
    const auto cut = followed->advance(turn());
    ASSERT_TRUE(cut);
    EXPECT_TRUE(cut->is_rebuilt && cut->has_moved && cut->has_more);
    EXPECT_EQ(followed->applied(), std::nullopt) << "nobody takes it for what it was";
    EXPECT_THAT(content(), IsEmpty());
    advance();
    EXPECT_EQ(content(), (Content{{a, "4"}}));
    EXPECT_EQ(followed->applied(), Offset(3));
}

TEST_F(FollowedSpaceTest, DoesNotComeBelowAHighWatermarkThatIsForgotten) {
    // After a crash a follower's checkpoint may be behind what the store has.
    take(batch_at(0, {{a, "1"}, {a, "2"}}), 1);
    store_says(2, 0, now_ms);
    EXPECT_FALSE(advance().is_rebuilt);
    EXPECT_EQ(followed->applied(), Offset(2));
}

TEST_F(FollowedSpaceTest, TellsOfADamagedBatch) {
    auto batch = batch_at(0, {{a, "1"}});
    ASSERT_TRUE(replica.take(batch, 1));
    const auto file =
        node.files()
            .open("/data/__consumer_offsets-0/00000000000000000000.log", env::OpenMode::read_write)
            .value();
    ASSERT_TRUE(file->write_at(batch.size() - 1, as_bytes("x")));
    const auto refused = followed->advance(turn());
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::corrupt_message);
    EXPECT_THAT(content(), IsEmpty());
}

TEST_F(FollowedSpaceTest, KeepsYoungWhatIsUpToDate) {
    EXPECT_FALSE(followed->keep_young(*store, now_ms, 0).value()) << "nothing is stored";
    take(batch_at(0, {{a, "1"}}), 1);
    advance();
    EXPECT_FALSE(followed->keep_young(*store, now_ms + 10, 10).value());
    EXPECT_TRUE(followed->keep_young(*store, now_ms + 11, 10).value());
    EXPECT_EQ(position()->written_ms, now_ms + 11);
    EXPECT_EQ(position()->applied, Offset(1));
    EXPECT_FALSE(followed->keep_young(*store, now_ms + 11, 0).value());
}

TEST_F(FollowedSpaceTest, LetsAgeWhatIsBehind) {
    for (int i = 0; i < 4; ++i) take(batch_at(i, {{a, "1"}}), i + 1);
    ASSERT_TRUE(followed->advance(turn(1)));
    EXPECT_FALSE(followed->keep_young(*store, now_ms + 1000, 10).value());
}

}  // namespace
}  // namespace milena::drivers
