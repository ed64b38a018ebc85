// SPDX-License-Identifier: Apache-2.0
// Arguments of --add-scram that kafka-storage takes, and the words with which it refuses others.
#include "storage/scram_user.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

class Counting final : public env::Random {
public:
    std::uint64_t next() override { return ++count_; }

private:
    std::uint64_t count_ = 0;
};

std::string refusal(std::string_view text) {
    Counting random;
    const auto user = parse_scram_user(text, random);
    return user ? "" : user.error().why;
}

TEST(ScramUser, APasswordAndItsSaltedFormAreTheSame) {
    Counting random;
    const auto user = parse_scram_user(
        "SCRAM-SHA-256=[name=user, password=pencil,salt=\"W22ZaJ0SNY7soEsUEjb6gQ==\"]", random);
    ASSERT_TRUE(user) << user.error().why;
    EXPECT_EQ(user->name, "user");
    EXPECT_EQ(user->iterations, 4096);
    EXPECT_EQ(user->salt.size(), 16u);
    const auto salted = parse_scram_user(
        "SCRAM-SHA-256=[name=user,salt=\"W22ZaJ0SNY7soEsUEjb6gQ==\",saltedpassword="
        "\"xKSVEDI6tPlSysH6mUQZOeeOp01r6B3fcJbodRPcYV0=\"]",
        random);
    ASSERT_TRUE(salted) << salted.error().why;
    EXPECT_EQ(salted->keys.stored_key, user->keys.stored_key);
    EXPECT_EQ(salted->keys.server_key, user->keys.server_key);
}

TEST(ScramUser, ASaltIsDrawnWhereNoneIsGiven) {
    Counting random;
    const auto one = parse_scram_user("SCRAM-SHA-512=[name=a,password=p]", random);
    const auto other = parse_scram_user("SCRAM-SHA-512=[name=a,password=p]", random);
    ASSERT_TRUE(one && other);
    EXPECT_EQ(one->salt.size(), 24u);
    EXPECT_NE(one->salt, other->salt);
    EXPECT_EQ(one->keys.stored_key.size(), 64u);
}

TEST(ScramUser, WhatIsWrongIsSaidInKafkasWords) {
    EXPECT_EQ(refusal("nonsense"), "Failed to find equals sign in SCRAM argument 'nonsense'");
    EXPECT_EQ(refusal("SCRAM-SHA-1=[name=a,password=b]"),
              "The add-scram mechanism SCRAM-SHA-1 is not supported.");
    EXPECT_EQ(refusal("SCRAM-SHA-256=[password=a]"), "You must supply 'name' to add-scram");
    EXPECT_EQ(refusal("SCRAM-SHA-256=[name=a]"),
              "You must supply one of 'password' or 'saltedpassword' to add-scram");
    EXPECT_EQ(refusal("SCRAM-SHA-256=[name=a,saltedpassword=\"YQ==\"]"),
              "You must supply 'salt' with 'saltedpassword' to add-scram");
    EXPECT_EQ(refusal("SCRAM-SHA-256=[name=a,password=b,iterations=100]"),
              "The 'iterations' value must be >= 4096 for add-scram using SCRAM_SHA_256");
    EXPECT_EQ(refusal("SCRAM-SHA-512=[name=a,password=b,iterations=100000]"),
              "The 'iterations' value must be <= 16384 for add-scram using SCRAM_SHA_512");
    EXPECT_EQ(refusal("SCRAM-SHA-256=[name=a,password=b,foo=c]"),
              "Unknown SCRAM configurations: foo");
    EXPECT_NE(refusal("SCRAM-SHA-256=[name=a,password=b,salt=\"*\"]"), "");
    EXPECT_NE(refusal("SCRAM-SHA-256=name"), "");
    EXPECT_NE(refusal("SCRAM-SHA-256=["), "");
}

}  // namespace
}  // namespace milena::cli
