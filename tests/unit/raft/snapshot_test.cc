// SPDX-License-Identifier: Apache-2.0
// Snapshots that Apache Kafka 4.4 wrote are read; the bootstrap snapshot of ours has the same bytes
// as its own, times and CRCs apart.
#include "milena/raft/snapshot.h"

#include <gtest/gtest.h>

#include "golden.h"
#include "sim/world.h"

namespace milena::raft::test {
namespace {

constexpr const char* kDirectory = "/data/__cluster_metadata-0";

class SnapshotTest : public ::testing::Test {
public:
    SnapshotTest() { EXPECT_TRUE(files.create_directories(kDirectory)); }

    Result<Snapshot> read_bytes(BytesView bytes) {
        write_file(files,
                   std::string(kDirectory) + "/" + snapshot_file_name({Offset(7), LeaderEpoch(2)}),
                   bytes);
        return read_snapshot(files, kDirectory, {Offset(7), LeaderEpoch(2)});
    }

    sim::World world{1};
    sim::Node& node = world.add_node("n1");
    env::FileSystem& files = node.files();
};

/// Blanks what differs from run to run: CRCs and timestamps of batches, the header record's
/// timestamp.
std::vector<std::byte> without_times(std::vector<std::byte> bytes) {
    bytes = without_batch_times(std::move(bytes));
    // The first record: 61 bytes of batch, 4 of lengths and deltas, key and its length, length of
    // the value, version.
    std::fill_n(bytes.begin() + 61 + 4 + 5 + 1 + 2, 8, std::byte{0});
    return bytes;
}

std::vector<std::vector<std::byte>> records_of(const Snapshot& snapshot) {
    std::vector<std::vector<std::byte>> records;
    for (const record::BatchView batch : snapshot.batches) {
        for (const BytesView value : decode_values(batch)->values)
            records.emplace_back(value.begin(), value.end());
    }
    return records;
}

TEST_F(SnapshotTest, NamesAreParsedBack) {
    const SnapshotId id{Offset(191), LeaderEpoch(1)};
    EXPECT_EQ(snapshot_file_name(id), "00000000000000000191-0000000001.checkpoint");
    EXPECT_EQ(parse_snapshot_file_name(snapshot_file_name(id)), id);
    for (const char* other :
         {"00000000000000000191-0000000001.checkpoint.part", "00000000000000000191.snapshot",
          "0000000000000000191--0000000001.checkpoint",
          "99999999999999999999-0000000001.checkpoint",
          "-0000000000000000191-0000000001.checkpoint",
          "00000000000000000191-000000000x.checkpoint"}) {
        EXPECT_FALSE(parse_snapshot_file_name(other)) << other;
    }
}

TEST_F(SnapshotTest, ReadsWhatKafkaWrote) {
    write_golden_directory(files, kDirectory);
    EXPECT_EQ(*list_snapshots(files, kDirectory),
              (std::vector<SnapshotId>{kBootstrapSnapshot, {Offset(191), LeaderEpoch(1)}}));
    const auto snapshot = read_snapshot(files, kDirectory, {Offset(191), LeaderEpoch(1)});
    ASSERT_TRUE(snapshot) << snapshot.error().why;
    EXPECT_EQ(snapshot->last_contained_timestamp, Timestamp(1795963865511));
    EXPECT_EQ(snapshot->kraft_version, 1);
    EXPECT_EQ(snapshot->voters->text(), "{1@DtP_uNMmSvSxLTXiT9_NfQ}");
    EXPECT_EQ(records_of(*snapshot).size(), 95u);
}

TEST_F(SnapshotTest, WritesTheBootstrapSnapshotAsKafkaFormatsIt) {
    write_golden_directory(files, "/golden");
    const auto golden = read_snapshot(files, "/golden", kBootstrapSnapshot);
    ASSERT_TRUE(golden) << golden.error().why;
    ASSERT_TRUE(write_bootstrap_snapshot(
        files, kDirectory,
        {.voters = golden->voters, .records = records_of(*golden), .now = Timestamp(5)}));
    const auto ours = read_snapshot(files, kDirectory, kBootstrapSnapshot);
    ASSERT_TRUE(ours) << ours.error().why;
    EXPECT_EQ(without_times(ours->bytes), without_times(golden->bytes));
    EXPECT_EQ(ours->last_contained_timestamp, Timestamp(5));
}

TEST_F(SnapshotTest, AStaticQuorumsBootstrapSnapshotNamesNoVoters) {
    ASSERT_TRUE(write_bootstrap_snapshot(files, kDirectory,
                                         {.voters = {}, .records = {}, .now = Timestamp(5)}));
    const auto ours = read_snapshot(files, kDirectory, kBootstrapSnapshot);
    ASSERT_TRUE(ours) << ours.error().why;
    EXPECT_EQ(ours->kraft_version, 0);
    EXPECT_FALSE(ours->voters);
}

TEST_F(SnapshotTest, TheVotersOfADynamicQuorumMayBeElsewhere) {
    ASSERT_TRUE(write_bootstrap_snapshot(
        files, kDirectory, {.voters = VoterSet(), .records = {}, .now = Timestamp(5)}));
    const auto ours = read_snapshot(files, kDirectory, kBootstrapSnapshot);
    ASSERT_TRUE(ours) << ours.error().why;
    EXPECT_EQ(ours->kraft_version, 1);
    EXPECT_FALSE(ours->voters);
}

TEST_F(SnapshotTest, EveryPrefixIsRefused) {
    const auto& whole = golden_file("00000000000000000000-0000000000.checkpoint");
    ASSERT_TRUE(read_bytes(whole));
    for (std::size_t length = 0; length < whole.size(); ++length) {
        const auto read = read_bytes(BytesView(whole).first(length));
        ASSERT_FALSE(read) << length;
        EXPECT_EQ(read.error().code, ErrorCode::corrupt_message) << length;
    }
}

TEST_F(SnapshotTest, AFlippedBitIsRefused) {
    const auto& whole = golden_file("00000000000000000000-0000000000.checkpoint");
    // From the first byte that a CRC covers; offsets and epochs before it mean nothing in a
    // snapshot.
    for (std::size_t at = 17; at < 166; ++at) {
        auto bytes = whole;
        bytes[at] ^= std::byte{0x10};
        EXPECT_FALSE(read_bytes(bytes)) << at;
    }
}

/// After a power loss at any call there is no snapshot, or a whole one.
TEST_F(SnapshotTest, IsWrittenWholeOrNotAtAll) {
    const BootstrapSnapshot snapshot{
        .voters = {}, .records = {std::vector<std::byte>(5000)}, .now = Timestamp(5)};
    for (std::uint64_t call = 0;; ++call) {
        sim::Node& victim = world.add_node("victim" + std::to_string(call));
        make_data(victim.files());
        victim.faults().lose_power_at_call(call);
        const auto written = write_bootstrap_snapshot(victim.files(), kDirectory, snapshot);
        const bool fired = victim.faults().has_fired();
        world.crash(victim, sim::Crash::power);
        world.restart(victim);
        victim.faults().clear();
        const auto ids = list_snapshots(victim.files(), kDirectory);
        ASSERT_TRUE(ids);
        if (written) EXPECT_EQ(ids->size(), 1u);
        if (!ids->empty()) EXPECT_TRUE(read_snapshot(victim.files(), kDirectory, ids->front()));
        if (!fired) break;
    }
}

}  // namespace
}  // namespace milena::raft::test
