// SPDX-License-Identifier: Apache-2.0
// Keys are as Kafka's: type, group's name, and for offsets topic and partition behind it. They are
// written into a store in memory, and read back in the ways in which a coordinator reads.
#include "coordinators/stored_records.h"

#include <gtest/gtest.h>

#include "support/memory_state_store.h"

namespace milena::drivers {
namespace {

using support::StateDisk;

const storage::StateSpace kSpace{Uuid{1, 2}, PartitionIndex(3)};

std::vector<std::byte> key_of(std::int16_t type, std::string_view group,
                              std::string_view rest = {}) {
    std::vector<std::byte> key(4);
    store(key.data(), type);
    store(key.data() + 2, static_cast<std::int16_t>(group.size()));
    for (const std::string_view text : {group, rest}) {
        const auto bytes = as_bytes(text);
        key.insert(key.end(), bytes.begin(), bytes.end());
    }
    return key;
}

class StoredRecordsTest : public ::testing::Test {
protected:
    StoredRecordsTest() : disk_([](std::uint64_t) { return 0; }), store_(disk_.open()) {}

    void put(const std::vector<std::byte>& key, std::string_view value) {
        const storage::StateChange change{key, as_bytes(value)};
        position_.applied = position_.applied.next();
        ASSERT_TRUE(store_->write(kSpace, std::span(&change, 1), position_));
    }
    StoredSpace stored() const { return {*store_, kSpace}; }
    std::vector<std::string> loaded() const {
        std::vector<std::string> values;
        EXPECT_TRUE(load_stored(stored(), [&](const coordinator::RecordView& record) {
            EXPECT_EQ(record.offset, Offset(-1));
            values.emplace_back(as_text(*record.value));
        }));
        return values;
    }

    StateDisk disk_;
    std::unique_ptr<storage::StateStore> store_;
    storage::StatePosition position_{Offset(0), LeaderEpoch(0), 0};
};

TEST_F(StoredRecordsTest, LoadsAllButOffsetsAndOneOffsetOfEachGroup) {
    put(key_of(0, "old", "t0"), "old's");
    put(key_of(1, "a", "t0"), "a's first");
    put(key_of(1, "a", "t1"), "a's second");
    put(key_of(1, "ab", "t0"), "ab's");
    put(key_of(1, "b", "t9"), "b's");
    put(key_of(2, "a"), "group a");
    put(key_of(5, "c"), "member of c");
    EXPECT_EQ(loaded(), (std::vector<std::string>{"group a", "member of c", "old's", "a's first",
                                                  "b's", "ab's"}))
        << "names are ordered by length first, as their keys are";
}

TEST_F(StoredRecordsTest, LoadsGroupsWhoseNamesAreTheLastThereCanBe) {
    put(key_of(1, "\xff\xff", "t0"), "the last");
    put(key_of(1, "", "t0"), "the one without a name");
    EXPECT_EQ(loaded(), (std::vector<std::string>{"the one without a name", "the last"}));
}

TEST_F(StoredRecordsTest, LoadsNothingOfAnEmptyStore) {
    EXPECT_EQ(loaded(), std::vector<std::string>());
}

TEST_F(StoredRecordsTest, ReadsKeysAndPrefixes) {
    put(key_of(1, "a", "t0"), "0");
    put(key_of(1, "a", "t1"), "1");
    put(key_of(1, "b", "t0"), "2");
    const std::vector<coordinator::StateRead> reads{
        {.key = key_of(1, "b", "t0"), .is_prefix = false},
        {.key = key_of(1, "b", "t7"), .is_prefix = false},
        {.key = key_of(1, "a"), .is_prefix = true}};
    auto first = read_stored(stored(), reads);
    ASSERT_TRUE(first);
    const StoredRecords read = *std::move(first);  // views stay good when it is moved
    ASSERT_EQ(read.views().size(), 3U);
    EXPECT_EQ(as_text(*read.views()[0].value), "2");
    EXPECT_EQ(as_text(*read.views()[1].value), "0");
    EXPECT_EQ(as_text(*read.views()[2].value), "1");
    EXPECT_TRUE(std::ranges::equal(read.views()[2].key, key_of(1, "a", "t1")));
}

TEST_F(StoredRecordsTest, ReadsAKeyOnceHoweverOftenItIsNamed) {
    put(key_of(1, "a", "t0"), "0");
    const std::vector<coordinator::StateRead> reads(3, {.key = key_of(1, "a", "t0")});
    const auto read = read_stored(stored(), reads);
    ASSERT_TRUE(read);
    EXPECT_EQ(read->views().size(), 1U);
}

TEST_F(StoredRecordsTest, ReadsNoMoreThanOneRequestMay) {
    const std::string large(kReadBytesMax / 2, 'v');
    put(key_of(1, "a", "t0"), large);
    put(key_of(1, "a", "t1"), large);
    put(key_of(1, "b", "t0"), large);
    const std::vector<coordinator::StateRead> fits{{.key = key_of(1, "b"), .is_prefix = true}};
    EXPECT_TRUE(read_stored(stored(), fits));
    const std::vector<coordinator::StateRead> all{{.key = key_of(1, "a"), .is_prefix = true}};
    const auto read = read_stored(stored(), all);
    ASSERT_FALSE(read);
    EXPECT_EQ(read.error().code, ErrorCode::policy_violation);
}

TEST_F(StoredRecordsTest, PagesThroughOffsetsAndStopsBeforeGroups) {
    constexpr std::size_t kOffsets = 2 * kPageKeysMax + 1;
    for (std::size_t i = 0; i < kOffsets; ++i)
        put(key_of(1, "a", fmt::format("{:06}", i)), "an offset");
    put(key_of(2, "a"), "group a");
    std::vector<std::byte> from;
    std::size_t keys = 0;
    std::size_t pages = 0;
    do {
        const auto page = read_offsets_page(stored(), {}, from);
        ASSERT_TRUE(page);
        keys += page->records.views().size();
        ++pages;
        from = page->next;
    } while (!from.empty());
    EXPECT_EQ(keys, kOffsets);
    EXPECT_EQ(pages, 3U);
}

}  // namespace
}  // namespace milena::drivers
