// SPDX-License-Identifier: Apache-2.0
// An answer is had whether it comes before or after somebody waits for it, and from any core.
#include "coordinators/asker.h"

#include <gtest/gtest.h>

#include "sim/world.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;

TEST(Asker, HasAnAnswerThatCameBefore) {
    sim::World world(1);
    sim::Node& node = world.add_node("n1");
    Asker asker;
    asker.answer(coordinator::HeartbeatReply{ErrorCode::unknown_member_id});
    std::optional<Asker::Answer> got;
    const auto ask = [&]() -> env::Task<void> { got = co_await asker.wait(node, node.core(0)); };
    ASSERT_TRUE(world.run(node, ask()));
    ASSERT_TRUE(got && *got);
    EXPECT_EQ(std::get<coordinator::HeartbeatReply>(**got).code, ErrorCode::unknown_member_id);
}

TEST(Asker, IsWokenByAnAnswerFromAnotherCore) {
    sim::World world(1);
    sim::Node& node = world.add_node("n1");
    Asker asker;
    std::optional<Asker::Answer> got;
    const auto ask = [&]() -> env::Task<void> { got = co_await asker.wait(node, node.core(0)); };
    const auto answer = [&]() -> env::Task<void> {
        co_await node.sleep(node.core(1), 3s);
        asker.answer(fail(ErrorCode::not_coordinator, "gone"));
    };
    env::spawn(node.core(1), answer());
    ASSERT_TRUE(world.run(node, ask()));
    ASSERT_TRUE(got);
    EXPECT_EQ(got->error().code, ErrorCode::not_coordinator);
}

}  // namespace
}  // namespace milena::drivers
