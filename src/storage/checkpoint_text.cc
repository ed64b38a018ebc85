// SPDX-License-Identifier: Apache-2.0
// Parsing the text that all checkpoint files share.
#include "checkpoint_text.h"

#include <fmt/format.h>

namespace milena::storage {
namespace {

std::string_view take_line(std::string_view& text) {
    const std::size_t end = text.find('\n');
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return line.ends_with('\r') ? line.substr(0, line.size() - 1) : line;
}

std::vector<std::string_view> split(std::string_view line) {
    std::vector<std::string_view> fields;
    while (!line.empty()) {
        const std::size_t end = line.find(' ');
        if (end != 0) fields.push_back(line.substr(0, end));
        line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
    }
    return fields;
}

}  // namespace

Result<CheckpointText> CheckpointText::parse(std::string_view name, std::string_view text) {
    CheckpointText checkpoint(name);
    if (text.empty()) return checkpoint;
    if (take_line(text) != "0") return checkpoint.malformed(1, "expected version 0");
    const auto count = parse_number<std::uint64_t>(take_line(text));
    if (!count) return checkpoint.malformed(2, "expected the number of entries");
    for (std::size_t number = 3; !text.empty(); ++number) {
        auto fields = split(take_line(text));
        if (!fields.empty()) checkpoint.lines_.push_back({number, std::move(fields)});
    }
    if (checkpoint.lines_.size() != *count) {
        return checkpoint.malformed(
            2, fmt::format("{} entries announced, {} found", *count, checkpoint.lines_.size()));
    }
    return checkpoint;
}

std::unexpected<Error> CheckpointText::malformed(std::size_t line, std::string_view why) const {
    return fail(ErrorCode::kafka_storage_error, fmt::format("{}:{}: {}", name_, line, why));
}

}  // namespace milena::storage
