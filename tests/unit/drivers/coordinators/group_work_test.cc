// SPDX-License-Identifier: Apache-2.0
// Work that a decision begins is run beside the coordinator, and its outcome is decided on.
#include <gtest/gtest.h>

#include "unit/drivers/coordinators/hosted_groups_fixture.h"

namespace milena::drivers {
namespace {

using namespace std::chrono_literals;
using coordinator::ConsumerHeartbeatRequest;

TEST_F(HostedGroupsTest, RunsWhatADecisionHasBegun) {
    become_active();
    ASSERT_TRUE(ask_now(ConsumerHeartbeatRequest{}));
    world_.run_for(1s);
    expect_trace(
        {"apply beats@0", "committed 1", "finished after 1 runs", "apply found@1", "committed 2"});
}

TEST_F(HostedGroupsTest, ForgetsWorkThatEndsAfterTheLeadership) {
    become_active();
    ask(ConsumerHeartbeatRequest{});
    hosted_->resign({ErrorCode::not_coordinator, "another leads"});
    world_.run_for(1s);
    EXPECT_EQ(host_.running.with([](int running) { return running; }), 0);
}

}  // namespace
}  // namespace milena::drivers
