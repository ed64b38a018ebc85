// SPDX-License-Identifier: Apache-2.0
// When a follower that waits is answered for the sake of a high watermark.
#include "fetch/untold_high_watermark.h"

#include <gtest/gtest.h>

namespace milena::server {
namespace {

using namespace std::chrono_literals;

class UntoldHighWatermarkTest : public testing::Test {
protected:
    void read(std::int64_t told, std::int64_t found, ErrorCode code = ErrorCode::none) {
        replication::FetchAnswer answer;
        answer.code = code;
        answer.high_watermark = Offset(found);
        untold_.read(Offset(told), answer, [this] {
            ++clock_reads_;
            return now_;
        });
    }

    env::Instant now_{100ms};
    int clock_reads_ = 0;
    UntoldHighWatermark untold_;
};

TEST_F(UntoldHighWatermarkTest, AFollowerThatKnowsItAllWaitsAsLongAsItWants) {
    read(7, 7);
    EXPECT_EQ(untold_.due(), env::kNever);
    EXPECT_EQ(clock_reads_, 0);
}

TEST_F(UntoldHighWatermarkTest, OneThatMovedIsToldFiveMillisecondsLater) {
    read(7, 8);
    EXPECT_EQ(untold_.due(), env::Instant(105ms));
}

TEST_F(UntoldHighWatermarkTest, OthersThatMoveMeanwhileDoNotPutItOff) {
    read(7, 8);
    now_ += 4ms;
    read(8, 9);
    read(0, 1);
    EXPECT_EQ(untold_.due(), env::Instant(105ms));
    EXPECT_EQ(clock_reads_, 1);
}

TEST_F(UntoldHighWatermarkTest, OneOfWhichNothingWasToldYetIsNews) {
    read(-1, 0);
    EXPECT_EQ(untold_.due(), env::Instant(105ms));
}

TEST_F(UntoldHighWatermarkTest, AnErrorEndsTheWaitByItself) {
    read(7, -1, ErrorCode::kafka_storage_error);
    EXPECT_EQ(untold_.due(), env::kNever);
}

}  // namespace
}  // namespace milena::server
