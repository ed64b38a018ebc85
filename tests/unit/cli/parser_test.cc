// SPDX-License-Identifier: Apache-2.0
// What a command is given, and what wrong usage gives: the messages of Kafka's own parser.
#include "parser.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

/// A tool with one option of each kind.
class ParserTest : public testing::Test {
protected:
    Parser parser{"tool", "Does something."};
    const Option& server = parser.required(parser.option("bootstrap-server,b", "The server."));
    const Option& topic = parser.option("topic", "The topic.");
    const Option& config = parser.option("config", "A config.", Takes::many);
    const Option& codec = parser.option("codec", "The codec.", Takes::optional);
    const Option& list = parser.flag("list", "Lists.");

    /// What parse() prints on standard error.
    std::string complaint(const Arguments& arguments) {
        testing::internal::CaptureStderr();
        const auto exit_code = parser.parse(arguments);
        const std::string text = testing::internal::GetCapturedStderr();
        EXPECT_EQ(exit_code, kExitFailed);
        return text.substr(0, text.find('\n'));
    }
};

TEST_F(ParserTest, TakesValuesInBothForms) {
    EXPECT_FALSE(parser.parse({"--bootstrap-server", "a:1", "--topic=t", "--list"}));
    EXPECT_EQ(server.text(), "a:1");
    EXPECT_EQ(topic.text(), "t");
    EXPECT_TRUE(list);
    EXPECT_FALSE(config);
}

TEST_F(ParserTest, TakesTheShortForm) {
    EXPECT_FALSE(parser.parse({"-b", "a:1"}));
    EXPECT_EQ(server.text(), "a:1");
}

TEST_F(ParserTest, RepeatsWhatMayBeRepeated) {
    EXPECT_FALSE(parser.parse({"-b", "a:1", "--config", "x=1", "--config", "y=2"}));
    EXPECT_EQ(config.values, (Arguments{"x=1", "y=2"}));
}

TEST_F(ParserTest, ANegativeNumberIsAValue) {
    EXPECT_FALSE(parser.parse({"-b", "a:1", "--topic", "-1"}));
    EXPECT_EQ(topic.text(), "-1");
}

TEST_F(ParserTest, AnOptionalValueMayBeLeftOut) {
    EXPECT_FALSE(parser.parse({"-b", "a:1", "--codec", "--list"}));
    EXPECT_TRUE(codec);
    EXPECT_EQ(codec.text_or("gzip"), "gzip");
}

TEST_F(ParserTest, AnUnknownOptionIsNamed) {
    EXPECT_EQ(complaint({"-b", "a:1", "--nosuch"}), "nosuch is not a recognized option");
}

TEST_F(ParserTest, AMissingValueIsNamed) {
    EXPECT_EQ(complaint({"-b", "a:1", "--topic"}), "Option topic requires an argument");
}

TEST_F(ParserTest, AMissingOptionIsNamed) {
    EXPECT_EQ(complaint({"--list"}), "Missing required argument \"[bootstrap-server]\"");
}

TEST_F(ParserTest, OnceIsOnce) {
    EXPECT_EQ(complaint({"-b", "a:1", "--topic", "x", "--topic", "y"}),
              "Found multiple arguments for option topic, but you asked for only one");
}

TEST_F(ParserTest, AWordIsNoNumber) {
    ASSERT_FALSE(parser.parse({"-b", "a:1", "--topic", "4x"}));
    EXPECT_EQ(parser.number(topic, 0).error().why, "Cannot parse argument '4x' of option topic");
    EXPECT_EQ(parser.number(config, 7), 7);
}

TEST_F(ParserTest, WithoutArgumentsItSaysWhatItIsFor) {
    EXPECT_EQ(complaint({}), "Does something.");
}

TEST(ParserLikeArgparse, SaysWhatArgparseSays) {
    const auto complaint = [](const Arguments& arguments) {
        Parser parser("tool", "Does something.", Library::argparse4j);
        parser.required(parser.option("topic", "The topic."));
        testing::internal::CaptureStderr();
        EXPECT_EQ(parser.parse(arguments), kExitFailed);
        const std::string text = testing::internal::GetCapturedStderr();
        return text.substr(0, text.find('\n'));
    };
    EXPECT_EQ(complaint({}), "kafka-tool: error: argument --topic is required");
    EXPECT_EQ(complaint({"--topic", "t", "--nosuch"}),
              "kafka-tool: error: unrecognized arguments: '--nosuch'");
    EXPECT_EQ(complaint({"--topic"}), "kafka-tool: error: argument --topic: expected one argument");
}

TEST(ParserLikeArgparse, TheLastOfRepeatsCounts) {
    Parser parser("tool", "Does something.", Library::argparse4j);
    const Option& topic = parser.option("topic", "The topic.");
    EXPECT_FALSE(parser.parse({"--topic", "a", "--topic", "b"}));
    EXPECT_EQ(topic.text(), "b");
}

TEST(ParserLikeArgparse, HelpIsNoFailure) {
    Parser parser("tool", "Does something.", Library::argparse4j);
    testing::internal::CaptureStdout();
    EXPECT_EQ(parser.parse({"-h"}), kExitOk);
    EXPECT_TRUE(testing::internal::GetCapturedStdout().starts_with("Does something.\n"));
}

TEST_F(ParserTest, VersionIsKafkas) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(parser.parse({"--version"}), kExitOk);
    EXPECT_EQ(testing::internal::GetCapturedStdout(), "4.4.0\n");
}

}  // namespace
}  // namespace milena::cli
