// SPDX-License-Identifier: Apache-2.0
// Endpoints by themselves; whole listeners are in broker_config_test.cc, where roles judge them.
#include "listeners.h"

#include <gtest/gtest.h>

namespace milena::config {
namespace {

TEST(Listeners, ReadEndpoints) {
    const auto endpoint = [](std::string_view text) { return parse_endpoint(text, false); };
    EXPECT_EQ(endpoint("localhost:9092"), (env::Endpoint{"localhost", 9092}));
    EXPECT_EQ(endpoint("[::1]:65535"), (env::Endpoint{"::1", 65535}));
    EXPECT_EQ(endpoint("fe80%eth0.example:0"), (env::Endpoint{"fe80%eth0.example", 0}));
    for (const auto* text : {"", ":", ":9092", "host", "host:", "host:x", "host:99999", "::1:9092",
                             "[::1", "a/b:1", "host:1 "}) {
        EXPECT_FALSE(endpoint(text).has_value()) << text;
    }
}

TEST(Listeners, TakeAnEmptyHostOnlyToBind) {
    EXPECT_EQ(parse_endpoint(":9092", true), (env::Endpoint{"", 9092}));
    EXPECT_EQ(parse_endpoint("[]:9092", true), (env::Endpoint{"", 9092}));
}

TEST(Listeners, NameTheirProtocols) {
    EXPECT_EQ(security_protocol_name(SecurityProtocol::plaintext), "PLAINTEXT");
    EXPECT_EQ(security_protocol_name(SecurityProtocol::sasl_ssl), "SASL_SSL");
}

}  // namespace
}  // namespace milena::config
