// SPDX-License-Identifier: Apache-2.0
// Addresses as text and as bytes.
#include "milena/env/address.h"

#include <gtest/gtest.h>

namespace milena::env {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> values) {
    std::vector<std::byte> out;
    for (const int value : values) out.push_back(static_cast<std::byte>(value));
    return out;
}

TEST(AddressTest, TextAndBytesAreTheSameAddress) {
    EXPECT_EQ(address_bytes("127.0.0.1"), bytes({127, 0, 0, 1}));
    EXPECT_EQ(address_text(bytes({10, 1, 2, 255})), "10.1.2.255");
    EXPECT_EQ(address_bytes("::1"), bytes({0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1}));
    EXPECT_EQ(address_text(*address_bytes("fe80::12:3")), "fe80::12:3");
}

TEST(AddressTest, AnInterfaceIsNoPartOfAnAddress) {
    EXPECT_EQ(address_bytes("fe80::1%eth0"), address_bytes("fe80::1"));
}

TEST(AddressTest, AnIpv4AddressThatIsWrittenAsIpv6IsOne) {
    EXPECT_EQ(address_bytes("::ffff:1.2.3.4"), bytes({1, 2, 3, 4}));
    EXPECT_EQ(address_bytes("::fffe:1.2.3.4")->size(), 16u);
}

TEST(AddressTest, WhatIsNoAddressIsNone) {
    for (const char* const text : {"", "n1", "1.2.3", "1.2.3.4.5", "localhost", "::g"})
        EXPECT_EQ(address_bytes(text), std::nullopt) << text;
    EXPECT_EQ(address_text(bytes({})), std::nullopt);
    EXPECT_EQ(address_text(bytes({1, 2, 3})), std::nullopt);
    EXPECT_EQ(address_text(bytes({1, 2, 3, 4, 5})), std::nullopt);
}

}  // namespace
}  // namespace milena::env
