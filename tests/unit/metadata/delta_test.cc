// SPDX-License-Identifier: Apache-2.0
// What each record does to an image, and which records are refused.
#include "milena/metadata/delta.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "milena/metadata/features.h"
#include "milena/protocol/message_type.h"
#include "milena/protocol/records/metadata.h"

namespace milena::metadata {
namespace {

using namespace protocol;
using ::testing::ElementsAre;
using ::testing::IsEmpty;

constexpr Uuid kTopic{7, 7};

std::vector<BrokerId> brokers(std::initializer_list<std::int32_t> ids) {
    std::vector<BrokerId> result;
    for (const std::int32_t id : ids) result.emplace_back(id);
    return result;
}

class DeltaTest : public ::testing::Test {
protected:
    template <class Record>
    Result<void> try_apply(const Record& record) {
        Delta delta(image_);
        TRY_VOID(delta.apply(encode_record(record)));
        changes_ = delta.changes();
        image_ = std::move(delta).finish({});
        return ok();
    }
    template <class Record>
    void apply(const Record& record) {
        const Result<void> applied = try_apply(record);
        ASSERT_TRUE(applied) << applied.error().why;
    }
    template <class Record>
    void expect_refused(const Record& record, ErrorCode code = ErrorCode::invalid_record) {
        const Result<void> applied = try_apply(record);
        ASSERT_FALSE(applied);
        EXPECT_EQ(applied.error().code, code);
    }

    /// A topic "t" with partition 0 on brokers 1, 2, 3, led by 1 in epoch 5, partition epoch 9.
    void make_topic() {
        apply(TopicRecord{"t", kTopic});
        const std::vector<std::int32_t> replicas{1, 2, 3};
        const std::vector<Uuid> directories{{0, 101}, {0, 102}, {0, 103}};
        PartitionRecord record;
        record.partition_id = 0;
        record.topic_id = kTopic;
        record.replicas = replicas;
        record.isr = replicas;
        record.leader = 1;
        record.leader_epoch = 5;
        record.partition_epoch = 9;
        record.directories = directories;
        apply(record);
    }
    const PartitionRegistration& partition() const {
        return image_->topics->find("t")->partitions.at(PartitionIndex(0));
    }
    static PartitionChangeRecord change_of_partition() {
        PartitionChangeRecord record;
        record.partition_id = 0;
        record.topic_id = kTopic;
        return record;
    }
    void register_broker(std::int32_t id, std::int64_t epoch) {
        RegisterBrokerRecord record;
        record.broker_id = id;
        record.broker_epoch = epoch;
        apply(record);
    }

