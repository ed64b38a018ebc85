// SPDX-License-Identifier: Apache-2.0
// Images with topics, racks and what groups have set.
#include "coordinators/image_topics.h"

#include <gtest/gtest.h>

namespace milena::drivers {
namespace {

using coordinator::ConsumerSettings;
using metadata::ResourceType;

class ImageTopicsTest : public ::testing::Test {
protected:
    ImageTopicsTest() {
        add_broker(BrokerId(1), "east");
        add_broker(BrokerId(2), "west");
        add_broker(BrokerId(3), std::nullopt);
        auto topic = std::make_shared<metadata::TopicImage>();
        topic->name = "t";
        topic->id = kTopic;
        add_partition(*topic, 0, {BrokerId(2), BrokerId(1), BrokerId(3)});
        add_partition(*topic, 1, {BrokerId(3)});
        auto topics = std::make_shared<metadata::TopicsImage>();
        topics->by_id = with(topics->by_id, kTopic,
                             std::shared_ptr<const metadata::TopicImage>(std::move(topic)));
        topics->by_name = with(topics->by_name, std::string("t"), kTopic);
        image_.topics = topics;
    }

    template <class Map, class Key, class Value>
    static Map with(const Map& map, Key key, Value value) {
        typename Map::Editor editor(map);
        editor.set(std::move(key), std::move(value));
        return std::move(editor).finish();
    }
    static void add_partition(metadata::TopicImage& topic, std::int32_t index,
                              std::vector<BrokerId> replicas) {
        metadata::PartitionRegistration partition;
        partition.replicas = SharedList<BrokerId>(std::move(replicas));
        topic.partitions = with(topic.partitions, PartitionIndex(index), std::move(partition));
    }
    void add_broker(BrokerId id, std::optional<std::string> rack) {
        auto cluster = std::make_shared<metadata::ClusterImage>(*image_.cluster);
        metadata::BrokerRegistration broker;
        broker.id = id;
        broker.rack = std::move(rack);
        cluster->brokers = with(cluster->brokers, id, std::move(broker));
        image_.cluster = cluster;
    }
    void set(ResourceType type, std::string name, metadata::Configs configs) {
        auto all = std::make_shared<metadata::ConfigsImage>(*image_.configs);
        all->by_resource = with(all->by_resource, metadata::ConfigResource{type, std::move(name)},
                                std::shared_ptr<const metadata::Configs>(
                                    std::make_shared<metadata::Configs>(std::move(configs))));
        image_.configs = all;
    }
    ImageTopics view() const {
        return {image_,
                {.session_timeout_ms = {45'000, 60'000},
                 .heartbeat_interval_ms = {5'000, 15'000},
                 .assignment_interval_ms = {0, 15'000}}};
    }

    static constexpr Uuid kTopic{1, 1};
    metadata::Image image_ = *metadata::Image::empty();
};

TEST_F(ImageTopicsTest, FindsTopicsByNameAndId) {
    const ImageTopics topics = view();
    EXPECT_EQ(topics.find("t")->id, kTopic);
    EXPECT_EQ(topics.find(kTopic)->name, "t");
    EXPECT_EQ(topics.find("t")->partitions, 2);
    EXPECT_FALSE(topics.find("u").has_value());
    std::vector<std::string> names;
    topics.each([&](std::string_view name) { names.emplace_back(name); });
    EXPECT_EQ(names, std::vector<std::string>{"t"});
}

TEST_F(ImageTopicsTest, RacksAreThoseOfTheReplicasInOrder) {
    const ImageTopics topics = view();
    EXPECT_EQ(topics.racks(kTopic, PartitionIndex(0)), (std::vector<std::string>{"east", "west"}));
    EXPECT_TRUE(topics.racks(kTopic, PartitionIndex(1)).empty());
    EXPECT_TRUE(topics.racks(kTopic, PartitionIndex(7)).empty());
    EXPECT_TRUE(topics.racks(Uuid{9, 9}, PartitionIndex(0)).empty());
}

TEST_F(ImageTopicsTest, AGroupsOwnSettingsGoBeforeTheBrokers) {
    set(ResourceType::group, "g", {{"consumer.session.timeout.ms", "50000"}});
    const ConsumerSettings settings = view().settings("g", {});
    EXPECT_EQ(settings.session_timeout_ms, 50'000);
    EXPECT_EQ(settings.heartbeat_interval_ms, 5'000);
    EXPECT_EQ(view().settings("other", {}).session_timeout_ms, 45'000);
}

TEST_F(ImageTopicsTest, WhatLimitsForbidNowIsTheLimit) {
    set(ResourceType::group, "g", {{"consumer.session.timeout.ms", "999999"}});
    EXPECT_EQ(view().settings("g", {}).session_timeout_ms, 60'000);
}

TEST_F(ImageTopicsTest, TheAssignmentIntervalIsTheClustersWhereItIsSet) {
    set(ResourceType::broker, "", {{"group.consumer.assignment.interval.ms", "250"}});
    EXPECT_EQ(view().settings("g", {}).assignment_interval_ms, 250);
    set(ResourceType::group, "g", {{"consumer.assignment.interval.ms", "0"}});
    EXPECT_EQ(view().settings("g", {}).assignment_interval_ms, 0);
}

}  // namespace
}  // namespace milena::drivers
