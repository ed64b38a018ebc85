// SPDX-License-Identifier: Apache-2.0
// CreateTopics and DeleteTopics. The errors and their texts are those that a live Apache Kafka 4.4
// gave to the same requests.
#include <map>
#include <set>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "../cluster.h"
#include "milena/protocol/records/metadata.h"

namespace milena::controller {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

NewTopic topic(std::string name, std::int32_t partitions = 1, std::int16_t factor = 1) {
    return {.name = std::move(name), .partition_count = partitions, .replication_factor = factor};
}
NewTopic with_config(std::string key, std::optional<std::string> value) {
    NewTopic result = topic("z");
    result.configs.emplace_back(std::move(key), std::move(value));
    return result;
}
NewTopic with_assignments(std::vector<ManualAssignment> assignments) {
    return {.name = "z", .assignments = std::move(assignments)};
}
ManualAssignment assignment(int partition, std::initializer_list<int> brokers) {
    return {PartitionIndex(partition), broker_ids(brokers)};
}

class TopicsTest : public ::testing::Test {
protected:
    TopicsTest() { cluster_.add_brokers(3); }

    void expect_refused(NewTopic topic, ErrorCode code, std::string_view why) {
        const CreatedTopic refused = cluster_.create(std::move(topic));
        EXPECT_EQ(refused.code, code);
        EXPECT_EQ(refused.why, why);
        EXPECT_TRUE(refused.id.is_zero());
        EXPECT_EQ(refused.partition_count, -1);
        EXPECT_EQ(cluster_.image().topics->find("z"), nullptr);
    }

