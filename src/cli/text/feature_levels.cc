// SPDX-License-Identifier: Apache-2.0
// The names of metadata versions, and since which of them other features are on by default.
#include "text/feature_levels.h"

#include <algorithm>
#include <array>
#include <charconv>

#include <fmt/format.h>

#include "milena/metadata/features.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

constexpr std::int16_t kFirstMetadataVersion = 7;
/// From level 7 on.
constexpr std::array<std::string_view, 27> kMetadataVersions{
    "3.3-IV3", "3.4-IV0", "3.5-IV0", "3.5-IV1", "3.5-IV2", "3.6-IV0", "3.6-IV1",
    "3.6-IV2", "3.7-IV0", "3.7-IV1", "3.7-IV2", "3.7-IV3", "3.7-IV4", "3.8-IV0",
    "3.9-IV0", "4.0-IV0", "4.0-IV1", "4.0-IV2", "4.0-IV3", "4.1-IV0", "4.1-IV1",
    "4.2-IV0", "4.2-IV1", "4.3-IV0", "4.4-IV0", "4.4-IV1", "4.4-IV2"};

/// From this metadata.version on, the feature begins at this level.
struct DefaultSince {
    std::int16_t metadata_version;
    std::string_view feature;
    std::int16_t level;
};
constexpr auto kDefaults = std::to_array<DefaultSince>({
    {21, "kraft.version", 1},
    {22, "group.version", 1},
    {24, "transaction.version", 2},
    {26, "eligible.leader.replicas.version", 1},
    {28, "share.version", 1},
    {29, "streams.version", 1},
    {31, "share.version", 2},
});

std::optional<std::int16_t> number(std::string_view text) {
    std::int16_t level = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), level);
    if (text.empty() || error != std::errc() || end != text.data() + text.size())
        return std::nullopt;
    return level;
}

}  // namespace

std::optional<std::int16_t> metadata_level(std::string_view text) {
    const auto found = std::ranges::find(kMetadataVersions, text);
    if (found != kMetadataVersions.end())
        return static_cast<std::int16_t>(kFirstMetadataVersion +
                                         (found - kMetadataVersions.begin()));
    return number(text);
}

std::string level_text(std::string_view feature, std::int16_t level) {
    const int at = level - kFirstMetadataVersion;
    if (feature != metadata::kMetadataVersion || at < 0 ||
        static_cast<std::size_t>(at) >= kMetadataVersions.size())
        return std::to_string(level);
    return std::string(kMetadataVersions[static_cast<std::size_t>(at)]);
}

FeatureLevels release_levels(std::int16_t metadata_version) {
    FeatureLevels levels;
    for (const auto& feature : metadata::supported_features())
        levels[std::string(feature.name)] = 0;
    levels[std::string(metadata::kMetadataVersion)] = metadata_version;
    for (const auto& since : kDefaults) {
        if (metadata_version >= since.metadata_version)
            levels[std::string(since.feature)] = since.level;
    }
    return levels;
}

Result<FeatureLevels> parse_feature_levels(const std::vector<std::string>& entries) {
    FeatureLevels levels;
    for (const std::string& entry : entries) {
        const std::size_t equals = entry.find('=');
        if (equals == std::string::npos) {
            return refuse(
                fmt::format("Can't parse feature=level string {}: equals sign not found.", entry));
        }
        const auto level = number(std::string_view(entry).substr(equals + 1));
        if (!level) {
            return refuse(
                fmt::format("Can't parse feature=level string {}: unable to parse {} as a short.",
                            entry, entry.substr(equals + 1)));
        }
        if (!levels.emplace(entry.substr(0, equals), *level).second) {
            return refuse(
                fmt::format("Feature {} was specified more than once.", entry.substr(0, equals)));
        }
    }
    return levels;
}

}  // namespace milena::cli
