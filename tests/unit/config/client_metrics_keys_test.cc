// SPDX-License-Identifier: Apache-2.0
// What Apache Kafka 4.4.0 takes as a subscription, and what not.
#include <gtest/gtest.h>

#include "milena/config/resource_keys.h"

namespace milena::config {
namespace {

Result<void> check(std::string_view key, std::string value) {
    return check_client_metrics_config({{std::string(key), std::move(value)}});
}

TEST(ClientMetricsKeys, TheIntervalHasLimits) {
    EXPECT_TRUE(check("interval.ms", "100"));
    EXPECT_TRUE(check("interval.ms", "3600000"));
    const auto refused = check("interval.ms", "99");
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::invalid_request);
    EXPECT_EQ(refused.error().why,
              "Invalid value 99 for interval.ms, interval must be between 100 and 3600000 (1 "
              "hour)");
    EXPECT_EQ(check("interval.ms", "x").error().code, ErrorCode::invalid_config);
}

TEST(ClientMetricsKeys, AMatchNamesAnAttributeAndAPattern) {
    EXPECT_TRUE(check("match", ""));
    EXPECT_TRUE(check("match", " client_id = a.* , client_source_port=9"));
    for (const auto* const bad : {"nope=a", "client_id", "client_id=a=b"}) {
        const auto refused = check("match", bad);
        ASSERT_FALSE(refused) << bad;
        EXPECT_EQ(refused.error().why, std::string("Illegal client matching pattern: ") + bad);
    }
}

TEST(ClientMetricsKeys, APatternHasTheFormOfOne) {
    for (const auto* const good : {"a]", "(?i)a", "a|b", "a{2}", "a++", "\\d", "[]a]", "[^]]",
                                   "(a|b)+", "^a.*$", "[a-z0-9]*"}) {
        EXPECT_TRUE(check("match", std::string("client_id=") + good)) << good;
    }
    for (const auto* const bad :
         {"a(", "a)", "*a", "a**", "a{", "a\\", "[a", "+", "[z-a]", "(?=a)", "\\y", "{", "a{2"}) {
        EXPECT_FALSE(check("match", std::string("client_id=") + bad)) << bad;
    }
}

}  // namespace
}  // namespace milena::config