    Cluster cluster_;
};

TEST_F(TopicsTest, CreatesATopic) {
    const CreatedTopic created = cluster_.create(topic("orders", 6, 2));
    EXPECT_EQ(created.code, ErrorCode::none) << created.why;
    EXPECT_EQ(created.partition_count, 6);
    EXPECT_EQ(created.replication_factor, 2);
    const auto made = cluster_.image().topics->find("orders");
    ASSERT_NE(made, nullptr);
    EXPECT_EQ(made->id, created.id);
    EXPECT_FALSE(made->id.is_reserved());
    ASSERT_EQ(made->partitions.size(), 6U);
    for (const auto& [index, partition] : made->partitions) {
        EXPECT_EQ(partition.replicas.size(), 2U);
        EXPECT_EQ(partition.in_sync_replicas, partition.replicas);
        EXPECT_EQ(partition.leader, partition.replicas.front());
        EXPECT_EQ(partition.leader_epoch, LeaderEpoch(0));
        EXPECT_EQ(partition.partition_epoch, PartitionEpoch(0));
        for (std::size_t i = 0; i < 2; ++i) {
            EXPECT_EQ(partition.directories[i],
                      (Uuid{1, 1000 + static_cast<std::uint64_t>(partition.replicas[i].value)}));
        }
    }
}

TEST_F(TopicsTest, UsesTheDefaultsForMinusOne) {
    Options options = Cluster::default_options();
    options.num_partitions = 4;
    options.default_replication_factor = 3;
    Cluster cluster(options);
    cluster.add_brokers(3);
    const CreatedTopic created = cluster.create(topic("t", -1, -1));
    EXPECT_EQ(created.partition_count, 4);
    EXPECT_EQ(created.replication_factor, 3);
}

TEST_F(TopicsTest, LeavesTheDirectoryOpenWhereABrokerHasSeveral) {
    RegisterBrokerRequest request = cluster_.registration(4);
    request.log_directories.push_back({1, 2000});
    ASSERT_TRUE(cluster_.register_broker(request));
    cluster_.unfence(4);
    cluster_.create("t", {broker_ids({4})});
    EXPECT_THAT(cluster_.partition("t").directories, ElementsAre(Uuid{0, 1}));
}

TEST_F(TopicsTest, ChecksTheName) {
    const auto check = [&](const std::string& name, std::string_view why) {
        const CreatedTopic refused = cluster_.create(topic(name));
        EXPECT_EQ(refused.code, ErrorCode::invalid_topic_exception);
        EXPECT_EQ(refused.why, why);
    };
    check("", "Topic name is invalid: the empty string is not allowed");
    check(".", "Topic name is invalid: '.' is not allowed");
    check("..", "Topic name is invalid: '..' is not allowed");
    check("bad name",
          "Topic name is invalid: 'bad name' contains one or more characters other than ASCII "
          "alphanumerics, '.', '_' and "
          "'-'");
    const std::string longest(249, 'a');
    EXPECT_EQ(cluster_.create(topic(longest)).code, ErrorCode::none);
    check(longest + "a", "Topic name is invalid: the length of '" + longest +
                             "a' is longer than the max allowed length 249");
}

TEST_F(TopicsTest, RefusesTheMetadataTopic) {
    const CreatedTopic refused = cluster_.create(topic("__cluster_metadata"));
    EXPECT_EQ(refused.code, ErrorCode::invalid_request);
    EXPECT_EQ(refused.why, "Creation of internal topic __cluster_metadata is prohibited.");
}

TEST_F(TopicsTest, ChecksTheCounts) {
    constexpr std::string_view kPartitions =
        "Number of partitions was set to an invalid non-positive value.";
    constexpr std::string_view kFactor =
        "Replication factor must be larger than 0, or -1 to use the default value.";
    expect_refused(topic("z", 0, 1), ErrorCode::invalid_partitions, kPartitions);
    expect_refused(topic("z", -2, 1), ErrorCode::invalid_partitions, kPartitions);
    expect_refused(topic("z", 1, 0), ErrorCode::invalid_replication_factor, kFactor);
    expect_refused(topic("z", 1, -2), ErrorCode::invalid_replication_factor, kFactor);
    expect_refused(topic("z", 1, 4), ErrorCode::invalid_replication_factor,
                   "Unable to replicate the partition 4 time(s): The target replication factor of "
                   "4 cannot be reached "
                   "because only 3 broker(s) are registered or some brokers have all their log "
                   "directories cordoned.");
}

TEST_F(TopicsTest, RefusesANameThatExistsOrCollides) {
    cluster_.create(topic("x.y"));
    const CreatedTopic same = cluster_.create(topic("x.y"));
    EXPECT_EQ(same.code, ErrorCode::topic_already_exists);
    EXPECT_EQ(same.why, "Topic 'x.y' already exists.");
    const CreatedTopic collides = cluster_.create(topic("x_y"));
    EXPECT_EQ(collides.code, ErrorCode::invalid_topic_exception);
    EXPECT_EQ(collides.why, "Topic 'x_y' collides with existing topic: x.y");
    EXPECT_EQ(cluster_.create(topic("x-y")).code, ErrorCode::none);
    EXPECT_EQ(cluster_.create(topic("x_yz")).code, ErrorCode::none);
}

TEST_F(TopicsTest, ChecksManualAssignments) {
    using enum ErrorCode;
    constexpr std::string_view kGap = "partitions should be a consecutive 0-based integer sequence";
    expect_refused(with_assignments({assignment(0, {1}), assignment(2, {2})}),
                   invalid_replica_assignment, kGap);
    expect_refused(with_assignments({assignment(1, {1})}), invalid_replica_assignment, kGap);
    expect_refused(with_assignments({assignment(-1, {1})}), invalid_replica_assignment, kGap);
    expect_refused(with_assignments({assignment(0, {1}), assignment(1, {1, 2})}),
                   invalid_replica_assignment,
                   "The manual partition assignment includes a partition with 2 replica(s), but "
                   "this is not consistent "
                   "with previous partitions, which have 1 replica(s).");
    expect_refused(
        with_assignments({assignment(0, {9})}), invalid_replica_assignment,
        "The manual partition assignment includes broker 9, but no such broker is registered.");
    expect_refused(with_assignments({assignment(0, {})}), invalid_replica_assignment,
                   "The manual partition assignment includes an empty replica list.");
    expect_refused(with_assignments({assignment(0, {1, 1})}), invalid_replica_assignment,
                   "The manual partition assignment includes the broker 1 more than once.");
    expect_refused(with_assignments({assignment(0, {1}), assignment(0, {2})}),
                   invalid_replica_assignment,
                   "Found multiple manual partition assignments for partition 0");
    NewTopic counted = with_assignments({assignment(0, {1})});
    counted.partition_count = 1;
    expect_refused(
        counted, invalid_request,
        "A manual partition assignment was specified, but numPartitions was not set to -1.");
    counted.partition_count = -1;
    counted.replication_factor = 1;
    expect_refused(
        counted, invalid_request,
        "A manual partition assignment was specified, but replication factor was not set to -1.");
}

TEST_F(TopicsTest, TakesAManualAssignment) {
    const CreatedTopic created = cluster_.create("m", {broker_ids({1, 2}), broker_ids({2, 3})});
    EXPECT_EQ(created.partition_count, 2);
    EXPECT_EQ(created.replication_factor, 2);
    EXPECT_EQ(cluster_.partition("m", 1).replicas, broker_ids({2, 3}));
    EXPECT_EQ(cluster_.partition("m", 1).leader, BrokerId(2));
}

TEST_F(TopicsTest, StartsWithTheActiveReplicasInSync) {
    cluster_.fence(2);
    cluster_.create("m", {broker_ids({2, 3, 1})});
    EXPECT_EQ(cluster_.partition("m").in_sync_replicas, broker_ids({3, 1}));
    EXPECT_EQ(cluster_.partition("m").leader, BrokerId(3));
    const CreatedTopic refused = cluster_.create("n", {broker_ids({2})});
    EXPECT_EQ(refused.code, ErrorCode::invalid_replica_assignment);
}

TEST_F(TopicsTest, ChecksConfigs) {
    expect_refused(with_config("nope", "1"), ErrorCode::invalid_config,
                   "Unknown topic config name: nope");
    expect_refused(with_config("", "1"), ErrorCode::invalid_config, "Unknown topic config name: ");
    expect_refused(with_config("remote.storage.enable", "TRUE"), ErrorCode::invalid_config,
                   "Tiered Storage functionality is disabled in the broker. Topic cannot be "
                   "configured with remote log storage.");
    expect_refused(with_config("retention.ms", std::nullopt), ErrorCode::invalid_config,
                   "Null value not supported for topic configs: retention.ms");
    for (const auto& [key, value] :
         std::vector<std::pair<std::string, std::string>>{{"retention.ms", "abc"},
                                                          {"segment.bytes", "1"},
                                                          {"cleanup.policy", "foo"},
                                                          {"min.insync.replicas", "0"}}) {
        const CreatedTopic refused = cluster_.create(with_config(key, value));
        EXPECT_EQ(refused.code, ErrorCode::invalid_config);
        EXPECT_THAT(refused.why, HasSubstr(key));
    }
}

TEST_F(TopicsTest, TellsTheConfigsInForceAndTheirSource) {
    NewTopic wanted = topic("t");
    wanted.configs = {{"retention.ms", "5"}};
    const CreatedTopic created = cluster_.create(wanted);
    EXPECT_EQ(created.configs.size(), 37U);
    EXPECT_TRUE(std::ranges::is_sorted(created.configs, {}, &TopicConfigEntry::name));
    const auto entry = [&](std::string_view name) {
        return *std::ranges::find(created.configs, name, &TopicConfigEntry::name);
    };
    EXPECT_EQ(entry("retention.ms"), (TopicConfigEntry{"retention.ms", "5", ConfigSource::topic}));
    EXPECT_EQ(entry("segment.bytes"),
              (TopicConfigEntry{"segment.bytes", "1073741824", ConfigSource::fallback}));
    EXPECT_EQ(entry("min.insync.replicas"),
              (TopicConfigEntry{"min.insync.replicas", "1", ConfigSource::dynamic_default_broker}));
    EXPECT_EQ(
        cluster_.image().configs->find(metadata::ResourceType::topic, "t")->at("retention.ms"),
        "5");
}

TEST_F(TopicsTest, TellsStaticDefaultsInTheUnitOfTheTopic) {
    config::Properties properties{
        "f", {{"log.retention.hours", "2", 1}, {"log.segment.bytes", "2097152", 2}}};
    config::Warnings warnings;
    auto settings = config::Settings::from(properties, warnings);
    ASSERT_TRUE(settings);
    Options options = Cluster::default_options();
    options.settings = std::make_shared<const config::Settings>(std::move(*settings));
    Cluster cluster(options);
    cluster.add_brokers(1);
    const CreatedTopic created = cluster.create(topic("t"));
    const auto entry = [&](std::string_view name) {
        return *std::ranges::find(created.configs, name, &TopicConfigEntry::name);
    };
    EXPECT_EQ(entry("retention.ms"),
              (TopicConfigEntry{"retention.ms", "7200000", ConfigSource::static_broker}));
    EXPECT_EQ(entry("segment.bytes"),
              (TopicConfigEntry{"segment.bytes", "2097152", ConfigSource::static_broker}));
}

TEST_F(TopicsTest, ClearsEligibleReplicasWithANewMinimum) {
    NewTopic wanted = topic("t");
    wanted.configs = {{"min.insync.replicas", "2"}};
    cluster_.create(wanted);
    std::vector<std::int16_t> types;
    for (std::size_t i = cluster_.log().size() - 4; i < cluster_.log().size(); ++i) {
        types.push_back(metadata::read_frame(cluster_.log()[i])->type);
    }
    EXPECT_THAT(types,
                ElementsAre(protocol::TopicRecord::kKey, protocol::ConfigRecord::kKey,
                            protocol::ClearElrRecord::kKey, protocol::PartitionRecord::kKey));
}

TEST_F(TopicsTest, OnlyValidatesWhenAskedTo) {
    CreateTopicsRequest request{.topics = {topic("t", 2, 2), topic("u", 0, 1)},
                                .validate_only = true};
    const auto decision = cluster_.controller().create_topics(request);
    EXPECT_TRUE(decision.records.empty());
    EXPECT_EQ(decision.reply.topics[0].code, ErrorCode::none);
    EXPECT_EQ(decision.reply.topics[0].partition_count, 2);
    EXPECT_EQ(decision.reply.topics[1].code, ErrorCode::invalid_partitions);
}

TEST_F(TopicsTest, RefusesATopicThatIsNamedTwiceAndCreatesTheOthers) {
    CreateTopicsRequest request{.topics = {topic("d"), topic("e"), topic("d")}};
    const auto reply = cluster_.commit(cluster_.controller().create_topics(request));
    ASSERT_EQ(reply.topics.size(), 2U);
    EXPECT_EQ(reply.topics[0].code, ErrorCode::invalid_request);
    EXPECT_EQ(reply.topics[0].why, "Duplicate topic name.");
    EXPECT_EQ(reply.topics[1].code, ErrorCode::none);
    EXPECT_EQ(cluster_.image().topics->find("d"), nullptr);
    EXPECT_NE(cluster_.image().topics->find("e"), nullptr);
}

TEST_F(TopicsTest, BoundsPartitionsAndRecordsOfARequest) {
    const auto create = [&](std::vector<NewTopic> topics) {
        return cluster_.controller()
            .create_topics({.topics = std::move(topics), .validate_only = true})
            .reply.topics;
    };
    EXPECT_EQ(create({topic("z", 9999)}).front().code, ErrorCode::none);
    EXPECT_EQ(create({topic("z", 10'001)}).front().why,
              "Excessively large number of partitions per request.");
    for (const CreatedTopic& refused : create({topic("a", 5000), topic("b", 5001)})) {
        EXPECT_EQ(refused.code, ErrorCode::policy_violation);
    }
    NewTopic one_record_more = topic("z", 9999);
    one_record_more.configs = {{"retention.ms", "1"}};
    const auto refused = create({one_record_more});
    EXPECT_EQ(refused.front().code, ErrorCode::policy_violation);
    EXPECT_EQ(refused.front().why, "Unable to perform excessively large batch operation.");
}

/// What became of each topic, by what it is called in the answer: its name, else its id.
std::map<std::string, std::pair<ErrorCode, std::string>> by_name(
    const std::vector<DeletedTopic>& deleted) {
    std::map<std::string, std::pair<ErrorCode, std::string>> out;
    for (const DeletedTopic& topic : deleted)
        out[topic.name.empty() ? fmt::format("{}", topic.id) : topic.name] = {topic.code,
                                                                              topic.why};
    EXPECT_EQ(out.size(), deleted.size());
    return out;
}

TEST_F(TopicsTest, DeletesByNameAndById) {
    const Uuid id = cluster_.create(topic("t")).id;
    cluster_.create(topic("u"));
    const std::vector<TopicToDelete> wanted{{"", id}, {"u", {}}, {"missing", {}}, {"", {9, 9}}};
    const auto deleted = by_name(cluster_.commit(cluster_.controller().delete_topics(wanted)));
    EXPECT_EQ(deleted.at("t").first, ErrorCode::none);
    EXPECT_EQ(deleted.at("u").first, ErrorCode::none);
    EXPECT_EQ(deleted.at("missing").first, ErrorCode::unknown_topic_or_partition);
    EXPECT_EQ(deleted.at(fmt::format("{}", Uuid{9, 9})).first, ErrorCode::unknown_topic_id);
    EXPECT_TRUE(cluster_.image().topics->by_name.empty());
    EXPECT_EQ(cluster_.create(topic("t")).code, ErrorCode::none);
}

TEST_F(TopicsTest, DeletesNothingThatIsNamedTwice) {
    const Uuid t = cluster_.create(topic("t")).id;
    const Uuid u = cluster_.create(topic("u")).id;
    const Uuid v = cluster_.create(topic("v")).id;
    cluster_.create(topic("w"));
    const std::vector<TopicToDelete> wanted{{"t", {}}, {"", u},   {"t", {}}, {"", u},
                                            {"", v},   {"w", {}}, {"v", {}}};
    const auto deleted = by_name(cluster_.commit(cluster_.controller().delete_topics(wanted)));
    using Told = std::pair<ErrorCode, std::string>;
    EXPECT_EQ(deleted.at("t"), Told(ErrorCode::invalid_request, "Duplicate topic name."));
    EXPECT_EQ(deleted.at(fmt::format("{}", u)),
              Told(ErrorCode::invalid_request, "Duplicate topic id."));
    EXPECT_EQ(deleted.at("v"),
              Told(ErrorCode::invalid_request,
                   "The provided topic name maps to an ID that was already supplied."));
    EXPECT_EQ(deleted.at("w").first, ErrorCode::none);
    EXPECT_EQ(deleted.size(), 4U);
    EXPECT_TRUE(cluster_.image().topics->by_id.contains(t));
    EXPECT_TRUE(cluster_.image().topics->by_id.contains(v));
}

TEST_F(TopicsTest, DeletesNothingWhereThatIsForbidden) {
    Options options = Cluster::default_options();
    options.delete_topic_enable = false;
    Cluster cluster(options);
    cluster.add_brokers(1);
    cluster.create(topic("t"));
    const std::vector<TopicToDelete> wanted{{"t", {}}};
    EXPECT_EQ(cluster.commit(cluster.controller().delete_topics(wanted)).front().code,
              ErrorCode::topic_deletion_disabled);
}

}  // namespace
}  // namespace milena::controller
