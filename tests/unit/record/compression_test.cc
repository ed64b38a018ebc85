// SPDX-License-Identifier: Apache-2.0
// The codecs: round trips through windows of any size, the forms that only readers meet, and
// damage.
#include "milena/record/compression.h"

#include <gtest/gtest.h>
#include <lz4frame.h>
#include <snappy.h>

#include "support/batches.h"

namespace milena::record {
namespace {

constexpr std::array kCodecs{Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd};

/// Text that compresses somewhat, longer than every codec's block.
std::vector<std::byte> sample(std::size_t size) {
    std::vector<std::byte> bytes(size);
    std::uint32_t state = 1;
    for (std::byte& byte : bytes) {
        state = state * 1664525 + 1013904223;
        byte = static_cast<std::byte>('a' + (state >> 28));
    }
    return bytes;
}

Result<std::vector<std::byte>> read_all(Decompressor& from, BytesView block, std::size_t step) {
    from.reset(block);
    std::vector<std::byte> all;
    std::vector<std::byte> window(step);
    while (true) {
        TRY(const std::size_t count, from.read(window));
        all.insert(all.end(), window.begin(), window.begin() + static_cast<std::ptrdiff_t>(count));
        if (count < step) return all;
    }
}

Result<std::vector<std::byte>> decompress(Codec codec, BytesView block, std::size_t step = 4096) {
    TRY(const auto decompressor, make_decompressor(static_cast<std::uint8_t>(codec)));
    return read_all(*decompressor, block, step);
}

TEST(Compression, EveryCodecGivesBackWhatWentInThroughAnyWindow) {
    for (const Codec codec : kCodecs) {
        for (const std::size_t size : {std::size_t{0}, std::size_t{1}, std::size_t{300'000}}) {
            const auto plain = sample(size);
            const auto block = *compress(codec, plain);
            for (const std::size_t step :
                 {std::size_t{7}, std::size_t{4096}, std::size_t{1} << 20}) {
                EXPECT_EQ(decompress(codec, block, step), plain)
                    << static_cast<int>(codec) << " " << size << " " << step;
            }
        }
    }
}

TEST(Compression, ADecompressorIsReusedAfterDamage) {
    const auto plain = sample(100'000);
    for (const Codec codec : {Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
        const auto block = *compress(codec, plain);
        const auto decompressor = *make_decompressor(static_cast<std::uint8_t>(codec));
        EXPECT_FALSE(read_all(*decompressor, BytesView(block).first(block.size() / 2), 999))
            << static_cast<int>(codec);
        EXPECT_EQ(read_all(*decompressor, block, 999), plain) << static_cast<int>(codec);
    }
}

TEST(Compression, NoPrefixOfABlockPassesForAWholeOne) {
    const auto plain = sample(2000);
    for (const Codec codec : {Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd}) {
        const auto block = *compress(codec, plain);
        for (std::size_t size = 0; size < block.size(); ++size) {
            const auto read = decompress(codec, BytesView(block).first(size));
            EXPECT_TRUE(!read || read->size() < plain.size())
                << static_cast<int>(codec) << " " << size;
        }
    }
}

TEST(Compression, UnknownCodecBitsHaveTheirError) {
    for (const std::uint8_t bits : {std::uint8_t{5}, std::uint8_t{6}, std::uint8_t{7}}) {
        EXPECT_EQ(make_decompressor(bits).error().code, ErrorCode::unsupported_compression_type);
        EXPECT_EQ(Scratch().decompress(bits, {}).error().code,
                  ErrorCode::unsupported_compression_type);
    }
}

TEST(Compression, GzipMembersFollowOneAnother) {
    auto block = *compress(Codec::gzip, as_bytes("one "));
    const auto second = *compress(Codec::gzip, as_bytes("two"));
    block.insert(block.end(), second.begin(), second.end());
    const auto plain = decompress(Codec::gzip, block);
    ASSERT_TRUE(plain) << plain.error().why;
    EXPECT_EQ(as_text(*plain), "one two");
}

TEST(Compression, RawSnappyIsReadToo) {
    const auto plain = sample(100'000);
    std::string raw;
    snappy::Compress(reinterpret_cast<const char*>(plain.data()), plain.size(), &raw);
    EXPECT_EQ(decompress(Codec::snappy, as_bytes(raw)), plain);
}

TEST(Compression, ARawSnappyBlockThatPromisesTooMuchTakesNoMemory) {
    // The length 2^32 - 1, then three bytes.
    const std::array<std::byte, 8> block{std::byte{0xFF}, std::byte{0xFF}, std::byte{0xFF},
                                         std::byte{0xFF}, std::byte{0x0F}, std::byte{0},
                                         std::byte{0},    std::byte{0}};
    const auto decompressor = *make_decompressor(2);
    EXPECT_FALSE(read_all(*decompressor, block, 100));
    EXPECT_EQ(decompressor->held_bytes(), 0U);
}

TEST(Compression, Lz4BlocksWithChecksumsAreRead) {
    const auto plain = sample(200'000);
    LZ4F_preferences_t preferences{};
    preferences.frameInfo.blockMode = LZ4F_blockIndependent;
    preferences.frameInfo.blockChecksumFlag = LZ4F_blockChecksumEnabled;
    preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;
    std::vector<std::byte> block(LZ4F_compressFrameBound(plain.size(), &preferences));
    block.resize(
        LZ4F_compressFrame(block.data(), block.size(), plain.data(), plain.size(), &preferences));
    EXPECT_EQ(decompress(Codec::lz4, block), plain);
    block[block.size() / 2] ^= std::byte{1};
    EXPECT_FALSE(decompress(Codec::lz4, block));
}

TEST(Compression, Lz4BlocksThatReferToEarlierOnesAreRefused) {
    const auto plain = sample(200'000);
    LZ4F_preferences_t preferences{};
    preferences.frameInfo.blockMode = LZ4F_blockLinked;
    std::vector<std::byte> block(LZ4F_compressFrameBound(plain.size(), &preferences));
    block.resize(
        LZ4F_compressFrame(block.data(), block.size(), plain.data(), plain.size(), &preferences));
    EXPECT_EQ(decompress(Codec::lz4, block).error().code, ErrorCode::corrupt_message);
}

TEST(Compression, BytesBehindABlockMeanNothingWhereKafkaLetsThemPass) {
    const auto plain = sample(1000);
    for (const auto& [codec, rest] :
         {std::pair{Codec::gzip, "xyz"}, {Codec::lz4, "xyz"}, {Codec::snappy, "xyz"}}) {
        auto block = *compress(codec, plain);
        const auto bytes = as_bytes(rest);
        block.insert(block.end(), bytes.begin(), bytes.end());
        EXPECT_EQ(decompress(codec, block), plain) << static_cast<int>(codec);
    }
    auto block = *compress(Codec::zstd, plain);
    block.resize(block.size() + 3);
    EXPECT_FALSE(decompress(Codec::zstd, block));
}

TEST(Compression, ScratchKeepsNothingLarge) {
    Scratch scratch;
    scratch.window().resize(50 << 20);
    ASSERT_TRUE(scratch.decompress(1, *compress(Codec::gzip, as_bytes("x"))));
    EXPECT_LE(scratch.window().capacity(), std::size_t{128} * 1024);
}

}  // namespace
}  // namespace milena::record
