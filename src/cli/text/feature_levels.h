// SPDX-License-Identifier: Apache-2.0
// Levels of features by name, and those that a release begins with.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "milena/base/result.h"

namespace milena::cli {

using FeatureLevels = std::map<std::string, std::int16_t>;

/// "4.4-IV2" is level 33 of metadata.version; so is "33".
std::optional<std::int16_t> metadata_level(std::string_view text);

/// A level as the tools print it: metadata.version by its name, others as a number.
std::string level_text(std::string_view feature, std::int16_t level);

/// What a new cluster of the release that has this metadata.version begins with.
FeatureLevels release_levels(std::int16_t metadata_version);

/// "share.version=1" texts.
Result<FeatureLevels> parse_feature_levels(const std::vector<std::string>& entries);

}  // namespace milena::cli
