// SPDX-License-Identifier: Apache-2.0
// Numbers as Java's generator draws them. The texts were sent by Kafka 4.4's producer test.
#include "perf/splittable_random.h"

#include <string>

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

std::string letters(SplittableRandom& random, std::size_t count) {
    std::string text(count, '\0');
    random.fill_with_letters(text);
    return text;
}

TEST(SplittableRandom, LettersAreThoseOfKafkasTool) {
    SplittableRandom random(0);
    EXPECT_EQ(letters(random, 40), "YQHHNEBSEPDNSEIFGAMSUJXKOLTXSPLGHDIOYZJF");
    EXPECT_EQ(letters(random, 40), "NIDSPWHZMKVJAXDBZFCOXYKYRJOGYKDESSJMOIIO");
}

TEST(SplittableRandom, ANumberTakesOneStepOfTheSequence) {
    SplittableRandom random(0);
    letters(random, 20);
    EXPECT_EQ(random.next_below(1000), 924U);
    EXPECT_EQ(letters(random, 20), "JXKOLTXSPLGHDIOYZJFN");
    EXPECT_EQ(random.next_below(1000), 280U);
}

TEST(SplittableRandom, NumbersStayBelowTheirBound) {
    SplittableRandom random(7);
    for (const std::uint32_t bound : {1U, 2U, 3U, 64U, 1'000'000'007U, 2'147'483'647U}) {
        for (int i = 0; i < 1000; ++i) ASSERT_LT(random.next_below(bound), bound);
    }
}

}  // namespace
}  // namespace milena::cli
