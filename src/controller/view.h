// SPDX-License-Identifier: Apache-2.0
// What a decision may look at. Nothing here can be changed by looking.
#pragma once

#include <algorithm>

#include "milena/controller/controller.h"
#include "milena/metadata/features.h"
#include "partition_index.h"

namespace milena::controller {

inline constexpr std::string_view kElrVersion = "eligible.leader.replicas.version";

/// One decision never makes more partitions, nor writes more records, than this.
inline constexpr std::size_t kRecordsMax = 10'000;
/// What whoever asks for more is told, with POLICY_VIOLATION and in Kafka's words.
inline constexpr std::string_view kTooManyRecords =
    "Unable to perform excessively large batch operation.";

struct View {
    const Options& options;
    const metadata::Image& image;
    const PartitionIndexes& partitions;

    std::int16_t metadata_version() const {
        return image.features->level(metadata::kMetadataVersion);
    }
    metadata::RecordVersions versions() const {
        return metadata::RecordVersions(metadata_version());
    }
    /// Replicas that left the in-sync set in an orderly way may be elected (KIP-966).
    bool has_eligible_replicas() const { return image.features->level(kElrVersion) > 0; }
};

template <class List, class T>
bool contains(const List& all, const T& one) {
    return std::ranges::find(all, one) != all.end();
}

inline void append(Records& records, Records more) {
    records.insert(records.end(), std::make_move_iterator(more.begin()),
                   std::make_move_iterator(more.end()));
}

}  // namespace milena::controller
