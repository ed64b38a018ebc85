// SPDX-License-Identifier: Apache-2.0
// The list of first voters, there and back, and what is no such list.
#include "text/initial_controllers.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

constexpr std::string_view kTwo =
    "1@host:9093:MvDxzVmcRsaTz33bUuRU6A,2@::1:9094:07R5amHmR32VDA6jHkGbTA";

TEST(InitialControllers, AreReadAndWritten) {
    const auto voters = parse_initial_controllers(kTwo, "CONTROLLER");
    ASSERT_TRUE(voters) << voters.error().why;
    ASSERT_EQ(voters->size(), 2u);
    EXPECT_EQ((*voters)[1].key.id, BrokerId(2));
    EXPECT_EQ((*voters)[1].endpoints,
              (std::vector<raft::VoterEndpoint>{{"CONTROLLER", "::1", 9094}}));
    EXPECT_EQ(initial_controllers_text(*voters), kTwo);
}

TEST(InitialControllers, SpacesBetweenThemAreNothing) {
    const auto voters = parse_initial_controllers(
        " 1@host:9093:MvDxzVmcRsaTz33bUuRU6A , 2@host:9094:07R5amHmR32VDA6jHkGbTA", "C");
    ASSERT_TRUE(voters) << voters.error().why;
    EXPECT_EQ(voters->size(), 2u);
}

TEST(InitialControllers, WhatIsWrongIsNamed) {
    for (const auto& [text, words] :
         {std::pair{"", "No voters given."},
          {"1", "No @ found"},
          {"1@host", "No colon following hostname"},
          {"x@host:1:MvDxzVmcRsaTz33bUuRU6A", "Failed to parse node id"},
          {"-1@host:1:MvDxzVmcRsaTz33bUuRU6A", "Failed to parse node id"},
          {"1@host:port:MvDxzVmcRsaTz33bUuRU6A", "Failed to parse port"},
          {"1@host:70000:MvDxzVmcRsaTz33bUuRU6A", "Failed to parse port"},
          {"1@host:1:zz", "Failed to parse directory ID"},
          {"1@h:1:MvDxzVmcRsaTz33bUuRU6A,1@h:2:07R5amHmR32VDA6jHkGbTA",
           "Node id 1 was specified more than once."}}) {
        const auto voters = parse_initial_controllers(text, "CONTROLLER");
        ASSERT_FALSE(voters) << text;
        EXPECT_NE(voters.error().why.find(words), std::string::npos) << voters.error().why;
    }
}

}  // namespace
}  // namespace milena::cli
