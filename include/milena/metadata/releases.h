// SPDX-License-Identifier: Apache-2.0
// The names of metadata.version's levels, and with which levels of the other features a cluster of
// that version begins. A release is named by its last level ("4.4-IV2") or in short ("4.4").
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace milena::metadata {

/// "4.4-IV2"; empty for a level that there is not.
std::string_view metadata_version_name(std::int16_t level);
/// The level that is called so, or the last one of the release.
std::optional<std::int16_t> find_metadata_version(std::string_view name);
/// All names, the oldest first.
std::vector<std::string_view> metadata_version_names();
/// The level of `feature` in a new cluster whose metadata.version is `metadata_version`.
std::int16_t initial_level(std::string_view feature, std::int16_t metadata_version);
/// The metadata.version that this level of a feature can't do without; 0 if there is none.
std::int16_t needed_metadata_version(std::string_view feature, std::int16_t level);

}  // namespace milena::metadata
