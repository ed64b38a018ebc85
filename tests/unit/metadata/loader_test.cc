// SPDX-License-Identifier: Apache-2.0
// Images out of committed batches: transactions, snapshots, and the metadata log that a real Apache
// Kafka 4.4 wrote.
#include "milena/metadata/loader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "milena/metadata/features.h"
#include "milena/protocol/records/metadata.h"
#include "milena/record/records.h"
#include "support/golden_archive.h"

namespace milena::metadata {
namespace {

using namespace protocol;

Provenance at(std::int64_t offset) {
    return {Offset(offset), LeaderEpoch(1), 0};
}

/// Applies the records as one batch that begins at `first`.
Result<void> apply(Loader& loader, std::int64_t first, const std::vector<RecordValue>& records) {
    const std::vector<BytesView> values(records.begin(), records.end());
    return loader.apply(values, at(first + static_cast<std::int64_t>(records.size()) - 1));
}

RecordValue feature(std::string_view name) {
    return encode_record(FeatureLevelRecord{name, 1});
}
RecordValue begin() {
    return encode_record(BeginTransactionRecord{});
}
RecordValue end() {
    return encode_record(EndTransactionRecord{});
}
RecordValue abort() {
    return encode_record(AbortTransactionRecord{});
}

TEST(Loader, GivesOneImageForManyBatches) {
    Loader loader(Image::empty());
    ASSERT_TRUE(apply(loader, 0, {feature("a")}));
    ASSERT_TRUE(apply(loader, 1, {feature("b"), encode_record(NoOpRecord{})}));
    const auto update = loader.take();
    ASSERT_TRUE(update);
    EXPECT_EQ(update->before, Image::empty());
    EXPECT_EQ(update->after->features->levels.size(), 2U);
    EXPECT_EQ(update->after->provenance, at(2));
    EXPECT_TRUE(update->changes.features);
    EXPECT_FALSE(loader.take());
}

TEST(Loader, MovesTheOffsetWhenNothingChanges) {
    Loader loader(Image::empty());
    ASSERT_TRUE(loader.apply({}, at(2)));  // a control batch
    const auto update = loader.take();
    ASSERT_TRUE(update);
    EXPECT_TRUE(update->changes.empty());
    EXPECT_EQ(update->after->provenance, at(2));
    EXPECT_TRUE(update->after->same_content(*Image::empty()));
}

TEST(Loader, ShowsATransactionAllAtOnce) {
    Loader loader(Image::empty());
    ASSERT_TRUE(apply(loader, 0, {feature("before"), begin(), feature("a")}));
    auto update = loader.take();
    ASSERT_TRUE(update);
    EXPECT_EQ(update->after->features->levels.size(), 1U);
    EXPECT_EQ(update->after->provenance, at(0));
    ASSERT_TRUE(apply(loader, 3, {feature("b")}));
    EXPECT_FALSE(loader.take());
    EXPECT_TRUE(loader.in_transaction());
    ASSERT_TRUE(apply(loader, 4, {end(), feature("after")}));
    update = loader.take();
    ASSERT_TRUE(update);
    EXPECT_EQ(update->after->features->levels.size(), 4U);
    EXPECT_EQ(update->after->provenance, at(5));
}

TEST(Loader, ForgetsAnAbortedTransaction) {
    Loader loader(Image::empty());
    ASSERT_TRUE(apply(loader, 0, {begin(), feature("a")}));
    ASSERT_TRUE(apply(loader, 2, {abort()}));
    const auto update = loader.take();
    ASSERT_TRUE(update);
    EXPECT_TRUE(update->after->features->levels.empty());
    EXPECT_TRUE(update->changes.empty());
    EXPECT_EQ(update->after->provenance, at(2));
}

TEST(Loader, AbortsATransactionThatBeganBeforeItsImage) {
    Loader loader(Image::empty(), true);
    ASSERT_TRUE(apply(loader, 5, {abort(), feature("a")}));
    EXPECT_EQ(loader.take()->after->features->levels.size(), 1U);
}

TEST(Loader, RefusesMarkersOutOfOrder) {
    Loader twice(Image::empty());
    EXPECT_FALSE(apply(twice, 0, {begin(), begin()}));
    Loader never(Image::empty());
    EXPECT_FALSE(apply(never, 0, {end()}));
}

TEST(Loader, NamesTheOffsetOfABadRecord) {
    Loader loader(Image::empty());
    const auto applied =
        apply(loader, 10, {feature("a"), encode_record(RemoveTopicRecord{Uuid{1, 1}})});
    ASSERT_FALSE(applied);
    EXPECT_THAT(applied.error().why, ::testing::HasSubstr("offset 11"));
}

TEST(Loader, TellsWhatASnapshotChanged) {
    Loader loader(Image::empty());
    ASSERT_TRUE(apply(loader, 0,
                      {feature("a"), encode_record(TopicRecord{"old", Uuid{1, 1}}),
                       encode_record(TopicRecord{"same", Uuid{2, 2}})}));
    loader.take();
    const std::vector<RecordValue> snapshot{feature("a"),
                                            encode_record(TopicRecord{"same", Uuid{2, 2}}),
                                            encode_record(TopicRecord{"new", Uuid{3, 3}})};
    ASSERT_TRUE(
        loader.load_snapshot(std::vector<BytesView>(snapshot.begin(), snapshot.end()), at(99)));
    const auto update = loader.take();
    ASSERT_TRUE(update);
    EXPECT_EQ(update->after->provenance, at(99));
    EXPECT_EQ(update->changes.topics, (std::set<Uuid>{{1, 1}, {3, 3}}));
    EXPECT_FALSE(update->changes.features);
}

// The metadata folder that Apache Kafka 4.4 left after a clean stop.
class ApacheMetadata : public ::testing::Test {
protected:
    static constexpr std::string_view kFolder = "kafka-4.4-logdir/clean/__cluster_metadata-0/";

