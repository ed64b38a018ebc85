// SPDX-License-Identifier: Apache-2.0
// What a crowd of scrapers costs.
#include "admin_pages.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::node {
namespace {

using namespace std::chrono_literals;

class AdminPagesTest : public ::testing::Test {
protected:
    AdminPagesTest() {
        metrics.add([this](telemetry::Page& page) {
            static constexpr telemetry::Metric kPages{"pages", telemetry::Kind::counter, "Pages."};
            page.add(kPages, ++written);
        });
    }
    env::Task<void> scrape() {
        const auto answer = co_await pages.get("/metrics");
        texts.push_back(answer->body);
    }
    void scrape(int times) {
        for (int i = 0; i < times; ++i) env::spawn(node.control(), scrape());
    }
    bool all_came(std::size_t count) {
        return world.run_until([this, count] { return texts.size() == count; }, 1min);
    }

    sim::World world{1};
    sim::Node& node{world.add_node("n1")};
    telemetry::Registry metrics;
    Health health;
    NodeAdminPages pages{node, health, metrics};
    int written = 0;
    std::vector<std::string> texts;
};

TEST_F(AdminPagesTest, ThoseWhoComeTogetherGetOnePage) {
    scrape(20);
    ASSERT_TRUE(all_came(20));
    EXPECT_LE(written, 2);  // the first had begun when the second came
    EXPECT_NE(texts.back().find("pages"), std::string::npos);
}

TEST_F(AdminPagesTest, NobodyGetsAPageThatIsOlderThanItsQuestion) {
    node.set_offload_delay(1s, 1s);
    scrape(1);
    world.run_for(1500ms);  // the first page is written, and not there yet
    EXPECT_EQ(written, 1);
    scrape(1);
    ASSERT_TRUE(all_came(2));
    EXPECT_EQ(written, 2);
    EXPECT_NE(texts[0], texts[1]);
}

TEST_F(AdminPagesTest, ACrowdThatAsksWithoutAPauseCostsTenPagesASecond) {
    const auto again_and_again = [this]() -> env::Task<void> {
        for (int i = 0; i < 1000; ++i) co_await scrape();
    };
    for (int i = 0; i < 5; ++i) env::spawn(node.control(), again_and_again());
    world.run_for(2s);
    EXPECT_LE(written, 21);
    EXPECT_GE(written, 10);
}

}  // namespace
}  // namespace milena::node
