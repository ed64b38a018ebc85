// SPDX-License-Identifier: Apache-2.0
// Numbers are big-endian and of one size each.
#include "records/deserializer.h"

#include <array>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

namespace milena::cli {
namespace {

struct Known {
    std::string_view name;
    Deserializer how;
    std::size_t bytes = 0;  ///< that it takes, if only so many
};
constexpr auto kKnown = std::to_array<Known>({
    {"StringDeserializer", Deserializer::bytes},
    {"ByteArrayDeserializer", Deserializer::bytes},
    {"ShortDeserializer", Deserializer::int16, 2},
    {"IntegerDeserializer", Deserializer::int32, 4},
    {"LongDeserializer", Deserializer::int64, 8},
    {"FloatDeserializer", Deserializer::float32, 4},
    {"DoubleDeserializer", Deserializer::float64, 8},
    {"BooleanDeserializer", Deserializer::boolean, 1},
    {"UUIDDeserializer", Deserializer::uuid},
    {"BytesDeserializer", Deserializer::escaped},
    {"ByteBufferDeserializer", Deserializer::buffer},
    {"VoidDeserializer", Deserializer::none},
});

std::unexpected<Error> refuse_bytes(std::string why) {
    return fail(ErrorCode::corrupt_message, std::move(why));
}

/// As Java writes a float or double: its shortest digits, with a point, and an exponent below 10^-3
/// and from 10^7 on.
template <class Number>
void append_java(Number number, std::string& text) {
    if (std::isnan(number)) {
        text += "NaN";
        return;
    }
    if (std::isinf(number)) {
        text += number < 0 ? "-Infinity" : "Infinity";
        return;
    }
    const Number size = std::abs(number);
    const bool plain = number == 0 || (size >= Number(1e-3) && size < Number(1e7));
    std::array<char, 64> digits;
    const auto [end, error] =
        std::to_chars(digits.data(), digits.data() + digits.size(), number,
                      plain ? std::chars_format::fixed : std::chars_format::scientific);
    const std::string_view written(digits.data(), static_cast<std::size_t>(end - digits.data()));
    const std::size_t e = written.find('e');
    const std::string_view mantissa = written.substr(0, e);
    text += mantissa;
    if (!mantissa.contains('.')) text += ".0";
    if (e == std::string_view::npos) return;
    // "1.5e-07" is "1.5E-7".
    std::string_view exponent = written.substr(e + 1);
    text += 'E';
    if (exponent.starts_with('-')) text += '-';
    exponent.remove_prefix(1);
    while (exponent.size() > 1 && exponent.starts_with('0')) exponent.remove_prefix(1);
    text += exponent;
}

void append_escaped(BytesView bytes, std::string& text) {
    for (const char c : as_text(bytes)) {
        if (c >= ' ' && c <= '~' && c != '\\') {
            text += c;
        } else {
            text += fmt::format("\\x{:02X}", static_cast<unsigned char>(c));
        }
    }
}

bool is_uuid(std::string_view text) {
    constexpr std::size_t kChars = 36;
    if (text.size() != kChars) return false;
    for (std::size_t i = 0; i < kChars; ++i) {
        const bool is_dash = i == 8 || i == 13 || i == 18 || i == 23;
        const char c = text[i];
        const bool is_digit =
            (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
        if (is_dash ? c != '-' : !is_digit) return false;
    }
    return true;
}

Result<void> append_uuid(BytesView bytes, std::string& text) {
    if (!is_uuid(as_text(bytes))) return refuse_bytes("Error parsing data into UUID");
    for (const char c : as_text(bytes))
        text += c >= 'A' && c <= 'F' ? static_cast<char>(c - 'A' + 'a') : c;
    return ok();
}

void append_number(const std::byte* at, Deserializer how, std::string& text) {
    switch (how) {
        case Deserializer::int16: text += std::to_string(load<std::int16_t>(at)); break;
        case Deserializer::int32: text += std::to_string(load<std::int32_t>(at)); break;
        case Deserializer::int64: text += std::to_string(load<std::int64_t>(at)); break;
        case Deserializer::float32:
            append_java(std::bit_cast<float>(load<std::uint32_t>(at)), text);
            break;
        case Deserializer::float64:
            append_java(std::bit_cast<double>(load<std::uint64_t>(at)), text);
            break;
        default: text += *at == std::byte{0} ? "false" : "true"; break;
    }
}

}  // namespace

Result<Deserializer> parse_deserializer(std::string_view key, std::string_view name) {
    constexpr std::string_view kPackage = "org.apache.kafka.common.serialization.";
    std::string_view simple = name;
    if (simple.starts_with(kPackage)) simple.remove_prefix(kPackage.size());
    if (simple.empty()) return Deserializer::bytes;
    for (const Known& known : kKnown) {
        if (known.name == simple) return known.how;
    }
    return fail(ErrorCode::invalid_config, fmt::format("There is no {} {} here", key, name));
}

Result<void> append_deserialized(BytesView bytes, Deserializer how, std::string& text) {
    switch (how) {
        case Deserializer::bytes: text += as_text(bytes); return ok();
        case Deserializer::escaped: append_escaped(bytes, text); return ok();
        case Deserializer::uuid: return append_uuid(bytes, text);
        case Deserializer::none: return refuse_bytes("Data should be null for a VoidDeserializer.");
        case Deserializer::buffer:
            text += fmt::format("java.nio.HeapByteBuffer[pos=0 lim={} cap={}]", bytes.size(),
                                bytes.size());
            return ok();
        default: break;
    }
    for (const Known& known : kKnown) {
        if (known.how != how || known.bytes == bytes.size()) continue;
        return refuse_bytes(fmt::format("Size of data received by {} is not {}",
                                        how == Deserializer::float32 || how == Deserializer::float64
                                            ? "Deserializer"
                                            : known.name,
                                        known.bytes));
    }
    const bool is_boolean = how == Deserializer::boolean;
    if (is_boolean && bytes[0] > std::byte{1})
        return refuse_bytes("Unexpected byte received by BooleanDeserializer: " +
                            std::to_string(std::to_integer<int>(bytes[0])));
    append_number(bytes.data(), how, text);
    return ok();
}

}  // namespace milena::cli
