// SPDX-License-Identifier: Apache-2.0
// A snapshot that Apache Kafka 4.4 wrote is written again with the same bytes; one is whole or not
// there.
#include "milena/raft/snapshot_writer.h"

#include <gtest/gtest.h>

#include "golden.h"
#include "sim/fail_each.h"
#include "sim/world.h"

namespace milena::raft::test {
namespace {

constexpr const char* kDirectory = "/data/__cluster_metadata-0";
const SnapshotId kId{Offset(191), LeaderEpoch(1)};

SnapshotHead head() {
    return {.id = kId,
            .last_contained_timestamp = Timestamp(7),
            .kraft_version = 0,
            .voters = {},
            .now = Timestamp(9)};
}

/// `count` values of 1,000 bytes that differ.
std::vector<std::byte> value(int number) {
    std::vector<std::byte> bytes(1000, std::byte{0x5a});
    store(bytes.data(), number);
    return bytes;
}

Result<StoredSnapshot> write(env::FileSystem& files, int count) {
    TRY(auto writer, SnapshotWriter::create(files, kDirectory, head()));
    for (int i = 0; i < count; ++i) TRY_VOID(writer.append(value(i)));
    return writer.finish();
}

class SnapshotWriterTest : public ::testing::Test {
public:
    SnapshotWriterTest() { EXPECT_TRUE(files.create_directories(kDirectory)); }

    sim::World world{1};
    sim::Node& node = world.add_node("n1");
    env::FileSystem& files = node.files();
};

TEST_F(SnapshotWriterTest, WritesKafkasSnapshotAgain) {
    write_golden_directory(files, "/golden");
    const auto golden = read_snapshot(files, "/golden", kId);
    ASSERT_TRUE(golden) << golden.error().why;
    auto writer =
        SnapshotWriter::create(files, kDirectory,
                               {.id = kId,
                                .last_contained_timestamp = golden->last_contained_timestamp,
                                .kraft_version = golden->kraft_version,
                                .voters = golden->voters,
                                .now = Timestamp(5)});
    ASSERT_TRUE(writer) << writer.error().why;
    for (const record::BatchView batch : golden->batches) {
        for (const BytesView one : decode_values(batch)->values)
            ASSERT_TRUE(writer->append({one.begin(), one.end()}));
    }
    const auto stored = writer->finish();
    ASSERT_TRUE(stored) << stored.error().why;
    EXPECT_EQ(*stored,
              (StoredSnapshot{kId, golden->bytes.size(), golden->last_contained_timestamp}));
    EXPECT_EQ(*inspect_snapshot(files, kDirectory, kId), *stored);
    const auto ours = read_snapshot(files, kDirectory, kId);
    ASSERT_TRUE(ours) << ours.error().why;
    EXPECT_EQ(without_batch_times(ours->bytes), without_batch_times(golden->bytes));
}

TEST_F(SnapshotWriterTest, ManyRecordsAreSeveralBatches) {
    constexpr int kCount = 2500;
    ASSERT_TRUE(write(files, kCount));
    const auto snapshot = read_snapshot(files, kDirectory, kId);
    ASSERT_TRUE(snapshot) << snapshot.error().why;
    EXPECT_EQ(snapshot->batches.size(), 3u);
    int next = 0;
    Offset offset(1);
    for (const record::BatchView batch : snapshot->batches) {
        EXPECT_EQ(batch.base_offset(), offset);
        EXPECT_EQ(batch.leader_epoch(), kId.epoch);
        offset = batch.next_offset();
        for (const BytesView one : decode_values(batch)->values)
            EXPECT_EQ(load<int>(one.data()), next++);
    }
    EXPECT_EQ(next, kCount);
}

TEST_F(SnapshotWriterTest, WhatIsNotFinishedLeavesNothing) {
    {
        auto writer = SnapshotWriter::create(files, kDirectory, head());
        ASSERT_TRUE(writer);
        ASSERT_TRUE(writer->append(value(1)));
        EXPECT_EQ(files.list(kDirectory)->size(), 1u);
    }
    EXPECT_TRUE(files.list(kDirectory)->empty());
}

TEST_F(SnapshotWriterTest, ASnapshotWithoutAHeaderIsNotInspected) {
    write_file(files, std::string(kDirectory) + "/" + snapshot_file_name(kId),
               BytesView(golden_file("00000000000000000191-0000000001.checkpoint")).subspan(300));
    const auto inspected = inspect_snapshot(files, kDirectory, kId);
    ASSERT_FALSE(inspected);
    EXPECT_EQ(inspected.error().code, ErrorCode::corrupt_message);
    EXPECT_NE(inspected.error().why.find(snapshot_file_name(kId)), std::string::npos);
}

TEST_F(SnapshotWriterTest, IsDurableOrNotThereAfterAPowerLossAtAnyCall) {
    for (std::uint64_t call = 0;; ++call) {
        sim::Node& victim = world.add_node("victim" + std::to_string(call));
        make_data(victim.files());
        ASSERT_TRUE(env::create_durable_directories(victim.files(), kDirectory));
        victim.faults().lose_power_at_call(call);
        const bool written = write(victim.files(), 1500).has_value();
        const bool fired = victim.faults().has_fired();
        world.crash(victim, sim::Crash::power);
        world.restart(victim);
        victim.faults().clear();
        const auto ids = list_snapshots(victim.files(), kDirectory);
        ASSERT_TRUE(ids);
        if (written) EXPECT_EQ(ids->size(), 1u);
        if (!ids->empty()) EXPECT_TRUE(read_snapshot(victim.files(), kDirectory, kId)) << call;
        if (!fired) break;
    }
}

TEST(SnapshotWriter, SaysWhatFailedAndLeavesNoHalf) {
    sim::fail_each_call(1, [](sim::World&, sim::Node& node, sim::FaultPlan& faults) {
        ASSERT_TRUE(node.files().create_directories(kDirectory) || faults.has_fired());
        const auto written = write(node.files(), 3);
        if (!faults.has_fired()) {
            EXPECT_TRUE(written);
        } else if (!written) {
            EXPECT_EQ(written.error().code, ErrorCode::kafka_storage_error);
        }
        faults.clear();
        if (const auto read = read_snapshot(node.files(), kDirectory, kId); !read)
            EXPECT_NE(read.error().code, ErrorCode::corrupt_message);
    });
}

}  // namespace
}  // namespace milena::raft::test
