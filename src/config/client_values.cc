// SPDX-License-Identifier: Apache-2.0
// What is wrong with a value, in the words that Apache Kafka's tools show, and values as Kafka
// prints them. Clients compare neither, but people and their scripts know both.
#include <algorithm>
#include <charconv>
#include <cmath>

#include <fmt/format.h>

#include "contains.h"
#include "milena/config/keys.h"
#include "text.h"

namespace milena::config {
namespace {

std::string_view java_type(ValueType type) {
    switch (type) {
        case ValueType::int16: return "SHORT";
        case ValueType::int32: return "INT";
        case ValueType::int64: return "LONG";
        default: return "DOUBLE";
    }
}

std::string words_of(const Allowed& allowed) {
    return fmt::format(
        "{}: {}",
        allowed.any_case ? "String must be one of (case insensitive)" : "String must be one of",
        fmt::join(split(allowed.words, '|'), ", "));
}

/// Why a number that is one of its type is not allowed.
std::string out_of_range(const Allowed& allowed, double value) {
    if (allowed.except) {
        return fmt::format("Value must be between {} and {} or equal to {}", *allowed.except + 1,
                           allowed.max, allowed.min);
    }
    return value < static_cast<double>(allowed.min)
               ? fmt::format("Value must be at least {}", allowed.min)
               : fmt::format("Value must be no more than {}", allowed.max);
}

std::unexpected<Error> refused(std::string_view name, std::string_view value,
                               std::string_view why) {
    return fail(ErrorCode::invalid_config,
                fmt::format("Invalid value {} for configuration {}: {}", value, name, why));
}

std::unexpected<Error> refused_number(std::string_view name, ValueType type, const Allowed& allowed,
                                      std::string_view text) {
    const auto number = parse_value(type, {}, text);
    if (!number) {
        return refused(name, text, fmt::format("Not a number of type {}", java_type(type)));
    }
    const auto* const whole = std::get_if<std::int64_t>(&*number);
    const double size = whole != nullptr ? static_cast<double>(*whole) : std::get<double>(*number);
    return refused(name, *value_text(*number), out_of_range(allowed, size));
}

std::unexpected<Error> refused_list(std::string_view name, const Allowed& allowed,
                                    std::string_view text) {
    for (const auto item : split(text, ',')) {
        if (!parse_value(ValueType::string, allowed, item))
            return refused(name, item, words_of(allowed));
    }
    return refused(name, text, words_of(allowed));
}

/// Java's Double.toString: at least one digit after the point, powers of ten outside of 10⁻³ to
/// 10⁷.
std::string java_double(double value) {
    const double size = std::fabs(value);
    if (size != 0 && (size < 1e-3 || size >= 1e7)) {
        std::string text = fmt::format("{:e}", value);
        std::array<char, 32> digits{};
        const auto [end, error] = std::to_chars(digits.data(), digits.data() + digits.size(), value,
                                                std::chars_format::scientific);
        if (error == std::errc()) text.assign(digits.data(), end);
        const auto e = text.find('e');
        std::string mantissa = text.substr(0, e);
        if (!mantissa.contains('.')) mantissa += ".0";
        std::string_view exponent = std::string_view(text).substr(e + 1);
        const bool is_negative = exponent.starts_with('-');
        exponent.remove_prefix(std::min(exponent.find_first_not_of("+-0"), exponent.size() - 1));
        return fmt::format("{}E{}{}", mantissa, is_negative ? "-" : "", exponent);
    }
    std::string text = fmt::format("{}", value);
    if (!text.contains('.')) text += ".0";
    return text;
}

}  // namespace

Result<Value> parse_client_value(std::string_view name, ValueType type, const Allowed& allowed,
                                 std::string_view text) {
    text = trimmed(text);
    if (type == ValueType::list) {
        if (contains(split(text, ','), std::string_view())) {
            return fail(ErrorCode::invalid_config,
                        fmt::format("Configuration '{}' values must not be empty.", name));
        }
    }
    auto value = parse_value(type, allowed, text);
    if (!value) {
        switch (type) {
            case ValueType::boolean:
                return refused(name, text, "Expected value to be either true or false");
            case ValueType::list: return refused_list(name, allowed, text);
            case ValueType::string:
            case ValueType::class_name:
            case ValueType::password: return refused(name, text, words_of(allowed));
            default: return refused_number(name, type, allowed, text);
        }
    }
    if (auto* const items = std::get_if<std::vector<std::string>>(&*value)) {
        std::vector<std::string> once;
        for (auto& item : *items) {
            if (!contains(once, item)) once.push_back(std::move(item));
        }
        *items = std::move(once);
    }
    return value;
}

std::optional<std::string> value_text(const Value& value) {
    struct Printer {
        std::optional<std::string> operator()(std::monostate) const { return std::nullopt; }
        std::optional<std::string> operator()(bool flag) const { return flag ? "true" : "false"; }
        std::optional<std::string> operator()(std::int64_t number) const {
            return fmt::to_string(number);
        }
        std::optional<std::string> operator()(double number) const { return java_double(number); }
        std::optional<std::string> operator()(const std::string& text) const { return text; }
        std::optional<std::string> operator()(const std::vector<std::string>& items) const {
            return fmt::format("{}", fmt::join(items, ","));
        }
    };
    return std::visit(Printer{}, value);
}

}  // namespace milena::config
