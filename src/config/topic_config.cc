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

/// Elements "partition:broker", or "*" alone.
Result<void> check_throttled_replicas(std::string_view name,
                                      const std::vector<std::string>& items) {
    const auto digits = [](std::string_view part) {
        return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
    };
    if (items.size() == 1 && items.front() == "*") return ok();
    for (const std::string_view item : items) {
        const auto colon = item.find(':');
        if (colon == std::string_view::npos || !digits(item.substr(0, colon)) ||
            !digits(item.substr(colon + 1))) {
            return fail(ErrorCode::invalid_config,
                        fmt::format("Invalid value [{0}] for configuration {1}: {1} must be the "
                                    "literal '*' or a list of replicas in the following format: "
                                    "[partitionId]:[brokerId],[partitionId]:[brokerId],...",
                                    fmt::join(items, ", "), name));
        }
    }
    return ok();
}

Result<void> set_value(TopicConfig& config, std::string_view name, const std::string& text) {
    const TopicKey* const key = find_topic_key(name);
    TRY(const auto value, parse_client_value(name, key->type, key->allowed, text));
    if (name.ends_with("throttled.replicas")) {
        TRY_VOID(check_throttled_replicas(name, std::get<std::vector<std::string>>(value)));
    }
    set_topic_field(config, name, value);
    return ok();
}

}  // namespace

Result<TopicConfig> TopicConfig::with(const ConfigMap& overrides) const {
    TopicConfig config = *this;
    for (const auto& [name, text] : overrides) {
        if (find_topic_key(name) != nullptr) continue;
        return fail(ErrorCode::invalid_config, fmt::format("Unknown topic config name: {}", name));
    }
    for (const auto& [name, text] : overrides) {
        if (name != kInternalSegmentBytes) TRY_VOID(set_value(config, name, text));
    }
    // Last, because it goes before segment.bytes.
    if (const auto own = overrides.find(kInternalSegmentBytes); own != overrides.end()) {
        TRY_VOID(set_value(config, own->first, own->second));
    }
    if (config.min_compaction_lag_ms > config.max_compaction_lag_ms) {
        return fail(ErrorCode::invalid_config,
                    fmt::format("conflict topic config setting min.compaction.lag.ms ({}) > "
                                "max.compaction.lag.ms ({})",
                                config.min_compaction_lag_ms, config.max_compaction_lag_ms));
    }
    return config;
}

}  // namespace milena::config
