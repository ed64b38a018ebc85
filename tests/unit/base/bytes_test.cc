// SPDX-License-Identifier: Apache-2.0
// Byte codecs against bytes written by hand, and against ends that come too early.
#include "milena/base/bytes.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <vector>

namespace milena {
namespace {

std::vector<std::byte> bytes(std::initializer_list<int> numbers) {
    std::vector<std::byte> out;
    for (const int number : numbers) out.push_back(static_cast<std::byte>(number));
    return out;
}

/// What `write` puts into a region of just `size` bytes.
template <class Write>
std::vector<std::byte> written(std::size_t size, Write write) {
    std::vector<std::byte> region(size);
    ByteWriter writer(region);
    write(writer);
    EXPECT_EQ(writer.remaining(), 0U);
    return region;
}

TEST(ByteReader, ReadsBigEndianNumbersOfEverySize) {
    const auto source = bytes({0xFE, 0x12, 0x34, 0xFF, 0xFF, 0xFF, 0xFE, 1, 2, 3, 4, 5, 6, 7, 8});
    ByteReader reader{source};
    EXPECT_EQ(reader.read<std::int8_t>(), -2);
    EXPECT_EQ(reader.read<std::uint16_t>(), 0x1234);
    EXPECT_EQ(reader.read<std::int32_t>(), -2);
    EXPECT_EQ(reader.position(), 7U);
    EXPECT_EQ(reader.read<std::uint64_t>(), 0x0102030405060708U);
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(reader.remaining(), 0U);
}

TEST(ByteReader, FailsForGoodBeyondTheEnd) {
    const auto source = bytes({1, 2, 3});
    ByteReader reader{source};
    EXPECT_EQ(reader.read<std::int32_t>(), 0);
    EXPECT_FALSE(reader.ok());
    // One byte would be there, but a reader that lost its place must not find another.
    EXPECT_EQ(reader.read<std::int8_t>(), 0);
    EXPECT_TRUE(reader.read_bytes(1).empty());
    EXPECT_EQ(reader.remaining(), 0U);
}

TEST(ByteReader, ViewsBytesOfTheSource) {
    const auto source = bytes({1, 2, 3, 4});
    ByteReader reader{source};
    reader.skip(1);
    const BytesView view = reader.read_bytes(2);
    EXPECT_EQ(view.data(), source.data() + 1);
    EXPECT_EQ(view.size(), 2U);
    EXPECT_TRUE(reader.read_bytes(std::numeric_limits<std::size_t>::max()).empty());
    EXPECT_FALSE(reader.ok());
}

TEST(ByteReader, AnEmptyReaderIsFineUntilItIsRead) {
    ByteReader reader;
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(reader.read_bytes(0).size(), 0U);
    EXPECT_TRUE(reader.ok());
    EXPECT_EQ(reader.read_unsigned_varint(), 0U);
    EXPECT_FALSE(reader.ok());
}

TEST(Varint, HasTheBytesOfTheEncoding) {
    const auto unsigned_bytes = [](std::uint64_t number) {
        return written(unsigned_varint_size(number),
                       [&](ByteWriter& writer) { writer.write_unsigned_varint(number); });
    };
    EXPECT_EQ(unsigned_bytes(0), bytes({0}));
    EXPECT_EQ(unsigned_bytes(127), bytes({0x7F}));
    EXPECT_EQ(unsigned_bytes(128), bytes({0x80, 0x01}));
    EXPECT_EQ(unsigned_bytes(300), bytes({0xAC, 0x02}));
    EXPECT_EQ(unsigned_bytes(0xFFFF'FFFF), bytes({0xFF, 0xFF, 0xFF, 0xFF, 0x0F}));

    const auto zigzag_bytes = [](std::int64_t number) {
        return written(varint_size(number),
                       [&](ByteWriter& writer) { writer.write_varint(number); });
    };
    EXPECT_EQ(zigzag_bytes(0), bytes({0}));
    EXPECT_EQ(zigzag_bytes(-1), bytes({1}));
    EXPECT_EQ(zigzag_bytes(1), bytes({2}));
    EXPECT_EQ(zigzag_bytes(-64), bytes({0x7F}));
    EXPECT_EQ(zigzag_bytes(64), bytes({0x80, 0x01}));
}

TEST(Varint, ExtremesRoundTrip) {
    for (const std::int64_t number : {std::numeric_limits<std::int64_t>::min(), std::int64_t{-1},
                                      std::int64_t{0}, std::numeric_limits<std::int64_t>::max()}) {
        const auto region =
            written(varint_size(number), [&](ByteWriter& writer) { writer.write_varint(number); });
        ByteReader reader{region};
        EXPECT_EQ(reader.read_varlong(), number);
        EXPECT_TRUE(reader.ok());
    }
    for (const std::int32_t number : {std::numeric_limits<std::int32_t>::min(), -1, 0,
                                      std::numeric_limits<std::int32_t>::max()}) {
        const auto region =
            written(varint_size(number), [&](ByteWriter& writer) { writer.write_varint(number); });
        ByteReader reader{region};
        EXPECT_EQ(reader.read_varint(), number);
        EXPECT_TRUE(reader.ok());
    }
}

TEST(Varint, EveryPrefixOfOneFails) {
    const auto whole = bytes({0xFF, 0xFF, 0xFF, 0xFF, 0x0F});
    for (std::size_t size = 0; size < whole.size(); ++size) {
        ByteReader reader(BytesView(whole).first(size));
        EXPECT_EQ(reader.read_unsigned_varint(), 0U);
        EXPECT_FALSE(reader.ok()) << size;
    }
}

TEST(Varint, BitsBeyondTheNumberFail) {
    // A fifth byte has room for four bits of 32, a tenth for one bit of 64.
    const auto too_wide = bytes({0xFF, 0xFF, 0xFF, 0xFF, 0x10});
    ByteReader narrow{too_wide};
    narrow.read_unsigned_varint();
    EXPECT_FALSE(narrow.ok());

    const auto too_long = bytes({0x80, 0x80, 0x80, 0x80, 0x80, 0x01});
    ByteReader endless{too_long};
    endless.read_varint();
    EXPECT_FALSE(endless.ok());

    const auto too_wide_64 = bytes({0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0x02});
    ByteReader wide{too_wide_64};
    wide.read_varlong();
    EXPECT_FALSE(wide.ok());
}

TEST(Varint, PaddedWithZeroGroupsIsTheSameNumber) {
    const auto padded = bytes({0x81, 0x80, 0x00});
    ByteReader reader{padded};
    EXPECT_EQ(reader.read_unsigned_varint(), 1U);
    EXPECT_TRUE(reader.ok());
}

TEST(Varint, SizeIsWhatIsWritten) {
    for (int bits = 0; bits < 64; ++bits) {
        for (const std::uint64_t number :
             {(std::uint64_t{1} << bits) - 1, std::uint64_t{1} << bits}) {
            std::array<std::byte, 10> region{};
            ByteWriter writer(region);
            writer.write_unsigned_varint(number);
            EXPECT_EQ(writer.position(), unsigned_varint_size(number)) << number;
        }
    }
}

TEST(ByteWriter, WritesWhatTheReaderReads) {
    const auto region = written(2 + 8 + 3, [](ByteWriter& writer) {
        writer.write(std::int16_t{-2});
        writer.write(std::uint64_t{0x0102030405060708});
        writer.write_bytes(as_bytes("abc"));
        writer.write_bytes({});
    });
    EXPECT_EQ(as_text(BytesView(region).last(3)), "abc");
    ByteReader reader{region};
    EXPECT_EQ(reader.read<std::int16_t>(), -2);
    EXPECT_EQ(reader.read<std::uint64_t>(), 0x0102030405060708U);
}

TEST(ByteWriterDeathTest, PastTheEndStopsTheProcess) {
    std::array<std::byte, 3> region{};
    ByteWriter writer(region);
    EXPECT_DEATH(writer.write(std::int32_t{1}), "write past the end of a sized buffer");
}

TEST(Bytes, LoadAndStoreAreBigEndianAndNeedNoAlignment) {
    std::array<std::byte, 6> region{};
    store(region.data() + 1, std::uint32_t{0x01020304});
    EXPECT_EQ(region[1], std::byte{1});
    EXPECT_EQ(region[4], std::byte{4});
    EXPECT_EQ(load<std::uint32_t>(region.data() + 1), 0x01020304U);
}

}  // namespace
}  // namespace milena
