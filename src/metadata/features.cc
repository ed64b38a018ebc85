// SPDX-License-Identifier: Apache-2.0
// The table of features and their levels in 4.4.
#include "milena/metadata/features.h"

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

}  // namespace

std::span<const SupportedFeature> supported_features() {
    return kFeatures;
}

}  // namespace milena::metadata