    std::shared_ptr<const Image> image_ = Image::empty();
    Changes changes_;
};

TEST(Delta, TakesEveryRecordOfTheSchemaInEveryVersion) {
    // A record of defaults is either applied or found to contradict the empty image; it is never
    // unknown or unreadable.
    Arena arena;
    int types = 0;
    for (const MessageType* const type : message_types()) {
        // Records of tiered storage are of the same kind but have a log of their own.
        if (type->kind != MessageKind::metadata || type->name.starts_with("Remote")) continue;
        ++types;
        for (std::int16_t version = type->min_version; version <= type->max_version; ++version) {
            RecordValue value;
            append_frame(value, type->key, version);
            ASSERT_TRUE(append_message(*type, make_message(*type, arena), version, value, nullptr))
                << type->name;
            const Result<void> applied = Delta(Image::empty()).apply(value);
            if (!applied)
                EXPECT_EQ(applied.error().code, ErrorCode::invalid_record)
                    << type->name << applied.error().why;
        }
    }
    EXPECT_EQ(types, 27);
}

TEST(Delta, RefusesWhatIsNewerThanItKnows) {
    std::vector<std::byte> newer_version;
    append_frame(newer_version, TopicRecord::kKey, TopicRecord::kMaxVersion + 1);
    EXPECT_EQ(Delta(Image::empty()).apply(newer_version).error().code,
              ErrorCode::unsupported_version);

    std::vector<std::byte> newer_type;
    append_frame(newer_type, 99, 0);
    EXPECT_EQ(Delta(Image::empty()).apply(newer_type).error().code, ErrorCode::unsupported_version);
}

TEST(Delta, RefusesEveryPrefixOfARecord) {
    const RecordValue value = encode_record(TopicRecord{"topic", kTopic});
    for (std::size_t size = 0; size < value.size(); ++size) {
        EXPECT_FALSE(Delta(Image::empty()).apply(BytesView(value).first(size))) << size;
    }
}

TEST_F(DeltaTest, MakesATopicWithItsPartitions) {
    make_topic();
    EXPECT_EQ(image_->topics->find(kTopic), image_->topics->find("t"));
    EXPECT_EQ(partition().replicas, brokers({1, 2, 3}));
    EXPECT_EQ(partition().leader, BrokerId(1));
    EXPECT_EQ(partition().directories[2], (Uuid{0, 103}));
    EXPECT_THAT(changes_.topics, ElementsAre(kTopic));
    expect_refused(TopicRecord{"t", Uuid{8, 8}});
    expect_refused(TopicRecord{"u", kTopic});
}

TEST_F(DeltaTest, RaisesTheLeaderEpochOnlyWithALeader) {
    make_topic();
    const std::vector<std::int32_t> isr{1, 2};
    PartitionChangeRecord shrink = change_of_partition();
    shrink.isr = isr;
    apply(shrink);
    EXPECT_EQ(partition().in_sync_replicas, brokers({1, 2}));
    EXPECT_EQ(partition().leader_epoch, LeaderEpoch(5));
    EXPECT_EQ(partition().partition_epoch, PartitionEpoch(10));

    PartitionChangeRecord elect = change_of_partition();
    elect.leader = 2;
    apply(elect);
    EXPECT_EQ(partition().leader, BrokerId(2));
    EXPECT_EQ(partition().leader_epoch, LeaderEpoch(6));
    EXPECT_EQ(partition().partition_epoch, PartitionEpoch(11));
}

TEST_F(DeltaTest, KeepsTheDirectoriesOfReplicasThatStay) {
    make_topic();
    const std::vector<std::int32_t> replicas{3, 4};
    PartitionChangeRecord move = change_of_partition();
    move.replicas = replicas;
    apply(move);
    EXPECT_THAT(partition().directories, ElementsAre(Uuid{0, 103}, Uuid{0, 1}));
}

TEST_F(DeltaTest, ClearsEligibleReplicasOfOneTopicOrOfAll) {
    for (const std::string_view name : {"t", ""}) {
        image_ = Image::empty();
        make_topic();
        const std::vector<std::int32_t> eligible{3};
        PartitionChangeRecord change = change_of_partition();
        change.eligible_leader_replicas = eligible;
        change.last_known_elr = eligible;
        apply(change);
        ASSERT_EQ(partition().eligible_leader_replicas, brokers({3}));

        apply(ClearElrRecord{name});
        EXPECT_THAT(partition().eligible_leader_replicas, IsEmpty());
        EXPECT_THAT(partition().last_known_eligible_leader_replicas, IsEmpty());
        EXPECT_EQ(partition().partition_epoch, PartitionEpoch(11));
        apply(ClearElrRecord{name});
        EXPECT_EQ(partition().partition_epoch, PartitionEpoch(11))
            << "nothing to clear, nothing changed";
    }
    expect_refused(ClearElrRecord{"missing"});
}

TEST_F(DeltaTest, RemovesATopicWithItsConfiguration) {
    make_topic();
    apply(ConfigRecord{2, "t", "retention.ms", "1"});
    EXPECT_EQ(image_->configs->find(ResourceType::topic, "t")->at("retention.ms"), "1");
    apply(RemoveTopicRecord{kTopic});
    EXPECT_EQ(image_->topics->find("t"), nullptr);
    EXPECT_EQ(image_->topics->by_id.size() + image_->topics->by_name.size() +
                  image_->configs->by_resource.size(),
              0U);
    EXPECT_EQ(changes_.configs.size(), 1U);
    expect_refused(RemoveTopicRecord{kTopic});
}

TEST_F(DeltaTest, MakesAndRemovesATopicOfTheSameNameInOneStep) {
    make_topic();
    Delta delta(image_);
    ASSERT_TRUE(delta.apply(encode_record(RemoveTopicRecord{kTopic})));
    ASSERT_TRUE(delta.apply(encode_record(TopicRecord{"t", Uuid{9, 9}})));
    image_ = std::move(delta).finish({});
    EXPECT_EQ(image_->topics->find("t")->id, (Uuid{9, 9}));
    EXPECT_EQ(image_->topics->find(kTopic), nullptr);
}

TEST_F(DeltaTest, FollowsTheLifeOfABroker) {
    register_broker(1, 100);
    EXPECT_FALSE(image_->cluster->is_active(BrokerId(1)));
    BrokerRegistrationChangeRecord change;
    change.broker_id = 1;
    change.broker_epoch = 100;
    change.fenced = -1;
    apply(change);
    EXPECT_TRUE(image_->cluster->is_active(BrokerId(1)));
    change.fenced = 0;
    change.in_controlled_shutdown = 1;
    apply(change);
    EXPECT_FALSE(image_->cluster->is_active(BrokerId(1)));
    EXPECT_FALSE(image_->cluster->find_broker(BrokerId(1))->fenced);
    apply(FenceBrokerRecord{1, 100});
    EXPECT_TRUE(image_->cluster->find_broker(BrokerId(1))->fenced);

    expect_refused(UnfenceBrokerRecord{1, 99});
    expect_refused(UnregisterBrokerRecord{2, 100});
    apply(UnregisterBrokerRecord{1, 100});
    EXPECT_EQ(image_->cluster->find_broker(BrokerId(1)), nullptr);
    EXPECT_THAT(changes_.brokers, ElementsAre(BrokerId(1)));
}

TEST_F(DeltaTest, KeepsFeaturesQuotasUsersTokensAndIds) {
    apply(FeatureLevelRecord{kMetadataVersion, 33});
    apply(FeatureLevelRecord{"group.version", 1});
    apply(FeatureLevelRecord{"group.version", 0});
    EXPECT_EQ(image_->features->level(kMetadataVersion), 33);
    EXPECT_EQ(image_->features->levels.size(), 1U);

    const std::vector<ClientQuotaRecord::EntityData> entity{{"user", "alice"}, {"client-id", {}}};
    apply(ClientQuotaRecord{entity, "producer_byte_rate", 1024, false});
    EXPECT_EQ(image_->client_quotas->by_entity.at({{"user", "alice"}, {"client-id", std::nullopt}})
                  .at("producer_byte_rate"),
              1024);
    apply(ClientQuotaRecord{entity, "producer_byte_rate", 0, true});
    EXPECT_TRUE(image_->client_quotas->by_entity.empty());

    apply(UserScramCredentialRecord{"alice", 1, as_bytes("salt"), as_bytes("stored"),
                                    as_bytes("server"), 4096});
    EXPECT_EQ(image_->scram->by_user.at({1, "alice"}).iterations, 4096);
    apply(RemoveUserScramCredentialRecord{"alice", 1});
    EXPECT_TRUE(image_->scram->by_user.empty());

    DelegationTokenRecord token;
    token.token_id = "id";
    token.owner = "User:bob";
    apply(token);
    EXPECT_EQ(image_->delegation_tokens->by_id.at("id").owner, "User:bob");
    apply(RemoveDelegationTokenRecord{"id"});
    EXPECT_TRUE(image_->delegation_tokens->by_id.empty());

    apply(ProducerIdsRecord{1, 1, 2000});
    EXPECT_EQ(image_->next_producer_id, 2000);
}

TEST_F(DeltaTest, SharesTheAspectsThatDidNotChange) {
    make_topic();
    const auto before = image_;
    apply(ConfigRecord{2, "t", "retention.ms", "1"});
    EXPECT_EQ(image_->topics, before->topics);
    EXPECT_EQ(image_->cluster, before->cluster);
    EXPECT_NE(image_->configs, before->configs);
    EXPECT_EQ(difference(*before, *image_), changes_);
}

}  // namespace
}  // namespace milena::metadata
