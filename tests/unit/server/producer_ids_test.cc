// SPDX-License-Identifier: Apache-2.0
// Ids from the controller's blocks: each once, one question at a time, and no answer is an error.
#include "milena/server/producer_ids.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::server {
namespace {

using namespace std::chrono_literals;

class ProducerIdsTest : public ::testing::Test {
protected:
    /// Takes one second to give blocks of two; after `blocks_left` of them, none.
    env::Task<Result<controller::ProducerIdBlock>> allocate() {
        ++asked;
        env::Wakeup pause(node, node.core(0));
        co_await pause.wait_until(node.clock().now() + 1s);
        if (blocks_left-- <= 0) co_return fail(ErrorCode::not_controller, "nobody decides");
        co_return controller::ProducerIdBlock{1000 * asked, 2};
    }
    /// Somebody asks for an id; the answer comes into `given`.
    void ask() {
        env::spawn(node.core(0), [](ProducerIdsTest& test) -> env::Task<void> {
            const auto id = co_await test.ids.next(test.node.core(0), test.node.clock().now() + 5s);
            if (id) {
                test.given.push_back(id->value);
            } else {
                test.refused.push_back(id.error().code);
            }
        }(*this));
    }

    sim::World world{1};
    sim::Node& node{world.add_node("n")};
    int asked = 0;
    int blocks_left = 3;
    std::vector<std::int64_t> given;
    std::vector<ErrorCode> refused;
    ProducerIds ids{node, [this](env::Instant) { return allocate(); }};
};

TEST_F(ProducerIdsTest, EachIsGivenOnceAndABlockIsAskedForOnce) {
    for (int i = 0; i < 5; ++i) ask();
    world.run_for(10s);
    std::ranges::sort(given);
    EXPECT_EQ(given, (std::vector<std::int64_t>{1000, 1001, 2000, 2001, 3000}));
    EXPECT_EQ(asked, 3);
    ask();
    world.run_for(1ms);
    EXPECT_EQ(given.back(), 3001) << "at once, from the block that is there";
}

TEST_F(ProducerIdsTest, WithoutABlockTheAnswerIsToAskAgain) {
    blocks_left = 0;
    ask();
    ask();
    world.run_for(10s);
    EXPECT_TRUE(given.empty());
    EXPECT_EQ(refused, (std::vector{ErrorCode::coordinator_load_in_progress,
                                    ErrorCode::coordinator_load_in_progress}));
    blocks_left = 1;
    ask();
    world.run_for(10s);
    EXPECT_EQ(given.size(), 1U);
}

}  // namespace
}  // namespace milena::server
