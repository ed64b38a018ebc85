// SPDX-License-Identifier: Apache-2.0
// Offsets come and go by changes and by pages, in whatever order; what is known of the ends of
// their partitions makes lag of them.
#include "coordinators/lag/watched_offsets.h"

#include <gtest/gtest.h>

#include <fmt/format.h>

#include "unit/drivers/coordinators/lag/offset_changes.h"

extern "C" {
// Of the sanitizers' runtime (sanitizer/allocator_interface.h); not there in other builds.
[[gnu::weak]] std::size_t __sanitizer_get_current_allocated_bytes();
}

namespace milena::drivers {
namespace {

const storage::StateSpace kHere{Uuid{7, 7}, PartitionIndex(0)};
const storage::StateSpace kThere{Uuid{7, 7}, PartitionIndex(1)};
constexpr Uuid kTopic{1, 1};

class WatchedOffsetsTest : public testing::Test {
protected:
    explicit WatchedOffsetsTest(const WatchBounds& bounds = {}) : watched_(bounds) {
        watched_.watch(kHere);
        read(kHere, {});
    }
    /// What the store has, in pages of one record.
    void read(const storage::StateSpace& space, const OffsetChanges& stored) {
        std::size_t at = 0;
        while (const auto page = watched_.next_page()) {
            EXPECT_EQ(page->space, space);
            const bool is_last = at + 1 >= stored.all().size();
            const auto views = stored.records();
            watched_.take_page(*page,
                               std::span(views).subspan(std::min(at, views.size()),
                                                        std::min<std::size_t>(1, views.size())),
                               is_last ? std::vector<std::byte>() : std::vector(1, std::byte(at)));
            ++at;
        }
    }
    void change(const OffsetChanges& changes, const storage::StateSpace& space = kHere) {
        watched_.changed(space, changes.all());
    }
    void see(std::string_view topic, std::int32_t partition, std::int64_t end, LagTick now) {
        const SeenEnd seen{PartitionIndex(partition), Offset(end)};
        watched_.see(topic, kTopic, std::span(&seen, 1), now);
    }
    /// "group topic-partition committed/lag/seconds", a line each.
    std::vector<std::string> lines(LagTick now = 0, const storage::StateSpace& space = kHere) {
        std::vector<std::string> lines;
        std::optional<std::string> behind;
        while (const auto row = watched_.next_group(space, behind, now)) {
            behind = row->group;
            for (const auto& topic : row->topics) {
                for (const auto& lag : topic.partitions) {
                    lines.push_back(fmt::format("{} {}-{} {}", row->group, topic.topic,
                                                lag.partition, lag.committed));
                    if (lag.records)
                        lines.back() += fmt::format("/{}/{}", *lag.records, lag.seconds);
                }
            }
        }
        return lines;
    }
    using Lines = std::vector<std::string>;

