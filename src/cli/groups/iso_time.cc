// SPDX-License-Identifier: Apache-2.0
// ISO 8601, as far as Kafka's tool takes it.
#include "groups/iso_time.h"

#include <charconv>
#include <chrono>
#include <optional>

#include <fmt/format.h>

#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::int64_t kMsPerSecond = 1000;
constexpr std::int64_t kMsPerMinute = 60 * kMsPerSecond;
constexpr std::int64_t kMsPerHour = 60 * kMsPerMinute;
constexpr std::int64_t kMsPerDay = 24 * kMsPerHour;
/// No number in a time has more digits.
constexpr std::size_t kDigitsMax = 9;

/// Takes parts off the front of a text; once one is missing there is nothing more.
class Scanner {
public:
    explicit Scanner(std::string_view text) : rest_(text) {}

    bool skip(char c) {
        if (!rest_.starts_with(c)) return false;
        rest_.remove_prefix(1);
        return true;
    }
    std::optional<std::int64_t> digits() {
        const std::size_t end = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
        std::int64_t number = 0;
        if (end == 0 || end > kDigitsMax) return std::nullopt;
        std::from_chars(rest_.data(), rest_.data() + end, number);
        length_ = end;
        rest_.remove_prefix(end);
        return number;
    }
    /// How many digits the last number had.
    std::size_t length() const { return length_; }
    bool is_done() const { return rest_.empty(); }
    char front() const { return rest_.empty() ? '\0' : rest_.front(); }

private:
    std::string_view rest_;
    std::size_t length_ = 0;
};

/// A zone's distance from UTC.
std::optional<std::int64_t> parse_zone(Scanner& scanner) {
    if (scanner.skip('Z')) return 0;
    const bool is_west = scanner.front() == '-';
    if (!scanner.skip('-') && !scanner.skip('+')) return std::nullopt;
    const auto hours = scanner.digits();
    if (!hours) return std::nullopt;
    std::int64_t ms = 0;
    if (scanner.length() == 4) {
        ms = *hours / 100 * kMsPerHour + *hours % 100 * kMsPerMinute;
    } else {
        ms = *hours * kMsPerHour;
        if (scanner.skip(':')) {
            const auto minutes = scanner.digits();
            if (!minutes) return std::nullopt;
            ms += *minutes * kMsPerMinute;
        }
    }
    return is_west ? -ms : ms;
}

std::optional<std::int64_t> parse_zoned(std::string_view text) {
    Scanner scanner(text);
    std::int64_t numbers[7] = {};
    constexpr char kAfter[] = {'-', '-', 'T', ':', ':', '.'};
    for (std::size_t i = 0; i < std::size(numbers); ++i) {
        const auto number = scanner.digits();
        if (!number || (i < std::size(kAfter) && !scanner.skip(kAfter[i]))) return std::nullopt;
        numbers[i] = *number;
    }
    const auto zone = parse_zone(scanner);
    if (!zone || !scanner.is_done()) return std::nullopt;
    const std::int64_t months = numbers[0] * 12 + numbers[1] - 1;
    if (numbers[0] > 99'999 || numbers[1] > 99'999) return std::nullopt;
    const std::chrono::year_month_day first{
        std::chrono::year(static_cast<int>(months / 12)),
        std::chrono::month(static_cast<unsigned>(months % 12) + 1), std::chrono::day(1)};
    const std::int64_t days =
        std::chrono::sys_days(first).time_since_epoch().count() + numbers[2] - 1;
    return days * kMsPerDay + numbers[3] * kMsPerHour + numbers[4] * kMsPerMinute +
           numbers[5] * kMsPerSecond + numbers[6] - *zone;
}

/// Reads "-3.5S" and the like into milliseconds. False if no more follows or it can't be read.
bool read_part(std::string_view& rest, bool is_time, std::int64_t& ms) {
    const bool is_negative = rest.starts_with('-');
    if (rest.starts_with('-') || rest.starts_with('+')) rest.remove_prefix(1);
    Scanner scanner(rest);
    const auto whole = scanner.digits();
    if (!whole) return false;
    rest.remove_prefix(scanner.length());
    std::int64_t fraction_ms = 0;
    const bool has_fraction = rest.starts_with('.');
    if (has_fraction) {
        rest.remove_prefix(1);
        std::int64_t unit = 100;
        for (; !rest.empty() && rest.front() >= '0' && rest.front() <= '9'; rest.remove_prefix(1)) {
            fraction_ms += (rest.front() - '0') * unit;
            unit /= 10;
        }
    }
    const char letter = rest.empty() ? '\0' : rest.front();
    const std::int64_t unit_ms = !is_time && letter == 'D'  ? kMsPerDay
                                 : is_time && letter == 'H' ? kMsPerHour
                                 : is_time && letter == 'M' ? kMsPerMinute
                                 : is_time && letter == 'S' ? kMsPerSecond
                                                            : 0;
    if (unit_ms == 0 || (has_fraction && letter != 'S')) return false;
    rest.remove_prefix(1);
    ms += (is_negative ? -1 : 1) * (*whole * unit_ms + fraction_ms);
    return true;
}

}  // namespace

Result<std::int64_t> parse_datetime(std::string_view text) {
    const std::size_t t = text.find('T');
    if (t == std::string_view::npos) {
        return refuse(
            "java.text.ParseException: Error parsing timestamp. It does not contain a 'T' "
            "according to ISO8601 format");
    }
    const bool has_zone = text.substr(t).find_first_of("Z+-") != std::string_view::npos;
    const std::string zoned = fmt::format("{}{}", text, has_zone ? "" : "Z");
    if (const auto ms = parse_zoned(zoned)) return *ms;
    return refuse(fmt::format("java.text.ParseException: Unparseable date: \"{}\"", zoned));
}

Result<std::int64_t> parse_duration(std::string_view text) {
    std::string upper(text);
    for (char& c : upper) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    std::string_view rest = upper;
    const bool is_negative = rest.starts_with('-');
    if (is_negative) rest.remove_prefix(1);
    std::int64_t ms = 0;
    bool is_time = false;
    bool is_readable = rest.starts_with('P') && rest.size() > 2 && !rest.ends_with('T');
    if (is_readable) rest.remove_prefix(1);
    while (is_readable && !rest.empty()) {
        if (!is_time && rest.starts_with('T')) {
            is_time = true;
            rest.remove_prefix(1);
        }
        is_readable = read_part(rest, is_time, ms);
    }
    if (!is_readable) return refuse("Text cannot be parsed to a Duration");
    return is_negative ? -ms : ms;
}

}  // namespace milena::cli
