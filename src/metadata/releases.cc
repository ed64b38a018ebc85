// SPDX-License-Identifier: Apache-2.0
// The table of releases, and since which of them a feature's level is that of new clusters.
#include "milena/metadata/releases.h"

#include <algorithm>
#include <array>

#include "milena/metadata/features.h"

namespace milena::metadata {
namespace {

constexpr std::int16_t kFirst = 7;
constexpr auto kNames = std::to_array<std::string_view>({
    "3.3-IV3", "3.4-IV0", "3.5-IV0", "3.5-IV1", "3.5-IV2", "3.6-IV0", "3.6-IV1",
    "3.6-IV2", "3.7-IV0", "3.7-IV1", "3.7-IV2", "3.7-IV3", "3.7-IV4", "3.8-IV0",
    "3.9-IV0", "4.0-IV0", "4.0-IV1", "4.0-IV2", "4.0-IV3", "4.1-IV0", "4.1-IV1",
    "4.2-IV0", "4.2-IV1", "4.3-IV0", "4.4-IV0", "4.4-IV1", "4.4-IV2",
});

struct Since {
    std::string_view feature;
    std::int16_t metadata_version;
    std::int16_t level;
};

/// In the order of the versions.
constexpr Since kSince[] = {
    {kKraftVersion, 21, 1},         {"group.version", 22, 1},
    {"transaction.version", 24, 2}, {"eligible.leader.replicas.version", 26, 1},
    {"share.version", 28, 1},       {"streams.version", 29, 1},
    {"share.version", 31, 2},
};

}  // namespace

std::string_view metadata_version_name(std::int16_t level) {
    const auto index = static_cast<std::size_t>(level - kFirst);
    return level < kFirst || index >= kNames.size() ? std::string_view() : kNames[index];
}

std::optional<std::int16_t> find_metadata_version(std::string_view name) {
    std::optional<std::int16_t> found;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        const bool is_release = kNames[i].substr(0, kNames[i].find('-')) == name;
        if (kNames[i] == name || is_release) found = static_cast<std::int16_t>(kFirst + i);
    }
    return found;
}

std::vector<std::string_view> metadata_version_names() {
    return {kNames.begin(), kNames.end()};
}

std::int16_t initial_level(std::string_view feature, std::int16_t metadata_version) {
    if (feature == kMetadataVersion) return metadata_version;
    std::int16_t level = 0;
    for (const Since& since : kSince) {
        if (since.feature == feature && metadata_version >= since.metadata_version)
            level = since.level;
    }
    return level;
}

std::int16_t needed_metadata_version(std::string_view feature, std::int16_t level) {
    constexpr std::int16_t kWithEligibleReplicas = 23;
    return feature == "eligible.leader.replicas.version" && level > 0 ? kWithEligibleReplicas : 0;
}

}  // namespace milena::metadata
