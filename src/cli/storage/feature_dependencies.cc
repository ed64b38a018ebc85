// SPDX-License-Identifier: Apache-2.0
// In the words and the order of the tools.
#include "storage/feature_dependencies.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "milena/metadata/features.h"
#include "milena/metadata/releases.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

using metadata::kMetadataVersion;

constexpr std::string_view kMapped[] = {"kraft.version", "transaction.version",
                                        "group.version", "eligible.leader.replicas.version",
                                        "share.version", "streams.version"};

const metadata::SupportedFeature* find_feature(std::string_view name) {
    const auto features = metadata::supported_features();
    const auto found = std::ranges::find(features, name, &metadata::SupportedFeature::name);
    return found == features.end() ? nullptr : &*found;
}

}  // namespace

Result<std::string> version_mapping_text(std::string_view release) {
    std::int16_t version = find_feature(kMetadataVersion)->initial;
    if (!release.empty()) {
        const auto asked = metadata::find_metadata_version(release);
        if (!asked) {
            return refuse(
                fmt::format("Unknown metadata.version '{}'. Supported metadata.version are: {}",
                            release, fmt::join(metadata::metadata_version_names(), ", ")));
        }
        version = *asked;
    }
    std::string text =
        fmt::format("metadata.version={} ({})\n", version,
                    release.empty() ? metadata::metadata_version_name(version) : release);
    for (const auto feature : kMapped)
        text += fmt::format("{}={}\n", feature, metadata::initial_level(feature, version));
    return text;
}

Result<std::string> feature_dependencies_text(std::string_view text) {
    const auto equals = text.find('=');
    if (equals == std::string_view::npos) {
        return refuse(
            fmt::format("Invalid feature format: {}. Expected format: 'feature=version' "
                        "(e.g. 'group.version=1')",
                        text));
    }
    const auto name = text.substr(0, equals);
    const auto number = text.substr(equals + 1);
    std::int16_t level = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), level);
    if (error != std::errc() || end != number.data() + number.size()) {
        return refuse(fmt::format(
            "Can't parse feature=level string {}: unable to parse {} as a short.", text, number));
    }
    const auto* const feature = find_feature(name);
    if (feature == nullptr) return refuse(fmt::format("Unknown feature: {}", name));
    const bool is_version = name == kMetadataVersion;
    if (level < feature->range.min || level > feature->range.max) {
        return refuse(is_version ? fmt::format("Unknown metadata.version {}", level)
                                 : fmt::format("Feature level {} is not supported for feature {}",
                                               level, name));
    }
    const std::string said =
        is_version ? fmt::format("{}={} ({})", name, level, metadata::metadata_version_name(level))
                   : fmt::format("{}={}", name, level);
    const auto needed = metadata::needed_metadata_version(name, level);
    if (needed == 0) return fmt::format("{} has no dependencies.\n", said);
    return fmt::format("{} requires:\n    metadata.version={} ({})\n", said, needed,
                       metadata::metadata_version_name(needed));
}

}  // namespace milena::cli
