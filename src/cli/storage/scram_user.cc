// SPDX-License-Identifier: Apache-2.0
// Keys and values between brackets, with commas; values may stand in quotes.
#include "storage/scram_user.h"

#include <algorithm>
#include <charconv>
#include <map>

#include <fmt/format.h>

namespace milena::cli {
namespace {

constexpr std::size_t kSaltBytes = 24;

using Parts = std::map<std::string, std::string, std::less<>>;

std::unexpected<Error> refused(std::string why) {
    return fail(ErrorCode::invalid_request, std::move(why));
}

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

Result<Parts> parse_parts(std::string_view text) {
    if (!text.starts_with('[') || !text.ends_with(']') || text.size() < 2) {
        // Without the text, which may hold a password.
        return refused("Expected configuration string to start with [ and end with ]");
    }
    text = text.substr(1, text.size() - 2);
    Parts parts;
    while (!text.empty()) {
        const auto comma = std::min(text.find(','), text.size());
        const auto part = trimmed(text.substr(0, comma));
        text.remove_prefix(std::min(comma + 1, text.size()));
        const auto equals = part.find('=');
        if (equals == std::string_view::npos)
            return refused(fmt::format("Failed to find equals sign in SCRAM component: {}", part));
        auto value = trimmed(part.substr(equals + 1));
        if (value.size() >= 2 && value.starts_with('"') && value.ends_with('"'))
            value = value.substr(1, value.size() - 2);
        parts.insert_or_assign(std::string(trimmed(part.substr(0, equals))), std::string(value));
    }
    return parts;
}

/// What was there, and is there no more.
std::optional<std::string> take(Parts& parts, std::string_view key) {
    const auto found = parts.find(key);
    if (found == parts.end()) return std::nullopt;
    auto value = std::move(found->second);
    parts.erase(found);
    return value;
}

Result<std::vector<std::byte>> decode_base64(std::string_view key, std::string_view text) {
    constexpr std::string_view kDigits =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const auto wrong = [&] {
        return refused(fmt::format("Failed to decode given {}: {}", key, text));
    };
    std::string_view digits = text;
    while (digits.ends_with('=') && text.size() - digits.size() < 2) digits.remove_suffix(1);
    if (digits.size() % 4 == 1) return wrong();
    std::vector<std::byte> bytes;
    std::uint32_t bits = 0;
    int count = 0;
    for (const char digit : digits) {
        const auto value = kDigits.find(digit);
        if (value == std::string_view::npos) return wrong();
        bits = bits << 6 | static_cast<std::uint32_t>(value);
        count += 6;
        if (count < 8) continue;
        count -= 8;
        bytes.push_back(static_cast<std::byte>(bits >> count & 0xFF));
    }
    return bytes;
}

Result<std::int32_t> parse_iterations(const std::optional<std::string>& text, int bits) {
    if (!text) return security::kScramIterationsMin;
    std::int32_t number = 0;
    const auto [end, error] = std::from_chars(text->data(), text->data() + text->size(), number);
    if (error != std::errc() || end != text->data() + text->size())
        return refused(fmt::format("Unable to parse iterations value '{}' as an integer", *text));
    if (number < security::kScramIterationsMin) {
        return refused(
            fmt::format("The 'iterations' value must be >= {} for add-scram using SCRAM_SHA_{}",
                        security::kScramIterationsMin, bits));
    }
    if (number > security::kScramIterationsMax) {
        return refused(
            fmt::format("The 'iterations' value must be <= {} for add-scram using SCRAM_SHA_{}",
                        security::kScramIterationsMax, bits));
    }
    return number;
}

std::vector<std::byte> drawn_salt(env::Random& random) {
    std::vector<std::byte> salt;
    for (std::uint64_t bits = 0; salt.size() < kSaltBytes; bits >>= 8) {
        if (salt.size() % 8 == 0) bits = random.next();
        salt.push_back(static_cast<std::byte>(bits & 0xFF));
    }
    return salt;
}

}  // namespace

Result<ScramUser> parse_scram_user(std::string_view text, env::Random& random) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) {
        return refused(fmt::format("Failed to find equals sign in SCRAM argument '{}'", text));
    }
    const auto mechanism = security::find_scram_mechanism(text.substr(0, equals));
    if (!mechanism) {
        return refused(
            fmt::format("The add-scram mechanism {} is not supported.", text.substr(0, equals)));
    }
    TRY(auto parts, parse_parts(trimmed(text.substr(equals + 1))));
    ScramUser user;
    user.mechanism = *mechanism;
    const auto name = take(parts, "name");
    const auto salt = take(parts, "salt");
    const auto password = take(parts, "password");
    const auto salted = take(parts, "saltedpassword");
    const int bits = *mechanism == security::ScramMechanism::sha_256 ? 256 : 512;
    TRY(user.iterations, parse_iterations(take(parts, "iterations"), bits));
    if (!parts.empty())
        return refused(fmt::format("Unknown SCRAM configurations: {}", parts.begin()->first));
    if (!name) return refused("You must supply 'name' to add-scram");
    user.name = *name;
    if (!password && !salted)
        return refused("You must supply one of 'password' or 'saltedpassword' to add-scram");
    if (!password && !salt)
        return refused("You must supply 'salt' with 'saltedpassword' to add-scram");
    if (salt) {
        TRY(user.salt, decode_base64("salt", *salt));
    } else {
        user.salt = drawn_salt(random);
    }
    std::vector<std::byte> stands_for_it;
    if (password) {
        stands_for_it =
            security::salted_password(*mechanism, *password, user.salt, user.iterations);
    } else {
        TRY(stands_for_it, decode_base64("saltedpassword", *salted));
    }
    user.keys = security::scram_keys(*mechanism, stands_for_it);
    return user;
}

}  // namespace milena::cli
