// SPDX-License-Identifier: Apache-2.0
// A store in memory, and what its observer hears.
#include "coordinators/lag/observed_store.h"

#include <gtest/gtest.h>

#include "support/memory_state_store.h"

namespace milena::drivers {
namespace {

const storage::StateSpace kSpace{Uuid{7, 7}, PartitionIndex(3)};

class ObservedStoreTest : public testing::Test {
protected:
    ObservedStoreTest()
        : disk_([](std::uint64_t) { return 0; }, [this] { return fault_; }),
          store_(observed(
              disk_.open(),
              {.written = [this](const auto& space, auto changes) { written(space, changes); },
               .dropped = [this](const auto&) { heard_.emplace_back("dropped"); }})) {}

    void written(const storage::StateSpace& space, std::span<const storage::StateChange> changes) {
        EXPECT_EQ(space, kSpace);
        for (const auto& [key, value] : changes)
            heard_.push_back(std::string(as_text(key)) + (value ? " set" : " gone"));
        is_there_ = store_->get(kSpace, as_bytes("k")).value().has_value();
    }
    Result<void> write(std::span<const storage::StateChange> changes) {
        return store_->write(kSpace, changes, {Offset(1), LeaderEpoch(0), 0});
    }

    std::optional<Error> fault_;
    std::vector<std::string> heard_;
    bool is_there_ = false;
    support::StateDisk disk_;
    std::unique_ptr<storage::StateStore> store_;
};

TEST_F(ObservedStoreTest, TellsWhatWasWrittenWhenItIsThere) {
    const std::array changes{storage::StateChange{as_bytes("k"), as_bytes("v")},
                             storage::StateChange{as_bytes("gone"), std::nullopt}};
    ASSERT_TRUE(write(changes));
    EXPECT_EQ(heard_, (std::vector<std::string>{"k set", "gone gone"}));
    EXPECT_TRUE(is_there_);
    ASSERT_TRUE(write({}));
    EXPECT_EQ(heard_.size(), 2U) << "a position alone is no news";
    ASSERT_TRUE(store_->drop(kSpace));
    EXPECT_EQ(heard_.back(), "dropped");
}

TEST_F(ObservedStoreTest, TellsNothingOfWhatHasFailed) {
    fault_ = Error{ErrorCode::kafka_storage_error, "full"};
    const std::array changes{storage::StateChange{as_bytes("k"), as_bytes("v")}};
    EXPECT_FALSE(write(changes));
    EXPECT_FALSE(store_->drop(kSpace));
    EXPECT_TRUE(heard_.empty());
}

TEST_F(ObservedStoreTest, IsTheStoreThatItWatches) {
    const std::array changes{storage::StateChange{as_bytes("k"), as_bytes("v")}};
    ASSERT_TRUE(write(changes));
    EXPECT_EQ((*store_->position(kSpace))->applied, Offset(1));
    EXPECT_EQ(store_->spaces()->size(), 1U);
    EXPECT_GT(store_->memory_bytes(), 0U);
    std::size_t keys = 0;
    const auto count = [&](BytesView, BytesView) { return ++keys > 0; };
    ASSERT_TRUE(store_->scan(kSpace, {}, {}, count));
    EXPECT_EQ(keys, 1U);
    ASSERT_TRUE(store_->flush());
    EXPECT_EQ((*store_->flushed(kSpace))->applied, Offset(1));
}

}  // namespace
}  // namespace milena::drivers
