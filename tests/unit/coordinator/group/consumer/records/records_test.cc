// SPDX-License-Identifier: Apache-2.0
// Changes of consumer groups as bytes, and back.
#include "group/consumer/records/records.h"

#include <gtest/gtest.h>

namespace milena::coordinator::test {
namespace {

constexpr Uuid kTopic{1, 2};

RecordView view(const Record& record) {
    std::optional<BytesView> value;
    if (record.value) value = BytesView(*record.value);
    return {.key = record.key, .value = value, .offset = {}};
}

/// The same record again is the same change.
void check_round_trip(const ConsumerChange& change) {
    const Record record = record_of("g", change);
    const auto read = read_consumer_record(view(record));
    ASSERT_TRUE(read.has_value()) << read.error().why;
    EXPECT_EQ(read->group, "g");
    EXPECT_EQ(read->change.index(), change.index());
    EXPECT_EQ(record_of(read->group, read->change), record);
}

std::vector<ConsumerChange> changes() {
    MemberMetadata member;
    member.instance_id = "i";
    member.client_id = "c";
    member.topics = {"a", "b"};
    member.regex = "x.*";
    member.rebalance_timeout_ms = 5;
    member.assignor = "range";
    member.classic = ClassicSide{7, {{"range", {std::byte{1}}}}};
    MemberCurrent current;
    current.epoch = 3;
    current.previous_epoch = 2;
    current.state = MemberState::unrevoked;
    current.assigned = {{{kTopic, PartitionIndex(0)}, 1}};
    current.revoking = {{{kTopic, PartitionIndex(1)}, 3}};
    const auto target =
        std::make_shared<const PartitionSet>(PartitionSet{{kTopic, PartitionIndex(4)}});
    return {GroupEpochChange{{{.epoch = 4, .metadata_hash = 9}}},
            AssignmentEpochChange{{{.epoch = 4, .assigned_ms = 100}}},
            MetadataChange{"m", member},
            TargetChange{"m", target},
            CurrentChange{"m", current},
            RegexChange{"x.*", ResolvedRegex{{"xa", "xb"}, 5, 6}},
            GroupEpochChange{std::nullopt},
            AssignmentEpochChange{std::nullopt},
            MetadataChange{"m", std::nullopt},
            TargetChange{"m", nullptr},
            CurrentChange{"m", std::nullopt},
            RegexChange{"x.*", std::nullopt},
            PartitionMetadataChange{false}};
}

TEST(ConsumerRecords, ComeBackAsTheyWere) {
    for (const ConsumerChange& change : changes()) check_round_trip(change);
}

TEST(ConsumerRecords, CutOnesAreRefused) {
    for (const ConsumerChange& change : changes()) {
        const Record record = record_of("g", change);
        for (std::size_t size = 0; size < record.key.size(); ++size) {
            EXPECT_FALSE(read_consumer_record(
                             {.key = BytesView(record.key).first(size), .value = {}, .offset = {}})
                             .has_value());
        }
    }
}

TEST(ConsumerRecords, AnAssignmentIsWrittenAsKafkaDoes) {
    const auto target = std::make_shared<const PartitionSet>(
        PartitionSet{{kTopic, PartitionIndex(0)}, {kTopic, PartitionIndex(3)}});
    const Record record = record_of("g", TargetChange{"m", target});
    // Version, one topic: its id, two partitions, no tags; no tags.
    const std::vector<int> expected{0, 0, 2, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0,
                                    0, 0, 0, 2, 3, 0, 0, 0, 0, 0, 0, 0, 3, 0, 0};
    std::vector<int> real;
    for (const std::byte one : *record.value) real.push_back(static_cast<int>(one));
    EXPECT_EQ(real, expected);
}

TEST(ConsumerRecords, EpochsThatWereNotWrittenAreTheMembers) {
    MemberCurrent current;
    current.epoch = 3;
    current.assigned = {{{kTopic, PartitionIndex(0)}, 3}};
    Record record = record_of("g", CurrentChange{"m", current});
    // Before 4.4 the topic's tags are empty: 1 tag, its number, its size, 1+1 elements, the epoch.
    const std::vector<std::byte> tagged{std::byte{1}, std::byte{0}, std::byte{5}, std::byte{2},
                                        std::byte{0}, std::byte{0}, std::byte{0}, std::byte{3}};
    const auto found = std::ranges::search(*record.value, tagged);
    ASSERT_FALSE(found.empty());
    const auto begin = found.begin();
    *begin = std::byte{0};
    record.value->erase(begin + 1, begin + static_cast<std::ptrdiff_t>(tagged.size()));
    const auto read = read_consumer_record(view(record));
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(std::get<CurrentChange>(read->change).value->assigned, current.assigned);
}

}  // namespace
}  // namespace milena::coordinator::test
