// SPDX-License-Identifier: Apache-2.0
// Committed offsets to records and back; the bytes are those of Kafka 4.4.
#include "group/offsets/offset_records.h"

#include <gtest/gtest.h>

#include "milena/protocol/records/group.h"
#include "unit/coordinator/group/messages.h"

namespace milena::coordinator::test {
namespace {

const OffsetKey kKey{.group = "g", .topic = "t", .partition = PartitionIndex(3)};

TEST(OffsetRecord, HasTheKeyOfTheSchema) {
    const auto by_schema =
        make_tombstone(protocol::OffsetCommitKey{.group = "g", .topic = "t", .partition = 3});
    EXPECT_EQ(offset_key(kKey), by_schema->key);
    EXPECT_EQ(offset_tombstone(kKey), *by_schema);
}

TEST(OffsetRecord, IsOfVersionFourAndOfOneIfItSaysWhenItGoes) {
    const OffsetValue kept{.offset = Offset(5), .metadata = "m", .commit_ms = 7, .topic_id = {}};
    EXPECT_EQ(leading_number(*offset_record(kKey, kept).value), std::int16_t{4});
    OffsetValue going = kept;
    going.expire_ms = 9;
    EXPECT_EQ(leading_number(*offset_record(kKey, going).value), std::int16_t{1});
}

TEST(OffsetRecord, ComesBackAsItWas) {
    const OffsetValue value{.offset = Offset(5),
                            .leader_epoch = LeaderEpoch(2),
                            .metadata = "m",
                            .commit_ms = 7,
                            .topic_id = {1, 2}};
    const Record record = offset_record(kKey, value);
    const auto key = read_offset_key(record.key);
    ASSERT_TRUE(key.has_value());
    EXPECT_EQ(key->group, "g");
    EXPECT_EQ(key->topic, "t");
    EXPECT_EQ(key->partition, PartitionIndex(3));
    protocol::Arena arena;
    const auto read = read_offset_value(*record.value, arena);
    ASSERT_TRUE(read.has_value());
    EXPECT_EQ(read->offset, Offset(5));
    EXPECT_EQ(read_committed_offset(*record.value), Offset(5));
    EXPECT_FALSE(read_committed_offset(as_bytes("no offset")));
    EXPECT_EQ(read->leader_epoch, LeaderEpoch(2));
    EXPECT_EQ(read->metadata, "m");
    EXPECT_EQ(read->commit_ms, 7);
    EXPECT_EQ(read->expire_ms, -1);
    EXPECT_EQ(read->topic_id, (Uuid{1, 2}));
}

TEST(OffsetRecord, KeysOfAGroupBeginWithItsPrefixAndNoOthersDo) {
    const auto begins = [](std::string_view group, std::string_view prefix_of) {
        return as_text(offset_key({group, "t", PartitionIndex(0)}))
            .starts_with(as_text(offset_prefix(prefix_of)));
    };
    EXPECT_TRUE(begins("g", "g"));
    EXPECT_FALSE(begins("gg", "g"));
    EXPECT_FALSE(begins("g", "gg"));
}

TEST(OffsetRecord, EveryCutKeyIsRefused) {
    const auto key = offset_key(kKey);
    for (std::size_t length = 0; length < key.size(); ++length)
        EXPECT_FALSE(read_offset_key(BytesView(key).first(length)).has_value());
}

}  // namespace
}  // namespace milena::coordinator::test
