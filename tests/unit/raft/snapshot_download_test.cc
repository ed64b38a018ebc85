// SPDX-License-Identifier: Apache-2.0
// A snapshot that Apache Kafka 4.4 wrote, fetched in pieces: it gets its name when it is whole, and
// only then.
#include "milena/raft/snapshot_download.h"

#include <gtest/gtest.h>

#include "golden.h"
#include "sim/fail_each.h"
#include "sim/world.h"

namespace milena::raft::test {
namespace {

constexpr const char* kDirectory = "/data/__cluster_metadata-0";
const SnapshotId kId{Offset(191), LeaderEpoch(1)};

const std::vector<std::byte>& golden() {
    return golden_file("00000000000000000191-0000000001.checkpoint");
}

/// All but the last step.
Result<SnapshotDownload> fetch(env::FileSystem& files, BytesView bytes) {
    constexpr std::size_t kPiece = 1000;
    TRY(auto download, SnapshotDownload::begin(files, kDirectory, kId, bytes.size()));
    for (std::size_t at = 0; at < bytes.size(); at += kPiece)
        TRY_VOID(download.write(at, bytes.subspan(at, std::min(kPiece, bytes.size() - at))));
    return download;
}

Result<Snapshot> fetch_and_publish(env::FileSystem& files, BytesView bytes) {
    TRY(auto download, fetch(files, bytes));
    TRY(auto snapshot, download.check());
    TRY_VOID(download.publish());
    return snapshot;
}

class SnapshotDownloadTest : public ::testing::Test {
public:
    SnapshotDownloadTest() { EXPECT_TRUE(files.create_directories(kDirectory)); }

    sim::World world{1};
    sim::Node& node = world.add_node("n1");
    env::FileSystem& files = node.files();
};

TEST_F(SnapshotDownloadTest, IsTheOtherReplicasSnapshotToTheLastByte) {
    const auto fetched = fetch_and_publish(files, golden());
    ASSERT_TRUE(fetched) << fetched.error().why;
    EXPECT_EQ(fetched->bytes, golden());
    EXPECT_EQ(fetched->kraft_version, 1);
    EXPECT_TRUE(fetched->voters->is_only({BrokerId(1), kGoldenDirectoryId}));
    EXPECT_FALSE(fetched->batches.empty());
    EXPECT_EQ(read_snapshot(files, kDirectory, kId)->bytes, golden());
    EXPECT_EQ(files.list(kDirectory)->size(), 1u);
}

/// Where a batch has its first offset or its epoch, which no CRC covers.
bool is_uncovered(std::size_t at) {
    for (BytesView rest(golden()); !rest.empty();) {
        const std::size_t size = (*record::first_batch(rest))->size();
        if (at < size) return at < 8 || (at >= 12 && at < 16);
        at -= size;
        rest = rest.subspan(size);
    }
    return true;
}

/// Any byte of it, or any end.
TEST_F(SnapshotDownloadTest, WhatIsNotWholeIsFoundOutAndLeavesNothing) {
    for (std::size_t at = 9; at < golden().size(); at += 97) {
        if (is_uncovered(at)) continue;
        SCOPED_TRACE(at);
        std::vector<std::byte> damaged = golden();
        damaged[at] ^= std::byte{0x10};
        const BytesView cut = BytesView(golden()).first(at);
        for (const BytesView bytes : {BytesView(damaged), cut}) {
            const auto fetched = fetch_and_publish(files, bytes);
            ASSERT_FALSE(fetched);
            EXPECT_EQ(fetched.error().code, ErrorCode::corrupt_message) << fetched.error().why;
        }
    }
    EXPECT_TRUE(files.list(kDirectory)->empty());
}

TEST_F(SnapshotDownloadTest, TheNextAttemptTakesThePlaceOfTheLast) {
    const std::string part = std::string(kDirectory) + "/" + snapshot_file_name(kId) + ".part";
    write_file(files, part, std::vector<std::byte>(100'000, std::byte{7}));
    ASSERT_TRUE(files.make_read_only(part));
    EXPECT_EQ(fetch_and_publish(files, golden())->bytes, golden());
}

TEST_F(SnapshotDownloadTest, NothingIsWrittenForWhatTheDiskHasNoRoomFor) {
    node.files().set_capacity(1 << 20);
    const auto begun = SnapshotDownload::begin(files, kDirectory, kId, 2 << 20);
    ASSERT_FALSE(begun);
    EXPECT_EQ(begun.error().code, ErrorCode::kafka_storage_error);
    EXPECT_NE(begun.error().why.find("2097152 bytes, and 1048576 are free"), std::string::npos)
        << begun.error().why;
    EXPECT_TRUE(files.list(kDirectory)->empty());
    EXPECT_TRUE(fetch_and_publish(files, golden()));
}

TEST_F(SnapshotDownloadTest, IsDurableOrNotThereAfterAPowerLossAtAnyCall) {
    for (std::uint64_t call = 0;; ++call) {
        sim::Node& victim = world.add_node("victim" + std::to_string(call));
        make_data(victim.files());
        ASSERT_TRUE(env::create_durable_directories(victim.files(), kDirectory));
        victim.faults().lose_power_at_call(call);
        const bool fetched = fetch_and_publish(victim.files(), golden()).has_value();
        const bool fired = victim.faults().has_fired();
        world.crash(victim, sim::Crash::power);
        world.restart(victim);
        victim.faults().clear();
        const auto ids = list_snapshots(victim.files(), kDirectory);
        ASSERT_TRUE(ids);
        if (fetched) EXPECT_EQ(ids->size(), 1u);
        if (!ids->empty())
            EXPECT_EQ(read_snapshot(victim.files(), kDirectory, kId)->bytes, golden());
        if (!fired) break;
    }
}

TEST(SnapshotDownload, SaysWhatFailedAndLeavesNoHalf) {
    sim::fail_each_call(1, [](sim::World&, sim::Node& node, sim::FaultPlan& faults) {
        ASSERT_TRUE(node.files().create_directories(kDirectory) || faults.has_fired());
        const auto fetched = fetch_and_publish(node.files(), golden());
        if (!faults.has_fired()) {
            EXPECT_TRUE(fetched);
        } else if (!fetched) {
            EXPECT_EQ(fetched.error().code, ErrorCode::kafka_storage_error);
        }
        faults.clear();
        if (const auto read = read_snapshot(node.files(), kDirectory, kId); !read)
            EXPECT_NE(read.error().code, ErrorCode::corrupt_message);
    });
}

}  // namespace
}  // namespace milena::raft::test
