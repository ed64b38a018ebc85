// SPDX-License-Identifier: Apache-2.0
// Looks things up in an image.
#include "image_topics.h"

#include <algorithm>
#include <charconv>

namespace milena::drivers {
namespace {

/// Values are checked before they come into the image; one that is no number is as good as none.
std::optional<std::int32_t> number_in(const metadata::Configs& configs, std::string_view key) {
    const auto found = configs.find(key);
    if (found == configs.end()) return std::nullopt;
    const std::string& text = found->second;
    std::int32_t number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    return read.ec == std::errc() ? std::optional(number) : std::nullopt;
}

coordinator::TopicsView::Topic told(const metadata::TopicImage& topic) {
    return {.name = topic.name,
            .id = topic.id,
            .partitions = static_cast<std::int32_t>(topic.partitions.size())};
}

}  // namespace

ImageTopics::ImageTopics(const metadata::Image& image, const ConsumerLimits& limits)
    : topics_(image.topics), cluster_(image.cluster), configs_(image.configs), limits_(limits) {
    assignment_interval_ms_ = number_in(*configs_->find(metadata::ResourceType::broker, ""),
                                        "group.consumer.assignment.interval.ms");
}

std::optional<coordinator::TopicsView::Topic> ImageTopics::find(std::string_view name) const {
    const auto topic = topics_->find(name);
    return topic == nullptr ? std::nullopt : std::optional(told(*topic));
}

std::optional<coordinator::TopicsView::Topic> ImageTopics::find(Uuid id) const {
    const auto topic = topics_->find(id);
    return topic == nullptr ? std::nullopt : std::optional(told(*topic));
}

std::vector<std::string> ImageTopics::racks(Uuid topic, PartitionIndex partition) const {
    std::vector<std::string> racks;
    const auto found = topics_->find(topic);
    const auto* const registration = found == nullptr ? nullptr : found->partitions.find(partition);
    if (registration == nullptr) return racks;
    for (const BrokerId id : registration->replicas) {
        const auto* const broker = cluster_->find_broker(id);
        if (broker != nullptr && broker->rack) racks.push_back(*broker->rack);
    }
    std::ranges::sort(racks);
    racks.erase(std::ranges::unique(racks).begin(), racks.end());
    return racks;
}

void ImageTopics::each(const std::function<void(std::string_view name)>& visit) const {
    for (const auto& [name, id] : topics_->by_name) visit(name);
}

coordinator::ConsumerSettings ImageTopics::settings(
    std::string_view group, const coordinator::ConsumerSettings& of_broker) const {
    coordinator::ConsumerSettings out = of_broker;
    if (assignment_interval_ms_) out.assignment_interval_ms = *assignment_interval_ms_;
    const auto own = configs_->find(metadata::ResourceType::group, group);
    if (own->empty()) return out;
    const auto set = [&](std::string_view key, const ConsumerLimits::Range& range,
                         std::int32_t& value) {
        const auto number = number_in(*own, key);
        if (number) value = std::clamp(*number, range.min, std::max(range.min, range.max));
    };
    set("consumer.session.timeout.ms", limits_.session_timeout_ms, out.session_timeout_ms);
    set("consumer.heartbeat.interval.ms", limits_.heartbeat_interval_ms, out.heartbeat_interval_ms);
    set("consumer.assignment.interval.ms", limits_.assignment_interval_ms,
        out.assignment_interval_ms);
    return out;
}

}  // namespace milena::drivers
