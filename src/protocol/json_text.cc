// SPDX-License-Identifier: Apache-2.0
// Strict about UTF-8: a line of JSON must be readable by any reader, whatever a peer sent.
#include "json_text.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>

#include <fmt/format.h>

#include "milena/base/utf8.h"

namespace milena::protocol {

namespace {

void append_escaped(char character, std::string& out) {
    switch (character) {
        case '"': out += "\\\""; return;
        case '\\': out += "\\\\"; return;
        case '\n': out += "\\n"; return;
        case '\r': out += "\\r"; return;
        case '\t': out += "\\t"; return;
        default: break;
    }
    if (static_cast<std::uint8_t>(character) < 0x20 || character == 0x7F) {
        constexpr std::string_view kDigits = "0123456789abcdef";
        out += "\\u00";
        out += kDigits[static_cast<std::size_t>(character) >> 4];
        out += kDigits[static_cast<std::size_t>(character) & 15];
    } else {
        out += character;
    }
}

}  // namespace

void append_json_name(std::string_view field, std::string& out) {
    const char first = field.empty() ? '_' : field.front();
    out += first >= 'A' && first <= 'Z' ? static_cast<char>(first - 'A' + 'a') : first;
    out += field.substr(field.empty() ? 0 : 1);
}

void append_json_string(std::string_view text, std::string& out) {
    out += '"';
    while (!text.empty()) {
        const std::size_t length = utf8_sequence(text);
        if (length == 0) {
            out += "\xEF\xBF\xBD";
        } else if (length == 1) {
            append_escaped(text.front(), out);
        } else {
            out += text.substr(0, length);
        }
        text.remove_prefix(length == 0 ? 1 : length);
    }
    out += '"';
}

void append_json_base64(BytesView bytes, std::string& out) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    out += '"';
    for (; !bytes.empty(); bytes = bytes.subspan(std::min<std::size_t>(3, bytes.size()))) {
        std::uint32_t group = 0;
        for (std::size_t i = 0; i < 3; ++i) {
            group = group << 8 | (i < bytes.size() ? static_cast<std::uint32_t>(bytes[i]) : 0);
        }
        for (std::size_t i = 0; i < 4; ++i) {
            out += i > bytes.size() ? '=' : kDigits[(group >> (18 - 6 * i)) & 63];
        }
    }
    out += '"';
}

void append_json_double(double number, std::string& out) {
    constexpr double kDecimalFrom = 1e-3;
    constexpr double kDecimalTo = 1e7;
    const double size = std::abs(number);
    if (!std::isfinite(number)) {  // Jackson quotes what JSON has no number for
        const std::string_view infinity = number > 0 ? "Infinity" : "-Infinity";
        append_json_string(std::isnan(number) ? "NaN" : infinity, out);
    } else if (size == 0 || (size >= kDecimalFrom && size < kDecimalTo)) {
        const std::string digits = fmt::format("{}", number);
        out += digits;
        if (digits.find('.') == std::string::npos) out += ".0";
    } else {
        // The shortest digits with one before the point, and an exponent without sign or zeros.
        std::array<char, 32> text{};
        const auto end = std::to_chars(text.data(), text.data() + text.size(), number,
                                       std::chars_format::scientific)
                             .ptr;
        const std::string_view all(text.data(), static_cast<std::size_t>(end - text.data()));
        const std::size_t e = all.find('e');
        const std::string_view mantissa = all.substr(0, e);
        out += mantissa;
        if (mantissa.find('.') == std::string_view::npos) out += ".0";
        std::string_view exponent = all.substr(e + 2);
        while (exponent.size() > 1 && exponent.front() == '0') exponent.remove_prefix(1);
        out += all[e + 1] == '-' ? "E-" : "E";
        out += exponent;
    }
}

}  // namespace milena::protocol
