// SPDX-License-Identifier: Apache-2.0
// The features of a 4.4 cluster (KIP-584): what this software can do, and what a new cluster begins
// with.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "milena/metadata/image.h"

namespace milena::metadata {

struct SupportedFeature {
    std::string_view name;
    VersionRange range;
    /// Level in a new cluster.
    std::int16_t initial = 0;
};

inline constexpr std::string_view kMetadataVersion = "metadata.version";
inline constexpr std::string_view kKraftVersion = "kraft.version";

/// In the order of their names.
std::span<const SupportedFeature> supported_features();

/// Whether metadata that level `from` of metadata.version may have written can't be kept at `to`,
/// which is lower.
bool loses_metadata(std::int16_t from, std::int16_t to);

}  // namespace milena::metadata
