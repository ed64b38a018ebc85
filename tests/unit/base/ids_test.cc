// SPDX-License-Identifier: Apache-2.0
// Strong ids: what must not compile is asserted, the rest compared.
#include "milena/base/ids.h"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_map>

namespace milena {
namespace {

TEST(Ids, OfDifferentMeaningDontMix) {
    static_assert(!std::is_convertible_v<LeaderEpoch, BrokerId>);
    static_assert(!std::is_convertible_v<std::int64_t, Offset>);
    static_assert(!std::is_convertible_v<Offset, std::int64_t>);
    static_assert(!std::is_constructible_v<LeaderEpoch, BrokerId>);
    static_assert(sizeof(Offset) == sizeof(std::int64_t) && std::is_trivially_copyable_v<Offset>);
    EXPECT_EQ(BrokerId().value, 0);
    EXPECT_EQ(kNoBroker.value, -1);
}

TEST(Ids, OrderPrintAndHashAsTheirNumber) {
    EXPECT_LT(LeaderEpoch(1), LeaderEpoch(2));
    EXPECT_EQ(fmt::format("{} {}", BrokerId(-1), Offset(17)), "-1 17");
    std::unordered_map<Offset, int> by_offset{{Offset(1), 1}, {Offset(2), 2}};
    EXPECT_EQ(by_offset.at(Offset(2)), 2);
}

TEST(Offset, CountsRecords) {
    EXPECT_EQ(Offset(5) + 3, Offset(8));
    EXPECT_EQ(Offset(5).next(), Offset(6));
    EXPECT_EQ(Offset(8) - Offset(5), 3);
}

}  // namespace
}  // namespace milena
