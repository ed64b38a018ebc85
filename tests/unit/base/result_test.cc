// SPDX-License-Identifier: Apache-2.0
// Errors on their way up, and the invariant that stops the process.
#include "milena/base/result.h"

#include <gtest/gtest.h>

#include <memory>

#include "milena/base/invariant.h"

namespace milena {
namespace {

Result<int> parse(int number) {
    if (number < 0) return fail(ErrorCode::invalid_request, "negative");
    return number;
}

Result<int> doubled(int number, bool& went_on) {
    TRY(const int parsed, parse(number));
    went_on = true;
    return parsed * 2;
}

Result<void> check_all(std::initializer_list<int> numbers) {
    for (const int number : numbers) TRY_VOID(parse(number));
    return ok();
}

TEST(Result, TryTakesTheValueOut) {
    bool went_on = false;
    EXPECT_EQ(*doubled(21, went_on), 42);
    EXPECT_TRUE(went_on);
}

TEST(Result, TryReturnsTheErrorUnchanged) {
    bool went_on = false;
    const auto result = doubled(-1, went_on);
    ASSERT_FALSE(result);
    EXPECT_EQ(result.error(), (Error{ErrorCode::invalid_request, "negative"}));
    EXPECT_FALSE(went_on);
}

TEST(Result, TryVoidStopsAtTheFirstError) {
    EXPECT_TRUE(check_all({1, 2, 3}));
    EXPECT_FALSE(check_all({1, -2, 3}));
}

TEST(Result, TryMovesValuesThatCantBeCopied) {
    const auto make = [](bool works) -> Result<std::unique_ptr<int>> {
        if (!works) return fail(ErrorCode::unknown_server_error, "no");
        return std::make_unique<int>(7);
    };
    const auto use = [&](bool works) -> Result<int> {
        TRY(const auto made, make(works));
        return *made;
    };
    EXPECT_EQ(*use(true), 7);
    EXPECT_FALSE(use(false));
}

TEST(Result, FailAtPutsThePlaceInFront) {
    const Result<int> result =
        fail_at("loading t-0", Error{ErrorCode::corrupt_message, "bad magic"});
    EXPECT_EQ(result.error(), (Error{ErrorCode::corrupt_message, "loading t-0: bad magic"}));
}

TEST(ErrorCode, HasKafkasNumbersNamesAndFlags) {
    EXPECT_EQ(static_cast<int>(ErrorCode::unknown_server_error), -1);
    EXPECT_EQ(static_cast<int>(ErrorCode::none), 0);
    EXPECT_EQ(static_cast<int>(ErrorCode::kafka_storage_error), 56);
    EXPECT_EQ(error_name(ErrorCode::not_leader_or_follower), "NOT_LEADER_OR_FOLLOWER");
    EXPECT_EQ(error_name(static_cast<ErrorCode>(9999)), "UNKNOWN_SERVER_ERROR");
    EXPECT_TRUE(is_retriable(ErrorCode::network_exception));
    EXPECT_FALSE(is_retriable(ErrorCode::unknown_server_error));
    EXPECT_FALSE(is_retriable(ErrorCode::message_too_large));
}

TEST(InvariantDeathTest, StopsTheProcessAndSaysWhatAndWhere) {
    const int high_watermark = 5;
    const int log_end_offset = 3;
    EXPECT_DEATH(INVARIANT(high_watermark <= log_end_offset, "high watermark beyond the log"),
                 "result_test.cc:[0-9]+: invariant does not hold: high watermark beyond the log "
                 ".high_watermark <= log_end_offset.");
    INVARIANT(high_watermark >= log_end_offset, "holds");
}

}  // namespace
}  // namespace milena
