// SPDX-License-Identifier: Apache-2.0
// Rules for names, with the texts that Kafka's clients show to their users.
#include "topics/topic_names.h"

#include <algorithm>

#include <fmt/format.h>

namespace milena::controller {

static std::unexpected<Error> invalid(std::string why) {
    return fail(ErrorCode::invalid_topic_exception, std::move(why));
}

static bool is_allowed(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
           c == '_' || c == '-';
}

Result<void> check_topic_name(std::string_view name) {
    static constexpr std::string_view kInvalid = "Topic name is invalid: ";
    if (name.empty()) return invalid(fmt::format("{}the empty string is not allowed", kInvalid));
    if (name == "." || name == "..")
        return invalid(fmt::format("{}'{}' is not allowed", kInvalid, name));
    if (name.size() > kTopicNameBytesMax) {
        return invalid(fmt::format("{}the length of '{}' is longer than the max allowed length {}",
                                   kInvalid, name, kTopicNameBytesMax));
    }
    if (!std::ranges::all_of(name, is_allowed)) {
        return invalid(fmt::format(
            "{}'{}' contains one or more characters other than ASCII alphanumerics, '.', '_' and "
            "'-'",
            kInvalid, name));
    }
    return ok();
}

static std::string unified(std::string_view name) {
    std::string result(name);
    std::ranges::replace(result, '.', '_');
    return result;
}

Result<void> check_no_collision(const metadata::TopicsImage& topics, std::string_view name) {
    const std::size_t first = name.find_first_of("._");
    if (first == std::string_view::npos) return ok();
    // Names that collide have the same beginning up to the first of the two characters, so they lie
    // together.
    const std::string mine = unified(name);
    const std::string_view prefix = name.substr(0, first);
    for (auto at = topics.by_name.lower_bound(prefix); at != topics.by_name.end(); ++at) {
        if (!at->first.starts_with(prefix)) break;
        if (at->first.size() != name.size() || at->first == name) continue;
        if (unified(at->first) == mine) {
            return invalid(
                fmt::format("Topic '{}' collides with existing topic: {}", name, at->first));
        }
    }
    return ok();
}

}  // namespace milena::controller
