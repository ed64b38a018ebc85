// SPDX-License-Identifier: Apache-2.0
// Rates over windows, in a time that the test makes.
#include "milena/replication/quotas.h"

#include <gtest/gtest.h>

namespace milena::replication {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr std::uint64_t kMegabyte = 1'000'000;
constexpr env::Instant kBegin{std::chrono::hours(1)};

TEST(WindowedRate, IsThatOfOneWindowAtTheBeginning) {
    WindowedRate rate({.count = 3, .length = seconds(1)});
    EXPECT_EQ(rate.per_second(kBegin), 0);
    rate.record(500, kBegin);
    EXPECT_EQ(rate.per_second(kBegin), 500);
    EXPECT_EQ(rate.per_second(kBegin + milliseconds(999)), 500);
    EXPECT_EQ(rate.per_second(kBegin + seconds(2)), 250);
}

TEST(WindowedRate, ForgetsWhatIsOlderThanAllWindows) {
    WindowedRate rate({.count = 3, .length = seconds(1)});
    rate.record(3000, kBegin);
    rate.record(600, kBegin + milliseconds(1500));
    EXPECT_EQ(rate.per_second(kBegin + milliseconds(2500)), 3600 / 2.5);
    // The first window began three seconds ago.
    EXPECT_EQ(rate.per_second(kBegin + seconds(3)), 600 / 1.5);
    EXPECT_EQ(rate.per_second(kBegin + seconds(60)), 0);
    rate.record(100, kBegin + seconds(60));
    EXPECT_EQ(rate.per_second(kBegin + seconds(60)), 100);
}

TEST(ReplicationQuota, HasNoLimitUntilOneIsSet) {
    ReplicationQuota quota({});
    quota.record(kMegabyte * 1000, kBegin);
    EXPECT_FALSE(quota.is_limited());
    EXPECT_FALSE(quota.is_exceeded(kBegin));
    quota.set_limit(kMegabyte);
    EXPECT_TRUE(quota.is_limited());
    EXPECT_TRUE(quota.is_exceeded(kBegin));
    quota.set_limit(std::nullopt);
    EXPECT_FALSE(quota.is_exceeded(kBegin));
}

/// Somebody who copies a megabyte whenever he may, and looks every ten milliseconds.
TEST(ReplicationQuota, LetsThroughWhatItsLimitSays) {
    ReplicationQuota quota({});
    quota.set_limit(3 * kMegabyte);
    std::uint64_t copied = 0;
    for (env::Instant now = kBegin; now < kBegin + seconds(60); now += milliseconds(10)) {
        if (quota.is_exceeded(now)) continue;
        quota.record(kMegabyte, now);
        copied += kMegabyte;
    }
    EXPECT_GE(copied, 175 * kMegabyte);
    EXPECT_LE(copied, 190 * kMegabyte);
    EXPECT_NEAR(quota.per_second(kBegin + seconds(60)), 3e6, 4e5);
}

/// Any piece is above a limit of 0, and the first is counted only when it was given.
TEST(ReplicationQuota, OfNothingIsExceededByWhatCameLast) {
    ReplicationQuota quota({});
    quota.set_limit(0);
    EXPECT_FALSE(quota.is_exceeded(kBegin));
    quota.record(1, kBegin);
    EXPECT_TRUE(quota.is_exceeded(kBegin + seconds(10)));
    EXPECT_FALSE(quota.is_exceeded(kBegin + seconds(11)));
}

}  // namespace
}  // namespace milena::replication
