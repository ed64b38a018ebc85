// SPDX-License-Identifier: Apache-2.0
// A pattern is taken apart once, into runs of one letter and what stands between them.
#include "perf/date_format.h"

#include <array>
#include <ctime>

#include <fmt/format.h>

namespace milena::cli {
namespace {

constexpr std::string_view kKnown = "yMdHhmsSa";
constexpr std::array<std::string_view, 12> kMonths{"January",   "February", "March",    "April",
                                                   "May",       "June",     "July",     "August",
                                                   "September", "October",  "November", "December"};

std::tm local_time(std::int64_t seconds) {
    const auto time = static_cast<std::time_t>(seconds);
    std::tm local{};
    localtime_r(&time, &local);
    return local;
}

std::string month(const std::tm& local, std::size_t width) {
    const std::string_view name = kMonths[static_cast<std::size_t>(local.tm_mon)];
    if (width >= 4) return std::string(name);
    if (width == 3) return std::string(name.substr(0, 3));
    return fmt::format("{:0{}}", local.tm_mon + 1, width);
}

std::string field(char letter, std::size_t width, const std::tm& local, std::int64_t millis) {
    const auto padded = [width](std::int64_t number) {
        return fmt::format("{:0{}}", number, width);
    };
    switch (letter) {
        case 'y': return width == 2 ? padded(local.tm_year % 100) : padded(local.tm_year + 1900);
        case 'M': return month(local, width);
        case 'd': return padded(local.tm_mday);
        case 'H': return padded(local.tm_hour);
        case 'h': return padded(local.tm_hour % 12 == 0 ? 12 : local.tm_hour % 12);
        case 'm': return padded(local.tm_min);
        case 's': return padded(local.tm_sec);
        case 'S': return padded(millis);
        default: return local.tm_hour < 12 ? "AM" : "PM";
    }
}

/// The literal in quotes at `at`, which is moved behind it; '' is a quote.
std::string quoted(std::string_view pattern, std::size_t& at) {
    std::string text;
    for (++at; at < pattern.size(); ++at) {
        if (pattern[at] != '\'') {
            text += pattern[at];
        } else if (at + 1 < pattern.size() && pattern[at + 1] == '\'') {
            text += pattern[at++];
        } else {
            break;
        }
    }
    ++at;
    return text.empty() ? "'" : text;
}

bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

}  // namespace

Result<DateFormat> DateFormat::parse(std::string_view pattern) {
    DateFormat format;
    for (std::size_t at = 0; at < pattern.size();) {
        const char c = pattern[at];
        if (c == '\'') {
            format.parts_.push_back({.literal = quoted(pattern, at)});
            continue;
        }
        if (is_letter(c) && !kKnown.contains(c)) {
            return fail(ErrorCode::invalid_config,
                        fmt::format("Illegal pattern character '{}' in the date format {}: {} are "
                                    "understood here",
                                    c, pattern, kKnown));
        }
        const std::size_t end = std::min(pattern.find_first_not_of(c, at), pattern.size());
        const std::string_view run = pattern.substr(at, end - at);
        format.parts_.push_back(is_letter(c) ? Part{.letter = c, .width = run.size()}
                                             : Part{.literal = std::string(run)});
        at = end;
    }
    return format;
}

std::string DateFormat::text(std::int64_t ms) const {
    const std::tm local = local_time(ms / 1000);
    std::string text;
    for (const Part& part : parts_)
        text +=
            part.letter == '\0' ? part.literal : field(part.letter, part.width, local, ms % 1000);
    return text;
}

}  // namespace milena::cli
