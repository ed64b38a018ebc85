// SPDX-License-Identifier: Apache-2.0
// "h1:v1,h2:v2 TAB key TAB value", each part as far as the properties ask for it.
#include "records/line_reader.h"

#include <algorithm>
#include <array>

#include <fmt/format.h>

namespace milena::cli {
namespace {

bool is_true(std::string_view text) {
    constexpr std::string_view kTrue = "true";
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return std::ranges::equal(text, kTrue, [](char a, char b) { return (a | 0x20) == b; });
}

}  // namespace

Result<LineReader> LineReader::make(
    const std::map<std::string, std::string, std::less<>>& properties) {
    LineReader reader;
    for (const auto& [key, value] : properties) {
        if (key == "parse.key") reader.parse_key_ = is_true(value);
        if (key == "parse.headers") reader.parse_headers_ = is_true(value);
        if (key == "ignore.error") reader.ignore_error_ = is_true(value);
        if (key == "key.separator") reader.key_separator_ = value;
        if (key == "headers.delimiter") reader.headers_delimiter_ = value;
        if (key == "headers.separator") reader.headers_separator_ = value;
        if (key == "headers.key.separator") reader.headers_key_separator_ = value;
        if (key == "null.marker") reader.null_marker_ = value;
    }
    TRY_VOID(reader.check_separators());
    return reader;
}

Result<void> LineReader::check_separators() const {
    struct Named {
        std::string_view name;
        std::optional<std::string_view> text;
    };
    const Named delimiter{"headers.delimiter", headers_delimiter_};
    const Named separator{"headers.separator", headers_separator_};
    const Named key_in_header{"headers.key.separator", headers_key_separator_};
    const Named key{"key.separator", key_separator_};
    Named marker{"null.marker", std::nullopt};
    if (null_marker_) marker.text = *null_marker_;
    const std::array<std::pair<const Named*, const Named*>, 7> pairs{{{&delimiter, &separator},
                                                                      {&delimiter, &key_in_header},
                                                                      {&separator, &key_in_header},
                                                                      {&marker, &key},
                                                                      {&marker, &separator},
                                                                      {&marker, &delimiter},
                                                                      {&marker, &key_in_header}}};
    for (const auto& [one, other] : pairs) {
        if (one->text != other->text) continue;
        return fail(ErrorCode::invalid_record,
                    fmt::format("{} and {} may not be equal", one->name, other->name));
    }
    return ok();
}

/// What stands before the separator, which is taken off the line with it.
Result<std::optional<std::string_view>> LineReader::part(std::string_view& line,
                                                         std::string_view separator,
                                                         std::string_view name) {
    const std::size_t end = line.find(separator);
    if (end == std::string_view::npos) {
        if (ignore_error_) return std::nullopt;
        return fail(ErrorCode::invalid_record,
                    fmt::format("No {} found on line number {}: '{}'", name, number_, line_));
    }
    const std::string_view found = line.substr(0, end);
    line.remove_prefix(end + separator.size());
    return found;
}

std::optional<std::string> LineReader::value_of(std::string_view text) const {
    if (null_marker_ && text == *null_marker_) return std::nullopt;
    return std::string(text);
}

Result<std::vector<Header>> LineReader::headers(std::string_view text) const {
    std::vector<Header> headers;
    for (bool more = true; more;) {
        const std::size_t end = text.find(headers_separator_);
        const std::string_view pair = text.substr(0, end);
        more = end != std::string_view::npos;
        if (more) text.remove_prefix(end + headers_separator_.size());
        const std::size_t colon = pair.find(headers_key_separator_);
        if (colon == std::string_view::npos) {
            if (!ignore_error_) {
                return fail(
                    ErrorCode::invalid_record,
                    fmt::format("No header key separator found in pair '{}' on line number {}",
                                pair, number_));
            }
            headers.push_back({std::string(pair), std::nullopt});
            continue;
        }
        const std::string_view key = pair.substr(0, colon);
        if (null_marker_ && key == *null_marker_) {
            return fail(ErrorCode::invalid_record,
                        fmt::format("Header keys should not be equal to the null marker '{}' as "
                                    "they can't be null",
                                    *null_marker_));
        }
        headers.push_back(
            {std::string(key), value_of(pair.substr(colon + headers_key_separator_.size()))});
    }
    return headers;
}

Result<ProducedRecord> LineReader::parse(std::string_view line) {
    ++number_;
    line_ = line;
    ProducedRecord record;
    if (parse_headers_) {
        TRY(const auto text, part(line, headers_delimiter_, "headers delimiter"));
        if (text && !(null_marker_ && *text == *null_marker_)) {
            TRY(record.headers, headers(*text));
        }
    }
    if (parse_key_) {
        TRY(const auto key, part(line, key_separator_, "key separator"));
        if (key) record.key = value_of(*key);
    }
    record.value = value_of(line);
    return record;
}

}  // namespace milena::cli
