// SPDX-License-Identifier: Apache-2.0
// The text of a mark, both ways.
#include "sim/workload/history.h"

#include <charconv>

namespace milena::sim {
namespace {

template <class Number>
bool read_number(std::string_view text, Number& into) {
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, into);
    return error == std::errc() && stop == end;
}

}  // namespace

std::string Mark::text() const {
    return std::to_string(writer) + "/" + std::to_string(number);
}

std::optional<Mark> Mark::parse(std::string_view text) {
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return std::nullopt;
    Mark mark;
    if (!read_number(text.substr(0, slash), mark.writer)) return std::nullopt;
    if (!read_number(text.substr(slash + 1), mark.number)) return std::nullopt;
    return mark;
}

}  // namespace milena::sim
