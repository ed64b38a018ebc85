// SPDX-License-Identifier: Apache-2.0
// Applies configuration and feature levels; what is set back to nothing leaves no trace.
#include "configs_delta.h"

namespace milena::metadata {

Configs& ConfigsDelta::open(const ConfigResource& resource) {
    const auto [at, is_new] = touched_.try_emplace(resource);
    if (is_new) {
        if (const auto* const configs = base_->by_resource.find(resource)) at->second = **configs;
        changes_.configs.insert(resource);
    }
    return at->second;
}

Result<void> ConfigsDelta::apply(const protocol::ConfigRecord& record) {
    Configs& configs =
        open({static_cast<ResourceType>(record.resource_type), std::string(record.resource_name)});
    if (record.value) {
        configs.insert_or_assign(std::string(record.name), std::string(*record.value));
    } else {
        configs.erase(std::string(record.name));
    }
    return ok();
}

void ConfigsDelta::remove_topic(std::string_view name) {
    const ConfigResource resource{ResourceType::topic, std::string(name)};
    if (touched_.contains(resource) || base_->by_resource.contains(resource))
        open(resource).clear();
}

std::shared_ptr<const ConfigsImage> ConfigsDelta::finish() && {
    if (touched_.empty()) return std::move(base_);
    decltype(ConfigsImage::by_resource)::Editor resources(base_->by_resource);
    for (auto& [resource, configs] : touched_) {
        if (configs.empty()) {
            resources.erase(resource);
        } else {
            resources.set(resource, std::make_shared<const Configs>(std::move(configs)));
        }
    }
    auto image = std::make_shared<ConfigsImage>();
    image->by_resource = std::move(resources).finish();
    return image;
}

Result<void> FeaturesDelta::apply(const protocol::FeatureLevelRecord& record) {
    if (record.feature_level == 0) {
        part_.edit().levels.erase(std::string(record.name));
    } else {
        part_.edit().levels.insert_or_assign(std::string(record.name), record.feature_level);
    }
    changes_.features = true;
    return ok();
}

}  // namespace milena::metadata
