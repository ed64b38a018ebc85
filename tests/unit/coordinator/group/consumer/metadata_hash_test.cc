// SPDX-License-Identifier: Apache-2.0
// Hashes that Apache Kafka 4.4.0 has written for the same topics, on a broker in rack r1.
#include "group/consumer/metadata_hash.h"

#include <gtest/gtest.h>

#include "group/consumer/consumer_table.h"

namespace milena::coordinator::test {
namespace {

class OneRack final : public TopicsView {
public:
    std::vector<Topic> topics;

    std::optional<Topic> find(std::string_view name) const override {
        for (const Topic& topic : topics) {
            if (topic.name == name) return topic;
        }
        return std::nullopt;
    }
    std::optional<Topic> find(Uuid) const override { return std::nullopt; }
    std::vector<std::string> racks(Uuid, PartitionIndex) const override { return {"r1"}; }
    void each(const std::function<void(std::string_view)>&) const override {}
    ConsumerSettings settings(std::string_view, const ConsumerSettings& broker) const override {
        return broker;
    }
};

/// The group's hash with a member that subscribes to all of these.
std::int64_t hash_of_all(const std::vector<TopicsView::Topic>& topics) {
    auto view = std::make_shared<OneRack>();
    view->topics = topics;
    DueByTime due;
    ConsumerTable table(due);
    table.follow(view, {});
    ConsumerGroup& group = table.make("g");
    MemberMetadata member;
    for (const auto& topic : topics) member.topics.emplace_back(topic.name);
    group.apply(MetadataChange{"m", member});
    return metadata_hash(table, group);
}

TEST(MetadataHash, IsKafkas) {
    const TopicsView::Topic t{"gd.t", *Uuid::parse("sqnH6LN0QBiMHnVtlX5vSQ"), 3};
    const TopicsView::Topic u{"gd.u", *Uuid::parse("GqMiHE5qQG2qtQkIZYvHCg"), 2};
    EXPECT_EQ(hash_of_all({u}), -5753430576203979047);
    EXPECT_EQ(hash_of_all({t, u}), 8614773707231425937);
    EXPECT_EQ(hash_of_all({{"ga1.t", *Uuid::parse("RUqnsza6T4ygvSNuU1eU5g"), 4}}),
              -4733130725371392417);
}

TEST(MetadataHash, OfNothingIsNone) {
    EXPECT_EQ(hash_of_all({}), 0);
}

}  // namespace
}  // namespace milena::coordinator::test
