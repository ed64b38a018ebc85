// SPDX-License-Identifier: Apache-2.0
// The table of features and their levels in 4.4.
#include "milena/metadata/features.h"

#include <algorithm>

namespace milena::metadata {
namespace {

constexpr std::array<SupportedFeature, 7> kFeatures = {{
    {"eligible.leader.replicas.version", {0, 1}, 1},  // KIP-966
    {"group.version", {0, 1}, 1},                     // KIP-848
    {kKraftVersion, {0, 1}, 1},  // KIP-853; kept by the quorum, not among the metadata's levels
    {kMetadataVersion, {7, 33}, 33},     // 3.3-IV3 to 4.4-IV2
    {"share.version", {0, 2}, 2},        // KIP-932
    {"streams.version", {0, 1}, 1},      // KIP-1071
    {"transaction.version", {0, 2}, 2},  // KIP-890
}};

/// Levels of metadata.version that write records, or fields of records, which the level below does
/// not know.
constexpr std::array<std::int16_t, 11> kLevelsWithNewMetadata = {7,  8,  11, 13, 14, 15,
                                                                 17, 23, 30, 32, 33};

}  // namespace

std::span<const SupportedFeature> supported_features() {
    return kFeatures;
}

bool loses_metadata(std::int16_t from, std::int16_t to) {
    return std::ranges::any_of(kLevelsWithNewMetadata,
                               [&](std::int16_t level) { return level > to && level <= from; });
}

}  // namespace milena::metadata
