// SPDX-License-Identifier: Apache-2.0
// The Java names of errors.
#include "text/exceptions.h"

#include <gtest/gtest.h>

#include <regex>

namespace milena::cli {
namespace {

TEST(Exceptions, AClassIsCalledLikeItsCode) {
    EXPECT_EQ(exception_class(ErrorCode::invalid_partitions),
              "org.apache.kafka.common.errors.InvalidPartitionsException");
    EXPECT_EQ(exception_class(ErrorCode::invalid_topic_exception),
              "org.apache.kafka.common.errors.InvalidTopicException");
}

TEST(Exceptions, OrHasANameOfItsOwn) {
    EXPECT_EQ(exception_class(ErrorCode::topic_already_exists),
              "org.apache.kafka.common.errors.TopicExistsException");
    EXPECT_EQ(exception_class(ErrorCode::invalid_record),
              "org.apache.kafka.common.InvalidRecordException");
}

TEST(Exceptions, WhatTheToolRefusesIsAnIllegalArgument) {
    EXPECT_EQ(exception_text(refuse("no").error()), "java.lang.IllegalArgumentException: no");
}

TEST(Exceptions, AnAnswerWithoutTextHasTheUsualOne) {
    EXPECT_EQ(answered_error(3, "").why, "This server does not host this topic-partition.");
    EXPECT_EQ(answered_error(3, "no such thing").why, "no such thing");
    EXPECT_EQ(answered_error(37, "").why, "INVALID_PARTITIONS");
}

TEST(Exceptions, WhatWasAnsweredHasComeOutOfAFuture) {
    const Error error{ErrorCode::unknown_topic_or_partition, "no"};
    const std::string text = "org.apache.kafka.common.errors.UnknownTopicOrPartitionException: no";
    EXPECT_EQ(stack_trace(error),
              "java.util.concurrent.ExecutionException: " + text + "\nCaused by: " + text + "\n");
    EXPECT_EQ(failure_text(error), "Error: " + text + "\n" + stack_trace(error) + "\n");
}

TEST(Exceptions, WhatAToolRefusedHasNot) {
    EXPECT_EQ(failure_text(refuse_command("no").error()),
              "Error: no\norg.apache.kafka.tools.AdminCommandFailedException: no\n\n");
    EXPECT_EQ(failure_text(refuse_file("a.json").error()),
              "Error: Unable to read file a.json\njava.io.IOException: Unable to read file a.json\n"
              "Caused by: java.nio.file.NoSuchFileException: a.json\n\n");
    const Error cause{ErrorCode::log_dir_not_found, "gone"};
    EXPECT_EQ(failure_text("no", cause),
              "Error: no\norg.apache.kafka.tools.AdminCommandFailedException: no\nCaused by: " +
                  stack_trace(cause) + "\n");
}

TEST(Exceptions, ALogLineHasTimeLevelAndLogger) {
    const std::regex form(R"(\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d,\d{3}\] ERROR what \(who\)\n)");
    EXPECT_TRUE(std::regex_match(log_line("ERROR", "what", "who"), form));
}

}  // namespace
}  // namespace milena::cli
