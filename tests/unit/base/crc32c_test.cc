// SPDX-License-Identifier: Apache-2.0
// The checksum against published values and against its definition, bit by bit.
#include "milena/base/crc32c.h"

#include <gtest/gtest.h>

#include <vector>

namespace milena {
namespace {

/// Bit by bit, straight from the definition: reflected, polynomial 0x1EDC6F41, inverted at both
/// ends.
std::uint32_t by_definition(BytesView bytes) {
    std::uint32_t crc = 0xFFFF'FFFF;
    for (const std::byte byte : bytes) {
        crc ^= static_cast<std::uint32_t>(byte);
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1) != 0 ? 0x82F6'3B78U : 0U);
    }
    return ~crc;
}

std::vector<std::byte> pattern(std::size_t size) {
    std::vector<std::byte> out(size);
    for (std::size_t i = 0; i < size; ++i) out[i] = static_cast<std::byte>(i * 131 + (i >> 8));
    return out;
}

TEST(Crc32c, HasTheKnownCheckValues) {
    EXPECT_EQ(crc32c({}), 0U);
    EXPECT_EQ(crc32c(as_bytes("123456789")), 0xE306'9283U);
    // RFC 3720, B.4: 32 bytes of zeros, of ones, and counting up.
    EXPECT_EQ(crc32c(std::vector<std::byte>(32)), 0x8A91'36AAU);
    EXPECT_EQ(crc32c(std::vector<std::byte>(32, std::byte{0xFF})), 0x62A8'AB43U);
    std::vector<std::byte> counting(32);
    for (std::size_t i = 0; i < counting.size(); ++i) counting[i] = static_cast<std::byte>(i);
    EXPECT_EQ(crc32c(counting), 0x46DD'794EU);
}

TEST(Crc32c, AgreesWithTheDefinitionAtEveryLengthAndAlignment) {
    // Long enough for every path of the library: single bytes, words, folds of 128 and more.
    const auto source = pattern(1200);
    for (std::size_t size = 0; size < 1100; size += size < 300 ? 1 : 37) {
        const BytesView view = BytesView(source).subspan(size % 17, size);
        ASSERT_EQ(crc32c(view), by_definition(view)) << size;
    }
}

TEST(Crc32c, ContinuesWhereAnotherEnded) {
    const auto source = pattern(1000);
    const BytesView view(source);
    for (const std::size_t cut : {0U, 1U, 7U, 512U, 999U, 1000U}) {
        EXPECT_EQ(crc32c(view.subspan(cut), crc32c(view.first(cut))), crc32c(view)) << cut;
    }
}

TEST(Crc32c, SeesEverySingleFlippedBit) {
    auto source = pattern(64);
    const std::uint32_t whole = crc32c(source);
    for (std::size_t bit = 0; bit < source.size() * 8; ++bit) {
        source[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
        EXPECT_NE(crc32c(source), whole) << bit;
        source[bit / 8] ^= static_cast<std::byte>(1U << bit % 8);
    }
}

}  // namespace
}  // namespace milena
