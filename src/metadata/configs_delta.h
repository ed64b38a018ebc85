// SPDX-License-Identifier: Apache-2.0
// Dynamic configuration, and the levels of features.
#pragma once

#include <map>

#include "milena/protocol/records/metadata.h"
#include "part.h"

namespace milena::metadata {

class ConfigsDelta {
public:
    ConfigsDelta(std::shared_ptr<const ConfigsImage> base, Changes& changes)
        : base_(std::move(base)), changes_(changes) {}

    Result<void> apply(const protocol::ConfigRecord& record);
    /// A topic takes its configuration with it.
    void remove_topic(std::string_view name);

    std::shared_ptr<const ConfigsImage> finish() &&;

private:
    Configs& open(const ConfigResource& resource);

    std::shared_ptr<const ConfigsImage> base_;
    Changes& changes_;
    std::map<ConfigResource, Configs> touched_;
};

class FeaturesDelta {
public:
    FeaturesDelta(std::shared_ptr<const FeaturesImage> base, Changes& changes)
        : part_(std::move(base)), changes_(changes) {}

    Result<void> apply(const protocol::FeatureLevelRecord& record);

    std::shared_ptr<const FeaturesImage> finish() && { return std::move(part_).finish(); }

private:
    CopiedPart<FeaturesImage> part_;
    Changes& changes_;
};

}  // namespace milena::metadata
