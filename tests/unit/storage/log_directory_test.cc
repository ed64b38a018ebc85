// SPDX-License-Identifier: Apache-2.0
// A log directory: lock, identity, marker, partition directories, checkpoints.
#include "milena/storage/log_directory.h"

#include <gtest/gtest.h>

#include "milena/storage/log.h"
#include "sim/world.h"
#include "support/batches.h"

namespace milena::storage {
namespace {

constexpr Uuid kTopicId{0x1234, 0x5678};

class LogDirectoryTest : public ::testing::Test {
protected:
    void write(std::string_view name, std::string_view content) {
        const std::string path = fmt::format("/data/{}", name);
        ASSERT_TRUE(node.files().create_directories(path.substr(0, path.rfind('/'))));
        ASSERT_TRUE((*node.files().open(path, env::OpenMode::create_empty))
                        ->write_at(0, as_bytes(content)));
    }
    std::string read(std::string_view name) {
        return env::read_file(node.files(), fmt::format("/data/{}", name), 1 << 20).value();
    }

    sim::World world{1};
    sim::Node& node{world.add_node("n1")};
    std::unique_ptr<LogDirectory> directory = *LogDirectory::open(node, Logger(), "/data");
};

TEST_F(LogDirectoryTest, IsHeldByOneProcess) {
    const auto second = LogDirectory::open(node, Logger(), "/data");
    ASSERT_FALSE(second);
    EXPECT_TRUE(second.error().why.contains("/data")) << second.error().why;
    directory.reset();
    EXPECT_TRUE(LogDirectory::open(node, Logger(), "/data"));
}

TEST_F(LogDirectoryTest, IsEmptyWithNothingButItsLock) {
    EXPECT_EQ(directory->is_empty(), true);
    ASSERT_TRUE(node.files().create_directories("/data/lost+found"));
    EXPECT_EQ(directory->is_empty(), true);
    write("x", "");
    EXPECT_EQ(directory->is_empty(), false);
}

TEST_F(LogDirectoryTest, RemembersWhoItBelongsTo) {
    EXPECT_EQ(*directory->meta(), std::nullopt);
    const MetaProperties meta{"cluster:1", BrokerId(7), kTopicId};
    ASSERT_TRUE(directory->write_meta(meta));
    EXPECT_EQ(*directory->meta(), meta);
    EXPECT_TRUE(
        read("meta.properties")
            .ends_with(fmt::format(
                "\ncluster.id=cluster\\:1\ndirectory.id={}\nnode.id=7\nversion=1\n", kTopicId)));
}

TEST_F(LogDirectoryTest, AnIdentityThatCanNotBeReadNamesItsFault) {
    const auto fault = [&](std::string_view text) {
        write("meta.properties", text);
        return directory->meta().error().why;
    };
    EXPECT_EQ(fault("version=1\nnode.id=1\n"), "/data/meta.properties: cluster.id is missing");
    EXPECT_EQ(fault("version=0\nbroker.id=1\n"), "/data/meta.properties: version 0 is not 1");
    EXPECT_EQ(fault("version=1\nnode.id=x\ncluster.id=c\n"),
              "/data/meta.properties: node.id x is no node id");
    EXPECT_EQ(fault("#\n\nhello\n"), "/data/meta.properties:3: expected key=value");
}

TEST_F(LogDirectoryTest, TheMarkerOfACleanStopIsTakenOnce) {
    EXPECT_EQ(*directory->take_clean_shutdown(), std::nullopt);
    ASSERT_TRUE(directory->mark_clean_shutdown(BrokerEpoch(15)));
    EXPECT_EQ(read(".kafka_cleanshutdown"), R"({"version":0,"brokerEpoch":15})");
    EXPECT_EQ(*directory->take_clean_shutdown(), BrokerEpoch(15));
    world.crash(node, sim::Crash::power);
    world.restart(node);
    directory = *LogDirectory::open(node, Logger(), "/data");
    EXPECT_EQ(*directory->take_clean_shutdown(), std::nullopt);
}

TEST_F(LogDirectoryTest, AMarkerWithoutEpochIsACleanStopToo) {
    for (const char* text : {"", "{}", R"({"brokerEpoch"})", R"({"brokerEpoch": "x"})"}) {
        write(".kafka_cleanshutdown", text);
        EXPECT_EQ(*directory->take_clean_shutdown(), BrokerEpoch(-1)) << text;
    }
    write(".kafka_cleanshutdown", R"({ "brokerEpoch" : 9 , "version":0})");
    EXPECT_EQ(*directory->take_clean_shutdown(), BrokerEpoch(9));
}

TEST_F(LogDirectoryTest, APartitionsDirectoryKeepsItsTopicId) {
    const TopicPartition partition{"a.b-c", PartitionIndex(3)};
    EXPECT_EQ(directory->prepare_partition(partition, kTopicId), "/data/a.b-c-3");
    EXPECT_EQ(read("a.b-c-3/partition.metadata"),
              fmt::format("version: 0\ntopic_id: {}", kTopicId));
    EXPECT_EQ(directory->prepare_partition(partition, kTopicId), "/data/a.b-c-3");
    EXPECT_EQ(directory->prepare_partition(partition, {9, 9}).error().code,
              ErrorCode::inconsistent_topic_id);
    const auto found = *directory->find_partitions();
    ASSERT_EQ(found.size(), 1U);
    EXPECT_EQ(found[0].partition, partition);
    EXPECT_EQ(found[0].topic_id, kTopicId);
}

TEST_F(LogDirectoryTest, APartitionWhoseLogWasSyncedSurvivesAPowerCutWithItsTopicId) {
    ASSERT_TRUE(node.files().sync_directory("/"));
    const auto path = directory->prepare_partition({"t", PartitionIndex(0)}, kTopicId);
    const auto log = *Log::open(node, Logger(), *path, {}, {});
    ASSERT_TRUE(log->append(support::plain_batch(0, 1, 1)));
    ASSERT_TRUE(log->flush());
    world.crash(node, sim::Crash::power);
    world.restart(node);
    directory = *LogDirectory::open(node, Logger(), "/data");
    EXPECT_EQ(directory->find_partitions()->at(0).topic_id, kTopicId);
}

TEST_F(LogDirectoryTest, MetadataThatACrashHasCutIsWrittenAgain) {
    const std::string whole = fmt::format("version: 0\ntopic_id: {}", kTopicId);
    for (std::size_t size = 0; size < whole.size(); ++size) {
        write("t-0/partition.metadata", whole.substr(0, size));
        ASSERT_TRUE(directory->prepare_partition({"t", PartitionIndex(0)}, kTopicId)) << size;
        EXPECT_EQ(read("t-0/partition.metadata"), whole);
    }
    write("t-0/partition.metadata", std::string(whole.size(), '\0'));
    EXPECT_TRUE(directory->find_partitions()->at(0).topic_id.is_zero());
    write("t-0/partition.metadata", "version: 1\ntopic_id: x");
    EXPECT_FALSE(directory->find_partitions());
}

TEST_F(LogDirectoryTest, LeftoversAreSettledAndTheUnknownIsAnError) {
    const std::string hex = "0123456789abcdef0123456789abcdef";
    for (const std::string& name :
         {"t-0", "__cluster_metadata-0", "lost+found", "remote-log-index-cache"}) {
        ASSERT_TRUE(node.files().create_directories("/data/" + name));
    }
    write(fmt::format("gone-0.{}-delete/00000000000000000000.log", hex), "x");
    for (const char* kind : {"stray", "future"}) write(fmt::format("t-1.{}-{}/x", hex, kind), "x");
    const auto found = directory->find_partitions();
    ASSERT_TRUE(found) << found.error().why;
    ASSERT_EQ(found->size(), 1U);
    EXPECT_EQ(found->at(0).partition.text(), "t-0");
    EXPECT_TRUE(found->at(0).topic_id.is_zero());
    EXPECT_EQ(directory->take_deleted(), std::vector{fmt::format("/data/gone-0.{}-delete", hex)});
    EXPECT_TRUE(directory->take_deleted().empty());
    EXPECT_TRUE(node.files().exists(fmt::format("/data/t-1.{}-stray", hex)));
    for (const char* name : {"state", "t-01", "t-0.short-delete"}) {
        ASSERT_TRUE(node.files().create_directories(fmt::format("/data/{}", name)));
        const auto refused = directory->find_partitions();
        ASSERT_FALSE(refused) << name;
        EXPECT_TRUE(refused.error().why.contains(name));
        ASSERT_TRUE(node.files().remove(fmt::format("/data/{}", name)));
    }
}

TEST_F(LogDirectoryTest, CheckpointsComeBack) {
    EXPECT_TRUE(directory->read_checkpoint(kRecoveryPointCheckpoint)->empty());
    const OffsetCheckpoint offsets{{{"a", PartitionIndex(0)}, Offset(5)},
                                   {{"a", PartitionIndex(10)}, Offset(1LL << 40)}};
    ASSERT_TRUE(directory->write_checkpoint(kRecoveryPointCheckpoint, offsets));
    EXPECT_EQ(read(kRecoveryPointCheckpoint), "0\n2\na 0 5\na 10 1099511627776\n");
    EXPECT_EQ(directory->read_checkpoint(kRecoveryPointCheckpoint), offsets);
}

TEST_F(LogDirectoryTest, AMalformedCheckpointNamesItsLine) {
    const auto fault = [&](std::string_view text) {
        write(kLogStartCheckpoint, text);
        return directory->read_checkpoint(kLogStartCheckpoint).error().why;
    };
    const std::string path = fmt::format("/data/{}", kLogStartCheckpoint);
    EXPECT_TRUE(fault("1\n0\n").starts_with(path + ":1:"));
    EXPECT_TRUE(fault("0\nx\n").starts_with(path + ":2:"));
    EXPECT_TRUE(fault("0\n2\na 0 5\n").starts_with(path + ":2:"));
    EXPECT_TRUE(fault("0\n1\na 0\n").starts_with(path + ":3:"));
    EXPECT_TRUE(fault("0\n1\na 0 5x\n").starts_with(path + ":3:"));
    write(kLogStartCheckpoint, "");
    EXPECT_TRUE(directory->read_checkpoint(kLogStartCheckpoint)->empty()) << "not yet written";
}

TEST_F(LogDirectoryTest, CopiesOfPartitionsAreFoundByWhatTheyAreCopiesOf) {
    const Uuid unique{0x0123456789abcdef, 0xfedcba9876543210};
    const auto path = directory->prepare_copy({"t.x", PartitionIndex(12)}, kTopicId, unique);
    ASSERT_TRUE(path);
    EXPECT_EQ(*path, "/data/t.x-12.0123456789abcdeffedcba9876543210-future");
    write("u-0.0123456789abcdef0123456789abcdef-future/partition.metadata", "version: 7");
    ASSERT_TRUE(directory->find_partitions()->empty());
    const auto copies = directory->take_copies();
    ASSERT_EQ(copies.size(), 1U) << "one can't be read";
    EXPECT_EQ(copies[0].partition.text(), "t.x-12");
    EXPECT_EQ(copies[0].topic_id, kTopicId);
    EXPECT_EQ(copies[0].path, *path);
    EXPECT_TRUE(directory->take_copies().empty());
}

}  // namespace
}  // namespace milena::storage
