// SPDX-License-Identifier: Apache-2.0
// Ids and which of two was given later.
#include "group/classic/member_ids.h"

#include <gtest/gtest.h>

namespace milena::coordinator {
namespace {

constexpr Uuid kRandom{0x0123'4567'89AB'4DEF, 0x8123'4567'89AB'CDEF};

TEST(MemberIds, AreTheNameAndAUuid) {
    EXPECT_EQ(member_id("c", kRandom), "c-01234567-89ab-4def-8123-456789abcdef");
    EXPECT_EQ(static_member_id("i", kRandom, 0x0198'7654'3210, ""),
              "i-01987654-3210-7def-8123-456789abcdef");
}

TEST(MemberIds, TheLaterOfAnInstanceIsKnown) {
    const std::string first = static_member_id("i", kRandom, 1'700'000'000'000, "");
    const std::string second = static_member_id("i", kRandom, 1'700'000'000'001, first);
    EXPECT_TRUE(is_given_after(second, first));
    EXPECT_FALSE(is_given_after(first, second));
    EXPECT_FALSE(is_given_after(first, first));
}

TEST(MemberIds, OneIsLaterThanTheOneThatItReplacesWhateverTheClock) {
    const std::string first = static_member_id("i", kRandom, 1'700'000'000'000, "");
    const std::string second = static_member_id("i", kRandom, 1'600'000'000'000, first);
    EXPECT_TRUE(is_given_after(second, first));
    const std::string last = "i-ffffffff-ffff-7fff-8fff-ffffffffffff";
    EXPECT_FALSE(is_given_after(static_member_id("i", kRandom, 1, last), last));
}

TEST(MemberIds, ThoseOfOthersSayNothing) {
    const std::string ours = static_member_id("i", kRandom, 1'700'000'000'000, "");
    for (const std::string& other :
         {member_id("i", kRandom), std::string("A"), std::string(),
          std::string("i-0198765x-3210-7def-8123-456789abcdef"), std::string(40, '7')}) {
        EXPECT_FALSE(is_given_after(other, ours)) << other;
        EXPECT_FALSE(is_given_after(ours, other)) << other;
    }
}

}  // namespace
}  // namespace milena::coordinator
