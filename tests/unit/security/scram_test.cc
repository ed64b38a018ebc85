// SPDX-License-Identifier: Apache-2.0
// The user of RFC 7677's example, with keys that another implementation (Python's hashlib)
// computed.
#include "milena/security/scram.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

namespace milena::security {
namespace {

/// W22ZaJ0SNY7soEsUEjb6gQ==
constexpr std::array<unsigned char, 16> kSalt{0x5b, 0x6d, 0x99, 0x68, 0x9d, 0x12, 0x35, 0x8e,
                                              0xec, 0xa0, 0x4b, 0x14, 0x12, 0x36, 0xfa, 0x81};

std::string hex(BytesView bytes) {
    std::string out;
    for (const std::byte one : bytes) out += fmt::format("{:02x}", std::to_integer<int>(one));
    return out;
}

std::vector<std::byte> pencil(ScramMechanism mechanism) {
    return salted_password(mechanism, "pencil", std::as_bytes(std::span(kSalt)), 4096);
}

TEST(Scram, TheKeysOfSha256) {
    const auto salted = pencil(ScramMechanism::sha_256);
    EXPECT_EQ(hex(salted), "c4a49510323ab4f952cac1fa99441939e78ea74d6be81ddf7096e87513dc615d");
    const ScramKeys keys = scram_keys(ScramMechanism::sha_256, salted);
    EXPECT_EQ(hex(keys.stored_key),
              "586e5df283e6dceb5c3e791d8b8528ec191e664045ce971792e2e6b5bb13e2a6");
    EXPECT_EQ(hex(keys.server_key),
              "c1f3cbc1c13a9d35a14c0990eed97629ea225863e566a4314ab99f3f00e5d9d5");
}

TEST(Scram, TheKeysOfSha512) {
    const ScramKeys keys = scram_keys(ScramMechanism::sha_512, pencil(ScramMechanism::sha_512));
    EXPECT_EQ(hex(keys.stored_key),
              "e8002e6f7d3ae446119b216933644dc2a2be7869eb918b8459b5e7d7d2ec1260"
              "6aceef106825cd735170a675fd3611f684affad1dce3f43a0ee43bd590e1dbbe");
    EXPECT_EQ(hex(keys.server_key),
              "8d91db6230b5687874fe129bc7206e1858c3ae08e02934f57ac03b6b05a229c4"
              "59d28ff46f5c9611e6c179256490215ec1ff759cb0df285db89af0f99e613aac");
}

TEST(Scram, MechanismsHaveTheirNames) {
    EXPECT_EQ(find_scram_mechanism("SCRAM-SHA-256"), ScramMechanism::sha_256);
    EXPECT_EQ(find_scram_mechanism("SCRAM-SHA-512"), ScramMechanism::sha_512);
    EXPECT_FALSE(find_scram_mechanism("SCRAM-SHA-1"));
}

}  // namespace
}  // namespace milena::security
