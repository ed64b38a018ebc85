// SPDX-License-Identifier: Apache-2.0
// The first records of a new leader: features and users of a format or of Kafka 4.4, the minimum of
// in-sync replicas, and the end of what a lost controller had begun.
#include "activation.h"

#include <fmt/format.h>

#include "configs.h"
#include "milena/metadata/loader.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {
namespace {

constexpr std::string_view kBootstrapName = "Bootstrap records";

RecordValue level_record(std::string_view feature, std::int16_t level) {
    return metadata::encode_record(protocol::FeatureLevelRecord{feature, level});
}

/// A new cluster of Kafka 4.4; metadata.version comes first, it says how to read the rest.
Records default_features() {
    Records records;
    for (const auto& feature : metadata::supported_features()) {
        if (feature.name == metadata::kMetadataVersion)
            records.push_back(level_record(feature.name, feature.initial));
    }
    for (const auto& feature : metadata::supported_features()) {
        const bool is_elsewhere =
            feature.name == metadata::kMetadataVersion || feature.name == metadata::kKraftVersion;
        if (!is_elsewhere && feature.initial > 0)
            records.push_back(level_record(feature.name, feature.initial));
    }
    return records;
}

/// The image that these records make.
std::shared_ptr<const metadata::Image> image_of(const Records& records) {
    metadata::Delta delta(metadata::Image::empty());
    for (const RecordValue& record : records) {
        const Result<void> applied = delta.apply(record);
        INVARIANT(applied.has_value(), "bootstrap records that can't be applied");
    }
    return std::move(delta).finish({});
}

void add_min_insync_replicas(const Options& options, const metadata::Image& image,
                             Records& records) {
    if (image.features->level(kElrVersion) == 0) return;
    append(records, common_min_insync_replicas(options, image));
}

Records bootstrap_records(const Options& options, std::span<const RecordValue> from_format) {
    Records chosen(from_format.begin(), from_format.end());
    if (image_of(chosen)->features->levels.empty()) {
        Records features = default_features();
        append(features, std::move(chosen));
        chosen = std::move(features);
    }
    const auto image = image_of(chosen);
    add_min_insync_replicas(options, *image, chosen);
    if (!metadata::RecordVersions(image->features->level(metadata::kMetadataVersion)).transactions)
        return chosen;

    Records records{metadata::encode_record(protocol::BeginTransactionRecord{kBootstrapName})};
    append(records, std::move(chosen));
    records.push_back(metadata::encode_record(protocol::EndTransactionRecord{}));
    return records;
}

}  // namespace

Records activation_records(const View& view, const Activation& activation) {
    Records records;
    if (activation.in_transaction) {
        records.push_back(metadata::encode_record(protocol::AbortTransactionRecord{
            std::string_view("its controller was lost before its end")}));
    }
    if (view.image.features->levels.empty()) {
        append(records, bootstrap_records(view.options, activation.bootstrap));
    } else {
        add_min_insync_replicas(view.options, view.image, records);
    }
    return records;
}

}  // namespace milena::controller
