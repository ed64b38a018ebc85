// SPDX-License-Identifier: Apache-2.0
// The reader of properties files: natural lines are joined to logical ones, those are cut into key
// and value, and the escapes of each are resolved.
#include "milena/config/properties.h"

#include <fmt/format.h>

#include "text.h"

namespace milena::config {
namespace {

constexpr std::string_view kBlank = " \t\f";

bool is_blank(char c) {
    return kBlank.find(c) != std::string_view::npos;
}

std::string_view without_leading_blanks(std::string_view text) {
    const auto first = text.find_first_not_of(kBlank);
    return first == std::string_view::npos ? std::string_view{} : text.substr(first);
}

/// True if the line goes on in the next: it ends in an odd number of backslashes.
bool continues(std::string_view line) {
    std::size_t backslashes = 0;
    while (backslashes < line.size() && line[line.size() - 1 - backslashes] == '\\') ++backslashes;
    return backslashes % 2 == 1;
}

class LineReader {
public:
    explicit LineReader(std::string_view text) : rest_(text) {}

    bool at_end() const { return rest_.empty(); }
    int line() const { return line_; }

    /// The next natural line without its end (\n, \r or \r\n).
    std::string_view next() {
        ++line_;
        const auto end = rest_.find_first_of("\r\n");
        const auto line = rest_.substr(0, end);
        if (end == std::string_view::npos) {
            rest_ = {};
        } else {
            rest_.remove_prefix(rest_.substr(end).starts_with("\r\n") ? end + 2 : end + 1);
        }
        return line;
    }

private:
    std::string_view rest_;
    int line_ = 0;
};

/// The number of the four hexadecimal digits at the front of `text`, −1 if they are not that.
int hex4(std::string_view text) {
    if (text.size() < 4) return -1;
    int number = 0;
    for (const char c : text.substr(0, 4)) {
        const int digit = c >= '0' && c <= '9'   ? c - '0'
                          : c >= 'a' && c <= 'f' ? c - 'a' + 10
                          : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                                 : -1;
        if (digit < 0) return -1;
        number = number * 16 + digit;
    }
    return number;
}

/// Takes the digits of a \u escape off `text`; a pair of surrogates is two escapes.
Result<char32_t> take_unicode(std::string_view& text) {
    const auto broken = [] { return fail(ErrorCode::invalid_config, "broken \\u escape"); };
    const int first = hex4(text);
    if (first < 0 || (first >= 0xDC00 && first < 0xE000)) return broken();
    text.remove_prefix(4);
    if (first < 0xD800 || first >= 0xE000) return static_cast<char32_t>(first);
    if (!text.starts_with("\\u")) return broken();
    const int second = hex4(text.substr(2));
    if (second < 0xDC00 || second >= 0xE000) return broken();
    text.remove_prefix(6);
    return static_cast<char32_t>(0x10000 + ((first - 0xD800) << 10) + (second - 0xDC00));
}

Result<std::string> unescape(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const char c = text.front();
        text.remove_prefix(1);
        if (c != '\\' || text.empty()) {
            if (c != '\\') out += c;
            continue;
        }
        const char escaped = text.front();
        text.remove_prefix(1);
        switch (escaped) {
            case 't': out += '\t'; break;
            case 'n': out += '\n'; break;
            case 'r': out += '\r'; break;
            case 'f': out += '\f'; break;
            case 'u': {
                TRY(const char32_t point, take_unicode(text));
                append_utf8(out, point);
                break;
            }
            default: out += escaped;
        }
    }
    return out;
}

/// Where the key of a logical line ends: at the first separator that is not escaped.
std::size_t key_length(std::string_view line) {
    std::size_t at = 0;
    while (at < line.size() && line[at] != '=' && line[at] != ':' && !is_blank(line[at])) {
        at += line[at] == '\\' ? 2 : 1;
    }
    return std::min(at, line.size());
}

Result<Property> parse_entry(std::string_view line, int number) {
    const auto end = key_length(line);
    auto rest = without_leading_blanks(line.substr(end));
    if (rest.starts_with('=') || rest.starts_with(':'))
        rest = without_leading_blanks(rest.substr(1));
    TRY(auto key, unescape(line.substr(0, end)));
    TRY(auto value, unescape(rest));
    return Property{std::move(key), std::move(value), number};
}

}  // namespace

Result<Properties> Properties::parse(std::string file, std::string_view text) {
    if (text.starts_with("\xEF\xBB\xBF"))
        text.remove_prefix(3);  // a byte order mark of some editors
    const std::string recoded = is_utf8(text) ? std::string() : latin1_to_utf8(text);
    LineReader lines(recoded.empty() ? text : recoded);

    Properties properties{std::move(file), {}};
    while (!lines.at_end()) {
        std::string logical(without_leading_blanks(lines.next()));
        const int number = lines.line();
        if (logical.empty() || logical.front() == '#' || logical.front() == '!') continue;
        while (continues(logical)) {
            logical.pop_back();
            if (lines.at_end()) break;
            logical += without_leading_blanks(lines.next());
        }
        auto entry = parse_entry(logical, number);
        if (!entry) return fail_at(fmt::format("{}:{}", properties.file, number), entry.error());
        properties.entries.push_back(*std::move(entry));
    }
    return properties;
}

}  // namespace milena::config
