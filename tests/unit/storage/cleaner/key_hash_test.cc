// SPDX-License-Identifier: Apache-2.0
// Values that `openssl mac -macopt size:16 SIPHASH` gives with the key 000102…0f.
#include "cleaner/key_hash.h"

#include <vector>

#include <gtest/gtest.h>

namespace milena::storage {
namespace {

/// The key's bytes, as the algorithm counts them: little-endian.
constexpr std::array<std::uint64_t, 2> kSecret{0x0706050403020100U, 0x0F0E0D0C0B0A0908U};

std::vector<std::byte> counting(std::size_t size) {
    std::vector<std::byte> bytes(size);
    for (std::size_t i = 0; i < size; ++i) bytes[i] = static_cast<std::byte>(i);
    return bytes;
}

TEST(KeyHash, IsSipHash) {
    EXPECT_EQ(hash_key(kSecret, {}), (KeyHash{0xE6A825BA047F81A3U, 0x930255C71472F66DU}));
    EXPECT_EQ(hash_key(kSecret, counting(1)), (KeyHash{0x44AF996BD8C187DAU, 0x45FC229B11597634U}));
    EXPECT_EQ(hash_key(kSecret, counting(9)), (KeyHash{0xABBAD90A06994426U, 0xED716DBB028B7FC4U}));
}

TEST(KeyHash, OtherSecretsGiveOtherHashes) {
    EXPECT_NE(hash_key(kSecret, counting(9)), hash_key({1, 2}, counting(9)));
}

}  // namespace
}  // namespace milena::storage
