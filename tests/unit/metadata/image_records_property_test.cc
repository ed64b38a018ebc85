// SPDX-License-Identifier: Apache-2.0
// Any image, turned into records and replayed, is the same image; and what differs between two
// images is found.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include "milena/metadata/features.h"
#include "milena/metadata/loader.h"
#include "milena/protocol/records/metadata.h"

namespace milena::metadata {
namespace {

int below(int bound) {
    return *rc::gen::inRange(0, bound);
}
std::string any_name() {
    return std::string(1, static_cast<char>('a' + below(6)));
}
Uuid any_id() {
    return {1, static_cast<std::uint64_t>(100 + below(1000))};
}
std::vector<BrokerId> any_brokers() {
    std::vector<BrokerId> brokers;
    for (int count = below(4); count > 0; --count) brokers.emplace_back(below(5));
    return brokers;
}

PartitionRegistration any_partition() {
    PartitionRegistration partition;
    partition.replicas = any_brokers();
    std::vector<Uuid> directories(partition.replicas.size());
    for (Uuid& directory : directories) directory = any_id();
    partition.directories = directories;
    partition.in_sync_replicas = any_brokers();
    partition.removing_replicas = any_brokers();
    partition.adding_replicas = any_brokers();
    partition.eligible_leader_replicas = any_brokers();
    partition.last_known_eligible_leader_replicas = any_brokers();
    partition.leader = BrokerId(below(6) - 1);
    partition.is_recovering = below(2) == 0;
    partition.leader_epoch = LeaderEpoch(below(100));
    partition.partition_epoch = PartitionEpoch(below(100));
    return partition;
}

std::shared_ptr<const TopicsImage> any_topics() {
    auto topics = std::make_shared<TopicsImage>();
    decltype(topics->by_id)::Editor by_id(topics->by_id);
    decltype(topics->by_name)::Editor by_name(topics->by_name);
    for (int number = below(5); number > 0; --number) {
        TopicImage topic{
            any_name() + std::to_string(number), {2, static_cast<std::uint64_t>(number)}, {}};
        decltype(topic.partitions)::Editor partitions(topic.partitions);
        for (int index = below(4); index > 0; --index)
            partitions.set(PartitionIndex(index - 1), any_partition());
        topic.partitions = std::move(partitions).finish();
        by_name.set(topic.name, topic.id);
        by_id.set(topic.id, std::make_shared<const TopicImage>(topic));
    }
    topics->by_id = std::move(by_id).finish();
    topics->by_name = std::move(by_name).finish();
    return topics;
}

std::shared_ptr<const ClusterImage> any_cluster() {
    auto cluster = std::make_shared<ClusterImage>();
    decltype(cluster->brokers)::Editor brokers(cluster->brokers);
    for (int id = below(4); id > 0; --id) {
        BrokerRegistration broker;
        broker.id = BrokerId(id);
        broker.epoch = BrokerEpoch(below(1000));
        broker.incarnation_id = any_id();
        broker.endpoints = {{"PLAIN", any_name(), static_cast<std::uint16_t>(below(65536)), 0}};
        broker.features = {{any_name(), {0, 3}}};
        if (below(2) == 0) broker.rack = any_name();
        broker.fenced = below(2) == 0;
        broker.in_controlled_shutdown = below(2) == 0;
        broker.log_directories = {any_id()};
        if (below(2) == 0)
            broker.cordoned_log_directories =
                std::vector<Uuid>(static_cast<std::size_t>(below(2)), any_id());
        brokers.set(broker.id, broker);
        cluster->controllers.emplace(
            broker.id, ControllerRegistration{broker.id, any_id(), broker.endpoints, {}});
    }
    cluster->brokers = std::move(brokers).finish();
    return cluster;
}

std::shared_ptr<const ConfigsImage> any_configs() {
    auto configs = std::make_shared<ConfigsImage>();
    decltype(configs->by_resource)::Editor resources(configs->by_resource);
    for (int count = below(5); count > 0; --count) {
        const ResourceType type = below(2) == 0 ? ResourceType::topic : ResourceType::broker;
        resources.set(
            {type, below(3) == 0 ? "" : any_name()},
            std::make_shared<const Configs>(Configs{{any_name(), any_name()}, {"key", ""}}));
    }
    configs->by_resource = std::move(resources).finish();
    return configs;
}

void add_access(Image& image) {
    ClientQuotasImage quotas;
    for (int count = below(3); count > 0; --count) {
        QuotaEntity entity{{"user", any_name()}};
        if (below(2) == 0) entity.emplace("client-id", std::nullopt);
        quotas.by_entity[entity][any_name()] = below(1000);
    }
    image.client_quotas = std::make_shared<const ClientQuotasImage>(quotas);

    AclsImage acls;
    decltype(acls.by_id)::Editor by_id(acls.by_id);
    for (int count = below(3); count > 0; --count)
        by_id.set(any_id(), {2, any_name(), 3, "User:a", "*", 3, 3});
    acls.by_id = std::move(by_id).finish();
    image.acls = std::make_shared<const AclsImage>(acls);

    ScramImage scram;
    for (int count = below(3); count > 0; --count) {
        scram.by_user.insert_or_assign({1, any_name()},
                                       ScramCredential{{std::byte{1}}, {std::byte{2}}, {}, 4096});
    }
    image.scram = std::make_shared<const ScramImage>(scram);

    DelegationTokensImage tokens;
    for (int count = below(3); count > 0; --count) {
        tokens.by_id.insert_or_assign(
            any_name(), DelegationToken{"User:a", "User:b", {"User:c"}, 1, 2, below(9)});
    }
    image.delegation_tokens = std::make_shared<const DelegationTokensImage>(tokens);
}

std::shared_ptr<const Image> any_image() {
    auto image = std::make_shared<Image>(*Image::empty());
    auto features = std::make_shared<FeaturesImage>();
    features->levels = {{std::string(kMetadataVersion), 33},
                        {any_name(), static_cast<std::int16_t>(1 + below(3))}};
    image->features = features;
    image->cluster = any_cluster();
    image->topics = any_topics();
    image->configs = any_configs();
    image->next_producer_id = below(3) * 1000;
    add_access(*image);
    return image;
}

RC_GTEST_PROP(RecordsOf, MakeTheSameImageAgain, ()) {
    const auto image = any_image();
    Delta delta(Image::empty());
    for (const RecordValue& record : records_of(*image)) {
        const auto applied = delta.apply(record);
        RC_ASSERT(applied.has_value());
    }
    const Changes told = delta.changes();
    const auto again = std::move(delta).finish(image->provenance);
    RC_ASSERT(again->same_content(*image));
    RC_ASSERT(told == difference(*Image::empty(), *image));
}

RC_GTEST_PROP(Difference, IsEmptyExactlyBetweenEqualImages, ()) {
    const auto a = any_image();
    const auto b = any_image();
    RC_ASSERT(difference(*a, *b).empty() == a->same_content(*b));
    RC_ASSERT(difference(*a, *a).empty());
    RC_ASSERT(difference(*a, *b) == difference(*b, *a));
}

/// An old cluster's snapshot holds nothing that its metadata.version does not know.
TEST(RecordsOf, WritesOldVersionsAtAnOldLevel) {
    auto image = std::make_shared<Image>(*Image::empty());
    auto features = std::make_shared<FeaturesImage>();
    features->levels = {{std::string(kMetadataVersion), 7}};
    image->features = features;
    auto cluster = std::make_shared<ClusterImage>();
    BrokerRegistration old;
    old.id = BrokerId(1);
    old.log_directories = {{1, 100}};
    decltype(cluster->brokers)::Editor brokers(cluster->brokers);
    brokers.set(old.id, old);
    cluster->brokers = std::move(brokers).finish();
    cluster->controllers[BrokerId(1)].id = BrokerId(1);
    image->cluster = cluster;
    const auto records = records_of(*image);
    ASSERT_EQ(records.size(), 2U) << "a feature and a broker, no controller";
    const auto broker = read_frame(records[1]);
    ASSERT_TRUE(broker);
    EXPECT_EQ(broker->type, protocol::RegisterBrokerRecord::kKey);
    EXPECT_EQ(broker->version, 1);
}

}  // namespace
}  // namespace milena::metadata
