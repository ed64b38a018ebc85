// SPDX-License-Identifier: Apache-2.0
// One metadata image as coordinators of groups look at it: topics, the racks of their replicas'
// brokers, and what groups have set for themselves within the broker's limits.
#pragma once

#include "milena/coordinator/topics_view.h"
#include "milena/drivers/group_coordinator.h"
#include "milena/metadata/image.h"

namespace milena::drivers {

class ImageTopics final : public coordinator::TopicsView {
public:
    ImageTopics(const metadata::Image& image, const ConsumerLimits& limits);

    std::optional<Topic> find(std::string_view name) const override;
    std::optional<Topic> find(Uuid id) const override;
    std::vector<std::string> racks(Uuid topic, PartitionIndex partition) const override;
    void each(const std::function<void(std::string_view name)>& visit) const override;
    coordinator::ConsumerSettings settings(
        std::string_view group, const coordinator::ConsumerSettings& of_broker) const override;

private:
    const std::shared_ptr<const metadata::TopicsImage> topics_;
    const std::shared_ptr<const metadata::ClusterImage> cluster_;
    const std::shared_ptr<const metadata::ConfigsImage> configs_;
    const ConsumerLimits limits_;
    /// group.consumer.assignment.interval.ms as it was set for all brokers, if it was.
    std::optional<std::int32_t> assignment_interval_ms_;
};

}  // namespace milena::drivers