    static const std::vector<std::byte>& file(std::string_view name) {
        static const auto kFiles = milena::testing::read_golden_archive("kafka-4.4-logdir.tar.zst");
        return kFiles.at(std::string(kFolder) + std::string(name));
    }

    struct Batch {
        std::vector<BytesView> values;
        Provenance end;
    };
    static std::vector<Batch> batches(std::string_view name) {
        std::vector<Batch> result;
        BytesView rest = file(name);
        while (!rest.empty()) {
            const auto batch = record::first_batch(rest);
            if (!batch || !*batch) break;
            Batch one{{},
                      {(*batch)->last_offset(), (*batch)->leader_epoch(),
                       (*batch)->max_timestamp().value}};
            if (!(*batch)->is_control()) {
                const auto read =
                    record::for_each_record(**batch, {}, [&](const record::RecordView& record) {
                        one.values.push_back(*record.value);
                        return true;
                    });
                EXPECT_TRUE(read);
            }
            result.push_back(std::move(one));
            rest = rest.subspan((*batch)->size());
        }
        return result;
    }

    /// The log from its beginning up to an offset, which is not in it.
    static std::shared_ptr<const Image> replay(std::int64_t end) {
        Loader loader(Image::empty());
        for (const Batch& batch : batches("00000000000000000000.log")) {
            if (batch.end.last_offset.value >= end) break;
            const auto applied = loader.apply(batch.values, batch.end);
            EXPECT_TRUE(applied) << (applied ? "" : applied.error().why);
        }
        loader.take();
        return loader.image();
    }
    static std::shared_ptr<const Image> load(std::string_view name, std::int64_t end) {
        std::vector<BytesView> values;
        for (const Batch& batch : batches(name))
            values.insert(values.end(), batch.values.begin(), batch.values.end());
        Loader loader(Image::empty());
        const auto loaded = loader.load_snapshot(values, {Offset(end - 1), LeaderEpoch(1), 0});
        EXPECT_TRUE(loaded) << (loaded ? "" : loaded.error().why);
        loader.take();
        return loader.image();
    }
};

TEST_F(ApacheMetadata, IsReplayedToItsEnd) {
    const auto image = replay(INT64_MAX);
    EXPECT_GT(image->provenance.last_offset, Offset(264));
    EXPECT_EQ(image->features->level(kMetadataVersion), 33);
    EXPECT_EQ(image->features->level("eligible.leader.replicas.version"), 1);
    EXPECT_EQ(image->features->level("share.version"), 2);

    const auto plain = image->topics->find("plain");
    ASSERT_NE(plain, nullptr);
    EXPECT_EQ(plain->id, Uuid::parse("ZlxYtS8HRMSYdsfRdKm8LA"));
    ASSERT_EQ(plain->partitions.size(), 2U);
    EXPECT_EQ(image->topics->find("__consumer_offsets")->partitions.size(), 3U);
    EXPECT_EQ(image->topics->find("gone"), nullptr);

    const auto configs = image->configs->find(ResourceType::topic, "segments");
    EXPECT_EQ(configs->at("internal.segment.bytes"), "16384");
    EXPECT_EQ(configs->size(), 3U);
    EXPECT_EQ(image->configs->find(ResourceType::broker, "")->at("min.insync.replicas"), "1");
    EXPECT_EQ(
        image->configs->find(ResourceType::group, "share-group")->at("share.auto.offset.reset"),
        "earliest");
}

TEST_F(ApacheMetadata, HoldsBrokersUsersQuotasAndAcls) {
    const auto image = replay(INT64_MAX);
    const auto* const broker = image->cluster->find_broker(BrokerId(1));
    ASSERT_NE(broker, nullptr);
    EXPECT_EQ(broker->epoch, BrokerEpoch(237));
    EXPECT_EQ(broker->endpoints,
              (std::vector<BrokerEndpoint>{{"PLAINTEXT", "127.0.0.1", 39092, 0}}));
    EXPECT_EQ(broker->log_directories, (std::vector<Uuid>{*Uuid::parse("DtP_uNMmSvSxLTXiT9_NfQ")}));
    EXPECT_EQ(image->cluster->controllers.at(BrokerId(1)).features.at("metadata.version"),
              (VersionRange{7, 33}));
    EXPECT_EQ(image->next_producer_id, 2000);
    EXPECT_EQ(image->scram->by_user.size(), 2U);
    EXPECT_EQ(image->scram->by_user.at({1, "alice"}).iterations, 4096);
    EXPECT_EQ(image->client_quotas->by_entity.at({{"user", "alice"}}).at("producer_byte_rate"),
              1048576.0);
    const AclEntry& acl = image->acls->by_id.at(*Uuid::parse("OU_DWY3xRVKxyXZo5EKKeA"));
    EXPECT_EQ(acl, (AclEntry{2, "pl", 4, "User:alice", "*", 3, 3}));
}

TEST_F(ApacheMetadata, ReplaysToTheSameImageAsItsSnapshot) {
    const auto from_snapshot = load("00000000000000000191-0000000001.checkpoint", 191);
    const auto from_log = replay(191);
    EXPECT_EQ(*from_snapshot->topics, *from_log->topics);
    EXPECT_EQ(*from_snapshot->configs, *from_log->configs);
    EXPECT_TRUE(from_snapshot->same_content(*from_log));
    EXPECT_TRUE(difference(*from_snapshot, *from_log).empty());
}

TEST_F(ApacheMetadata, FollowsPartitionsThroughAControlledShutdown) {
    // Offsets 204 to 229 shut the only broker down; 240 to 263 elect it again from the eligible
    // replicas.
    const auto down = replay(231)->topics->find("plain")->partitions.at(PartitionIndex(0));
    EXPECT_EQ(down.leader, kNoBroker);
    EXPECT_TRUE(down.in_sync_replicas.empty());
    EXPECT_EQ(down.eligible_leader_replicas, std::vector{BrokerId(1)});
    EXPECT_EQ(down.leader_epoch, LeaderEpoch(1));

    const auto up = replay(265)->topics->find("plain")->partitions.at(PartitionIndex(0));
    EXPECT_EQ(up.leader, BrokerId(1));
    EXPECT_EQ(up.in_sync_replicas, std::vector{BrokerId(1)});
    EXPECT_TRUE(up.eligible_leader_replicas.empty());
    EXPECT_EQ(up.leader_epoch, LeaderEpoch(2));
    EXPECT_EQ(up.partition_epoch, PartitionEpoch(2));
}

TEST_F(ApacheMetadata, TurnsIntoRecordsAndBack) {
    const auto image = replay(INT64_MAX);
    const auto records = records_of(*image);
    Loader loader(Image::empty());
    ASSERT_TRUE(loader.load_snapshot(std::vector<BytesView>(records.begin(), records.end()),
                                     image->provenance));
    loader.take();
    EXPECT_TRUE(loader.image()->same_content(*image));
}

}  // namespace
}  // namespace milena::metadata
