// SPDX-License-Identifier: Apache-2.0
// Text of ids and the time in it.
#include "member_ids.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace milena::coordinator {
namespace {

constexpr std::int64_t kTimeMax = (std::int64_t{1} << 48) - 1;

/// Nothing if it is no version 7. Text of the form XXXXXXXX-XXXX-7XXX-XXXX-XXXXXXXXXXXX.
std::optional<std::int64_t> time_of(std::string_view member_id) {
    if (member_id.size() < kMemberIdSuffixBytes) return std::nullopt;
    const std::string_view uuid = member_id.substr(member_id.size() - kMemberIdSuffixBytes + 1);
    if (uuid[8] != '-' || uuid[13] != '-' || uuid[14] != '7') return std::nullopt;
    const std::string digits = fmt::format("{}{}", uuid.substr(0, 8), uuid.substr(9, 4));
    std::int64_t time_ms = 0;
    const char* const end = digits.data() + digits.size();
    const auto read = std::from_chars(digits.data(), end, time_ms, 16);
    if (read.ec != std::errc() || read.ptr != end || time_ms < 0) return std::nullopt;
    return time_ms;
}

}  // namespace

std::string member_id(std::string_view name, Uuid random) {
    return fmt::format("{}-{:08x}-{:04x}-{:04x}-{:04x}-{:012x}", name, random.high >> 32,
                       (random.high >> 16) & 0xFFFF, random.high & 0xFFFF, random.low >> 48,
                       random.low & 0xFFFF'FFFF'FFFF);
}

std::string static_member_id(std::string_view instance_id, Uuid random, std::int64_t now_ms,
                             std::string_view before) {
    const std::int64_t after = time_of(before).value_or(-1) + 1;
    const auto time_ms = static_cast<std::uint64_t>(std::min(std::max(now_ms, after), kTimeMax));
    random.high = (time_ms << 16) | 0x7000 | (random.high & 0x0FFF);
    random.low = (std::uint64_t{0b10} << 62) | (random.low & ((std::uint64_t{1} << 62) - 1));
    return member_id(instance_id, random);
}

bool is_given_after(std::string_view member_id, std::string_view other) {
    const auto mine = time_of(member_id);
    const auto others = time_of(other);
    return mine && others && *mine > *others;
}

}  // namespace milena::coordinator
