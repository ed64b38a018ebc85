// SPDX-License-Identifier: Apache-2.0
// Look-ups in the image, and equality by content.
#include "milena/metadata/image.h"

namespace milena::metadata {

static constexpr auto kSameTarget = [](const auto& a, const auto& b) { return a == b || *a == *b; };

std::shared_ptr<const TopicImage> TopicsImage::find(Uuid id) const {
    const auto* const topic = by_id.find(id);
    return topic ? *topic : nullptr;
}

std::shared_ptr<const TopicImage> TopicsImage::find(std::string_view name) const {
    const Uuid* const id = by_name.find(name);
    return id ? find(*id) : nullptr;
}

bool TopicsImage::operator==(const TopicsImage& other) const {
    return by_name == other.by_name && by_id.equal(other.by_id, kSameTarget);
}

const BrokerRegistration* ClusterImage::find_broker(BrokerId id) const {
    return brokers.find(id);
}

bool ClusterImage::is_active(BrokerId id) const {
    const BrokerRegistration* const broker = find_broker(id);
    return broker && !broker->fenced && !broker->in_controlled_shutdown;
}

std::shared_ptr<const Configs> ConfigsImage::find(ResourceType type, std::string_view name) const {
    static const auto kNone = std::make_shared<const Configs>();
    const auto* const configs = by_resource.find(ConfigResource{type, std::string(name)});
    return configs ? *configs : kNone;
}

bool ConfigsImage::operator==(const ConfigsImage& other) const {
    return by_resource.equal(other.by_resource, kSameTarget);
}

std::int16_t FeaturesImage::level(std::string_view feature) const {
    const auto at = levels.find(feature);
    return at != levels.end() ? at->second : std::int16_t{0};
}

std::shared_ptr<const Image> Image::empty() {
    static const auto kEmpty = [] {
        auto image = std::make_shared<Image>();
        image->features = std::make_shared<const FeaturesImage>();
        image->cluster = std::make_shared<const ClusterImage>();
        image->topics = std::make_shared<const TopicsImage>();
        image->configs = std::make_shared<const ConfigsImage>();
        image->client_quotas = std::make_shared<const ClientQuotasImage>();
        image->acls = std::make_shared<const AclsImage>();
        image->scram = std::make_shared<const ScramImage>();
        image->delegation_tokens = std::make_shared<const DelegationTokensImage>();
        return std::shared_ptr<const Image>(std::move(image));
    }();
    return kEmpty;
}

bool Image::same_content(const Image& other) const {
    return kSameTarget(features, other.features) && kSameTarget(cluster, other.cluster) &&
           kSameTarget(topics, other.topics) && kSameTarget(configs, other.configs) &&
           kSameTarget(client_quotas, other.client_quotas) && kSameTarget(acls, other.acls) &&
           kSameTarget(scram, other.scram) &&
           kSameTarget(delegation_tokens, other.delegation_tokens) &&
           next_producer_id == other.next_producer_id;
}

}  // namespace milena::metadata
