// SPDX-License-Identifier: Apache-2.0
// Values and keys as Kafka 4.4's producer test sent them with the same options.
#include "perf/payloads.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

/// "key|value" of the first three records.
std::vector<std::string> three(Payloads::Plan plan) {
    Payloads payloads(std::move(plan));
    std::vector<std::string> records;
    for (int i = 0; i < 3; ++i) {
        payloads.advance();
        records.push_back(std::string(payloads.key().value_or("")) + "|" +
                          std::string(payloads.value()));
    }
    return records;
}

using Records = std::vector<std::string>;

TEST(Payloads, LettersAndRandomKeysComeOfOneSequence) {
    EXPECT_EQ(
        three({.record_bytes = 20, .texts = {}, .keys = Payloads::Keys::random, .key_range = 1000}),
        (Records{"924|YQHHNEBSEPDNSEIFGAMS", "280|JXKOLTXSPLGHDIOYZJFN",
                 "832|DSPWHZMKVJAXDBZFCOXY"}));
}

TEST(Payloads, NumbersCountUpAndKeysTakeTurns) {
    EXPECT_EQ(three({.texts = {}, .keys = Payloads::Keys::range, .key_range = 2}),
              (Records{"0|0", "1|1", "0|2"}));
}

TEST(Payloads, TextsAreDrawn) {
    EXPECT_EQ(three({.texts = {"one", "two", "three", "", "five"}}),
              (Records{"|", "|two", "|three"}));
}

TEST(Payloads, AnotherSeedIsAnotherSequence) {
    EXPECT_NE(three({.record_bytes = 20, .texts = {}, .seed = 1}),
              three({.record_bytes = 20, .texts = {}}));
}

TEST(Payloads, AFileIsSplitAsJavaSplits) {
    EXPECT_EQ(split_payloads("a\n\nb\n\n", "\n"), (Records{"a", "", "b"}));
    EXPECT_EQ(split_payloads("a--b-c", "--"), (Records{"a", "b-c"}));
    EXPECT_EQ(split_payloads("", "\n"), Records{});
}

}  // namespace
}  // namespace milena::cli
