// SPDX-License-Identifier: Apache-2.0
// The name of the program says which command runs.
#include "command.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace milena::cli {
namespace {

TEST(Command, TheServerIsNoTool) {
    EXPECT_TRUE(std::ranges::count(commands(), "server", &NamedCommand::name) == 1);
    EXPECT_EQ(command_of_program("kafka-server"), nullptr);
}

TEST(Command, MilenaItselfIsNoCommand) {
    EXPECT_EQ(command_of_program("/usr/bin/milena"), nullptr);
    EXPECT_EQ(command_of_program("kafka-nosuch.sh"), nullptr);
}

TEST(Command, AnUnknownCommandFailsAndListsAll) {
    testing::internal::CaptureStderr();
    EXPECT_EQ(run_program("milena", {"nosuch"}), kExitFailed);
    const std::string text = testing::internal::GetCapturedStderr();
    EXPECT_TRUE(text.starts_with("There is no command nosuch.")) << text;
    for (const auto& named : commands()) EXPECT_NE(text.find(named.name), std::string::npos);
}

}  // namespace
}  // namespace milena::cli