    WatchedOffsets watched_;
};

TEST_F(WatchedOffsetsTest, LagIsWhatLiesBetweenTheOffsetAndTheEnd) {
    change(OffsetChanges().set("g", "t", 0, 10).set("g", "t", 1, 50).set("g", "u", 0, 3));
    EXPECT_EQ(lines(), (Lines{"g t-0 10", "g t-1 50", "g u-0 3"})) << "no end is known yet";
    see("t", 0, 30, 0);
    see("t", 1, 40, 0);
    EXPECT_EQ(lines(), (Lines{"g t-0 10/20/0", "g t-1 50/0/0", "g u-0 3"})) << "never below 0";
    EXPECT_EQ(lines(70), (Lines{"g t-0 10/20/7", "g t-1 50/0/0", "g u-0 3"}));
    change(OffsetChanges().set("g", "t", 0, 30));
    EXPECT_EQ(lines(70).front(), "g t-0 30/0/0");
}

TEST_F(WatchedOffsetsTest, AnOffsetBelowZeroIsNoRecordsMore) {
    change(OffsetChanges().set("g", "t", 0, -1));
    see("t", 0, 30, 0);
    EXPECT_EQ(lines(), Lines{"g t-0 -1/30/0"});
}

TEST_F(WatchedOffsetsTest, WhatIsDeletedGoesAndWhatNobodyReadsIsForgotten) {
    change(OffsetChanges().set("g", "t", 0, 10).set("h", "t", 0, 20).set("h", "t", 1, 20));
    see("t", 0, 30, 0);
    change(OffsetChanges().gone("g", "t", 0).gone("h", "t", 1).gone("h", "t", 9).gone("x", "y", 0));
    EXPECT_EQ(lines(), Lines{"h t-0 20/10/0"});
    change(OffsetChanges().gone("h", "t", 0));
    EXPECT_EQ(lines(), Lines());
    EXPECT_EQ(watched_.figures(0).partitions, 0U);
    EXPECT_EQ(watched_.figures(0).offsets, 0U);
    change(OffsetChanges().set("h", "t", 0, 20));
    EXPECT_EQ(lines(), Lines{"h t-0 20"}) << "the end is not known any more";
}

TEST_F(WatchedOffsetsTest, OneThatGoesAndComesInOneWriteIsThere) {
    change(OffsetChanges().set("g", "t", 0, 10));
    change(OffsetChanges().gone("g", "t", 0).set("g", "t", 0, 11));
    EXPECT_EQ(lines(), Lines{"g t-0 11"});
    change(OffsetChanges().set("g", "t", 0, 12).gone("g", "t", 0));
    EXPECT_EQ(lines(), Lines());
}

TEST_F(WatchedOffsetsTest, WhatIsNoOffsetIsPassedOver) {
    const std::array changes{
        storage::StateChange{as_bytes(std::string_view("\0\2\0\1g", 5)), as_bytes("v")},
        storage::StateChange{as_bytes(""), as_bytes("v")}};
    watched_.changed(kHere, changes);
    change(OffsetChanges().garbage("g", "t", 0));
    EXPECT_EQ(lines(), Lines());
}

TEST_F(WatchedOffsetsTest, SpacesThatAreNotWatchedDoNotCount) {
    change(OffsetChanges().set("g", "t", 0, 10), kThere);
    EXPECT_EQ(lines(0, kThere), Lines());
    watched_.watch(kThere);
    watched_.watch(kThere);
    read(kThere, OffsetChanges().set("h", "t", 0, 10).set("h", "t", 1, 11));
    EXPECT_EQ(lines(0, kThere), (Lines{"h t-0 10", "h t-1 11"}));
    change(OffsetChanges().set("g", "t", 0, 10));
    watched_.unwatch(kThere);
    EXPECT_EQ(lines(0, kThere), Lines());
    EXPECT_EQ(lines(), Lines{"g t-0 10"});
    EXPECT_EQ(watched_.spaces(), std::vector{kHere});
    EXPECT_EQ(watched_.figures(0).partitions, 1U);
}

/// A page is what the store had when it was read: a change that came meanwhile may be newer.
TEST_F(WatchedOffsetsTest, AChangeGoesBeforeAPageThatWasReadMeanwhile) {
    watched_.watch(kThere);
    const auto page = watched_.next_page();
    change(OffsetChanges().set("g", "t", 0, 20).gone("g", "t", 1), kThere);
    const OffsetChanges old =
        OffsetChanges().set("g", "t", 0, 10).set("g", "t", 1, 10).set("g", "t", 2, 10);
    watched_.take_page(*page, old.records(), {});
    EXPECT_EQ(lines(0, kThere), (Lines{"g t-0 20", "g t-2 10"}));
    EXPECT_FALSE(watched_.next_page());
}

TEST_F(WatchedOffsetsTest, ASpaceThatIsDroppedIsReadFromItsBeginning) {
    watched_.watch(kThere);
    const auto first = watched_.next_page();
    watched_.take_page(*first, OffsetChanges().set("g", "t", 0, 10).records(), {std::byte{1}});
    const auto second = watched_.next_page();
    EXPECT_EQ(second->from, std::vector{std::byte{1}});
    watched_.dropped(kThere);
    watched_.take_page(*second, OffsetChanges().set("g", "t", 1, 10).records(), {});
    EXPECT_EQ(lines(0, kThere), Lines()) << "what was read is of the time before";
    EXPECT_TRUE(watched_.next_page()->from.empty());
}

TEST_F(WatchedOffsetsTest, APageOfASpaceThatWasGivenUpIsPassedOver) {
    watched_.watch(kThere);
    const auto page = watched_.next_page();
    watched_.unwatch(kThere);
    watched_.take_page(*page, OffsetChanges().set("g", "t", 0, 10).records(), {});
    watched_.watch(kThere);
    watched_.take_page(*page, OffsetChanges().set("g", "t", 0, 10).records(), {});
    EXPECT_EQ(lines(0, kThere), Lines());
    EXPECT_TRUE(watched_.next_page().has_value());
}

TEST_F(WatchedOffsetsTest, ATopicMadeAnewHasEndsOfItsOwn) {
    change(OffsetChanges().set("g", "t", 0, 10));
    see("t", 0, 30, 0);
    watched_.see("t", Uuid{2, 2}, {}, 5);
    EXPECT_EQ(lines(), Lines{"g t-0 10"});
    see("t", 0, 12, 10);
    EXPECT_EQ(lines(10), Lines{"g t-0 10/2/0"});
    watched_.forget_ends("t");
    watched_.forget_ends("unknown");
    EXPECT_EQ(lines(10), Lines{"g t-0 10"});
}

TEST_F(WatchedOffsetsTest, WalksOverThePartitionsInPieces) {
    change(OffsetChanges()
               .set("g", "b", 0, 1)
               .set("g", "b", 4, 1)
               .set("g", "a", 2, 1)
               .set("h", "a", 2, 1)
               .set("h", "c", 0, 1));
    WatchedOffsets::Walk walk;
    Lines seen;
    while (!walk.is_over) {
        const auto some = watched_.next_partitions(walk, 2);
        std::size_t count = 0;
        for (const auto& topic : some) {
            for (const auto partition : topic.partitions) {
                seen.push_back(fmt::format("{}-{}", topic.topic, partition));
                ++count;
            }
        }
        EXPECT_LE(count, 2U);
    }
    EXPECT_EQ(seen, (Lines{"a-2", "b-0", "b-4", "c-0"}));
}

TEST_F(WatchedOffsetsTest, PartitionsThatAreNotHeardOfAreCounted) {
    change(OffsetChanges().set("g", "t", 0, 1).set("g", "t", 1, 1).set("g", "t", 2, 1));
    see("t", 0, 1, 100);
    see("t", 1, 1, 200);
    EXPECT_EQ(watched_.figures(0).silent, 1U);
    EXPECT_EQ(watched_.figures(150).silent, 2U);
}

/// A tenth of all bounds, with the history of each partition as long as it gets.
TEST_F(WatchedOffsetsTest, AMillionOffsetsTakeLessThan64Mib) {
    if (__sanitizer_get_current_allocated_bytes == nullptr) GTEST_SKIP() << "nobody tells";
    constexpr std::int32_t kPartitions = 10'000;
    const std::size_t before = __sanitizer_get_current_allocated_bytes();
    for (int group = 0; group < 10; ++group) {
        for (std::int32_t partition = 0; partition < kPartitions; ++partition)
            change(OffsetChanges().set(fmt::format("group-{}", group), "topic", partition, 5));
    }
    std::vector<SeenEnd> ends(kPartitions);
    for (int round = 1; round < 100; ++round) {
        for (std::int32_t partition = 0; partition < kPartitions; ++partition)
            ends[static_cast<std::size_t>(partition)] = {PartitionIndex(partition), Offset(round)};
        watched_.see("topic", kTopic, ends, static_cast<LagTick>(50 * round));
    }
    ends = {};
    const std::size_t taken = __sanitizer_get_current_allocated_bytes() - before;
    EXPECT_EQ(watched_.figures(0).offsets, 100'000U);
    EXPECT_LT(taken, (64U << 20) / 10);
}

class FewWatchedOffsets : public WatchedOffsetsTest {
protected:
    FewWatchedOffsets()
        : WatchedOffsetsTest({.offsets = 3, .partitions = 2, .name_bytes = 1000, .touched = 2}) {}
};

TEST_F(FewWatchedOffsets, WhatHasNoRoomIsLeftOutAndCounted) {
    change(OffsetChanges().set("g", "t", 0, 1).set("g", "t", 1, 1).set("g", "t", 2, 1));
    EXPECT_EQ(lines(), (Lines{"g t-0 1", "g t-1 1"})) << "a third partition";
    change(OffsetChanges().set("h", "t", 0, 1).set("h", "t", 1, 1));
    EXPECT_EQ(lines().size(), 3U) << "a fourth offset";
    EXPECT_EQ(watched_.figures(0).left_out, 2U);
    change(OffsetChanges().set("g", "t", 0, 9));
    EXPECT_EQ(lines().front(), "g t-0 9") << "what is there moves on";
}

TEST_F(FewWatchedOffsets, NamesTakeRoomToo) {
    change(OffsetChanges().set(std::string(900, 'x'), "t", 0, 1));
    EXPECT_EQ(lines(), Lines());
    change(OffsetChanges().set("g", "t", 0, 1));
    EXPECT_EQ(lines(), Lines{"g t-0 1"});
}

TEST_F(FewWatchedOffsets, WhatWasLeftOutIsFoundWhenThereIsRoom) {
    const OffsetChanges stored =
        OffsetChanges().set("g", "t", 0, 1).set("g", "t", 1, 1).set("g", "t", 2, 1);
    change(stored);
    watched_.read_again();
    read(kHere, stored);
    EXPECT_EQ(watched_.figures(0).left_out, 1U) << "counted once, however often it is read";
    change(OffsetChanges().gone("g", "t", 0));
    watched_.read_again();
    read(kHere, OffsetChanges().set("g", "t", 1, 1).set("g", "t", 2, 1));
    EXPECT_EQ(lines(), (Lines{"g t-1 1", "g t-2 1"}));
    EXPECT_EQ(watched_.figures(0).left_out, 0U);
    watched_.read_again();
    EXPECT_FALSE(watched_.next_page()) << "nothing is left out";
}

TEST_F(FewWatchedOffsets, APageBesideWhichTooMuchChangesIsReadAgain) {
    watched_.watch(kThere);
    const auto page = watched_.next_page();
    const OffsetChanges many =
        OffsetChanges().gone("g", "t", 0).gone("g", "t", 1).gone("g", "t", 2);
    change(many, kThere);
    watched_.take_page(*page, OffsetChanges().set("g", "t", 0, 1).records(), {});
    EXPECT_EQ(lines(0, kThere), Lines());
    EXPECT_EQ(watched_.next_page()->from, page->from);
}

}  // namespace
}  // namespace milena::drivers
