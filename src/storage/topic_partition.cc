// SPDX-License-Identifier: Apache-2.0
// Names of partition directories.
#include <fmt/format.h>

#include "checkpoint_text.h"
#include "milena/storage/log_directory.h"

namespace milena::storage {
namespace {

constexpr std::size_t kTopicBytesMax = 249;

bool is_topic_character(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

bool is_topic_name(std::string_view name) {
    return !name.empty() && name.size() <= kTopicBytesMax && name != "." && name != ".." &&
           std::ranges::all_of(name, is_topic_character);
}

}  // namespace

std::string TopicPartition::text() const {
    return fmt::format("{}-{}", topic, partition);
}

std::optional<TopicPartition> TopicPartition::parse(std::string_view text) {
    const std::size_t dash = text.rfind('-');
    if (dash == std::string_view::npos) return std::nullopt;
    const auto number = parse_number<std::int32_t>(text.substr(dash + 1));
    if (!number || *number < 0 || !is_topic_name(text.substr(0, dash))) return std::nullopt;
    TopicPartition partition{std::string(text.substr(0, dash)), PartitionIndex(*number)};
    // "t-07" would be found again as "t-7".
    if (partition.text() != text) return std::nullopt;
    return partition;
}

}  // namespace milena::storage
