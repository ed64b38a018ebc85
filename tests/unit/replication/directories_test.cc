// SPDX-License-Identifier: Apache-2.0
// Log directories that fail, and those that were never there.
#include "disk/directories.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::replication {
namespace {

constexpr Uuid kId{500, 9};

class DirectoriesTest : public testing::Test {
protected:
    DirectoriesTest() {
        place_->write_meta({"cluster", BrokerId(1), kId}).value();
        directories_.emplace(Logger(), std::vector<storage::LogDirectory*>{place_.get()});
        directories_->when_failed([this] { ++told_; });
    }

    sim::World world_{1};
    sim::Node& node_ = world_.add_node("n1");
    std::unique_ptr<storage::LogDirectory> place_ =
        storage::LogDirectory::open(node_, Logger(), "/a").value();
    std::optional<Directories> directories_;
    int told_ = 0;
};

TEST_F(DirectoriesTest, OneThatFailsIsToldOnceWithItsId) {
    EXPECT_TRUE(directories_->all_usable());
    EXPECT_TRUE(directories_->failed().empty());
    EXPECT_TRUE(directories_->fail(0, {}));
    EXPECT_FALSE(directories_->fail(0, {}));
    EXPECT_EQ(told_, 1);
    EXPECT_EQ(directories_->failed(), (std::vector<FailedDirectory>{{"/a", kId}}));
    EXPECT_FALSE(directories_->usable(0));
}

TEST_F(DirectoriesTest, OneThatWasNotThereKeepsOthersFromTakingItsReplicas) {
    directories_->lack({"/gone"});
    EXPECT_TRUE(directories_->usable(0));
    EXPECT_FALSE(directories_->all_usable());
    EXPECT_EQ(directories_->failed(), (std::vector<FailedDirectory>{{"/gone", {}}}));
    EXPECT_EQ(told_, 0);
}

}  // namespace
}  // namespace milena::replication
