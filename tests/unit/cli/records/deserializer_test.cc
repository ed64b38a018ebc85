// SPDX-License-Identifier: Apache-2.0
// Bytes as Kafka 4.4's console consumer printed them with each deserializer.
#include "records/deserializer.h"

#include <gtest/gtest.h>

namespace milena::cli {
namespace {

/// The text of the bytes, or why there is none.
std::string text_of(std::string_view name, std::string_view bytes) {
    const auto how = parse_deserializer("value.deserializer", name);
    if (!how) return how.error().why;
    std::string text;
    const auto done = append_deserialized(as_bytes(bytes), *how, text);
    return done ? text : done.error().why;
}

std::string text_of(double number) {
    std::array<std::byte, 8> bytes;
    store(bytes.data(), std::bit_cast<std::uint64_t>(number));
    return text_of("DoubleDeserializer", as_text(bytes));
}

std::string text_of(float number) {
    std::array<std::byte, 4> bytes;
    store(bytes.data(), std::bit_cast<std::uint32_t>(number));
    return text_of("FloatDeserializer", as_text(bytes));
}

TEST(Deserializer, WholeNumbersHaveOneSize) {
    EXPECT_EQ(text_of("ShortDeserializer", std::string_view("\xFF\x41", 2)), "-191");
    EXPECT_EQ(text_of("IntegerDeserializer", std::string_view("\0\0\1\0", 4)), "256");
    EXPECT_EQ(text_of("org.apache.kafka.common.serialization.LongDeserializer",
                      std::string_view("\x40\x09\x21\xfb\x54\x44\x2d\x18", 8)),
              "4614256656552045848");
    EXPECT_EQ(text_of("LongDeserializer", "abc"),
              "Size of data received by LongDeserializer is not 8");
    EXPECT_EQ(text_of("FloatDeserializer", "abc"),
              "Size of data received by Deserializer is not 4");
}

TEST(Deserializer, RealNumbersAreWrittenAsJavaWritesThem) {
    EXPECT_EQ(text_of(3.141592653589793), "3.141592653589793");
    EXPECT_EQ(text_of(3.1415927F), "3.1415927");
    EXPECT_EQ(text_of(1.0), "1.0");
    EXPECT_EQ(text_of(-0.0), "-0.0");
    EXPECT_EQ(text_of(100.0), "100.0");
    EXPECT_EQ(text_of(1e7), "1.0E7");
    EXPECT_EQ(text_of(12345678.9), "1.23456789E7");
    EXPECT_EQ(text_of(0.001), "0.001");
    EXPECT_EQ(text_of(0.00015), "1.5E-4");
    EXPECT_EQ(text_of(std::numeric_limits<double>::quiet_NaN()), "NaN");
    EXPECT_EQ(text_of(-std::numeric_limits<double>::infinity()), "-Infinity");
}

TEST(Deserializer, OthersAreTextToo) {
    const std::string_view uuid = "123e4567-e89b-12d3-a456-426614174000";
    EXPECT_EQ(text_of("UUIDDeserializer", uuid), uuid);
    EXPECT_EQ(text_of("UUIDDeserializer", "123"), "Error parsing data into UUID");
    EXPECT_EQ(text_of("BytesDeserializer", "A\xFF\1"), "A\\xFF\\x01");
    EXPECT_EQ(text_of("ByteBufferDeserializer", "abc"),
              "java.nio.HeapByteBuffer[pos=0 lim=3 cap=3]");
    EXPECT_EQ(text_of("BooleanDeserializer", "\1"), "true");
    EXPECT_EQ(text_of("VoidDeserializer", "a"), "Data should be null for a VoidDeserializer.");
    EXPECT_EQ(text_of("StringDeserializer", "abc"), "abc");
    EXPECT_EQ(text_of("my.own.One", "abc"), "There is no value.deserializer my.own.One here");
}

}  // namespace
}  // namespace milena::cli
