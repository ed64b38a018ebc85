// SPDX-License-Identifier: Apache-2.0
// What kafka-consumer-groups --validate-regex of Apache Kafka 4.4 says.
#include "groups/pattern_text.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

TEST(ValidityOfPattern, NamesTheMistake) {
    EXPECT_EQ(validity_of_pattern("ord.*"), "The regular expression `ord.*` is valid.\n");
    EXPECT_EQ(validity_of_pattern("(foo"),
              "The regular expression `(foo` is invalid: missing closing ).\n");
    EXPECT_EQ(validity_of_pattern("[a"),
              "The regular expression `[a` is invalid: missing closing ].\n");
    EXPECT_EQ(validity_of_pattern("*"),
              "The regular expression `*` is invalid: missing argument to repetition operator.\n");
    EXPECT_EQ(validity_of_pattern("(?=a)"),
              "The regular expression `(?=a)` is invalid: invalid or unsupported Perl syntax.\n");
}

}  // namespace
}  // namespace milena::cli
