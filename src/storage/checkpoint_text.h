// SPDX-License-Identifier: Apache-2.0
// The text form that all checkpoint files share: a line "0" (the version), a line with the number
// of entries, then as many lines of fields separated by one space. An empty file has not been
// written yet.
#pragma once

#include <charconv>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "milena/base/result.h"

namespace milena::storage {

/// The whole of `text` as a decimal number.
template <class T>
std::optional<T> parse_number(std::string_view text) {
    T number{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
    return number;
}

class CheckpointText {
public:
    struct Line {
        std::size_t number = 0;  ///< from 1
        std::vector<std::string_view> fields;
    };

    /// `name` is for the errors; the lines are views into `text`.
    static Result<CheckpointText> parse(std::string_view name, std::string_view text);

    const std::vector<Line>& lines() const { return lines_; }
    /// KAFKA_STORAGE_ERROR that names file and line.
    std::unexpected<Error> malformed(std::size_t line, std::string_view why) const;

private:
    explicit CheckpointText(std::string_view name) : name_(name) {}

    std::string name_;
    std::vector<Line> lines_;
};

}  // namespace milena::storage
