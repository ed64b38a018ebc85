// SPDX-License-Identifier: Apache-2.0
// A topic's values put into the fields of TopicConfig, each by its row.
#include "milena/config/topic_config.h"

#include <fmt/format.h>

#include "milena/config/keys.h"
#include "topic_fields.h"

namespace milena::config {
namespace {

/// The one value that both keys of a segment's size end up in.
constexpr std::string_view kInternalSegmentBytes = "internal.segment.bytes";

std::unexpected<Error> bad_value(std::string_view key, std::string_view value,
                                 std::string_view why) {
    return fail(ErrorCode::invalid_config, fmt::format("topic config {}={}: {}", key, value, why));
}

/// Elements "partition:broker", or "*" alone.
Result<void> check_throttled_replicas(std::string_view name, const std::string& text,
                                      const std::vector<std::string>& items) {
    const auto digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (items.size() == 1 && items.front() == "*") return ok();
    for (const std::string_view item : items) {
        const auto colon = item.find(':');
        if (colon == std::string_view::npos || !digits(item.substr(0, colon)) ||
            !digits(item.substr(colon + 1))) {
            return bad_value(name, text, "allowed is * or a list of partition:broker");
        }
    }
    return ok();
}

Result<void> check_list(std::string_view name, const std::string& text,
                        const std::vector<std::string>& items) {
    if (name.ends_with("throttled.replicas")) return check_throttled_replicas(name, text, items);
    for (std::size_t at = 0; at < items.size(); ++at) {
        if (std::find(items.begin(), items.begin() + static_cast<std::ptrdiff_t>(at), items[at]) !=
            items.begin() + static_cast<std::ptrdiff_t>(at)) {
            return bad_value(name, text, "an element comes twice");
        }
    }
    return ok();
}

Result<void> set_value(TopicConfig& config, std::string_view name, const std::string& text) {
    const TopicKey* const key = find_topic_key(name);
    if (key == nullptr) return bad_value(name, text, "there is no such topic config");
    auto value = parse_value(key->type, key->allowed, text);
    if (!value) return bad_value(name, text, value.error().why);
    if (const auto* items = std::get_if<std::vector<std::string>>(&*value)) {
        TRY_VOID(check_list(name, text, *items));
    }
    set_topic_field(config, name, *value);
    return ok();
}

}  // namespace

Result<TopicConfig> TopicConfig::with(const ConfigMap& overrides) const {
    TopicConfig config = *this;
    for (const auto& [name, text] : overrides) {
        if (name != kInternalSegmentBytes) TRY_VOID(set_value(config, name, text));
    }
    // Last, because it goes before segment.bytes.
    if (const auto own = overrides.find(kInternalSegmentBytes); own != overrides.end()) {
        TRY_VOID(set_value(config, own->first, own->second));
    }
    if (config.min_compaction_lag_ms > config.max_compaction_lag_ms) {
        return bad_value("min.compaction.lag.ms", fmt::to_string(config.min_compaction_lag_ms),
                         fmt::format("allowed is at most max.compaction.lag.ms, which is {}",
                                     config.max_compaction_lag_ms));
    }
    return config;
}

}  // namespace milena::config
