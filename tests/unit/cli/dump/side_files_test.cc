// SPDX-License-Identifier: Apache-2.0
// Indexes and snapshots as kafka-dump-log prints them.
#include "dump/side_files.h"

#include <gtest/gtest.h>

#include "milena/protocol/codec.h"
#include "milena/protocol/records/log_control.h"
#include "records/batch_writer.h"
#include "sim/world.h"

namespace milena::cli {
namespace {

class SideFilesTest : public testing::Test {
protected:
    void write(const std::string& path, BytesView bytes) {
        ASSERT_TRUE(env::replace_file(files, path, as_text(bytes)));
    }

    sim::World world{1};
    env::FileSystem& files = world.add_node("n").files();
    std::string text;
    Print print = [this](std::string_view line) { text += line; };
};

/// Numbers as a file has them.
template <class... Numbers>
std::vector<std::byte> file_of(Numbers... numbers) {
    std::vector<std::byte> bytes((sizeof(Numbers) + ...));
    ByteWriter writer(bytes);
    (writer.write(numbers), ...);
    return bytes;
}

TEST_F(SideFilesTest, AnOffsetIndexIsHeldAgainstItsLog) {
    BatchWriter writer;
    writer.append(ProducedRecord{"k", "v", {}, 1}.parts());
    auto batch = *writer.finish(record::Codec::none);
    record::stamp(batch, Offset(100), LeaderEpoch(0));
    write("/0100.log", batch);
    write("/0100.index", file_of(0, 0, 7, 0, 0, 0));
    Mismatches mismatches;
    ASSERT_TRUE(dump_offset_index(files, "/0100.index", false, print, mismatches));
    EXPECT_EQ(text, "offset: 100 position: 0\noffset: 107 position: 0\n");
    EXPECT_EQ(mismatches, (Mismatches{{107, 100}}));
}

TEST_F(SideFilesTest, AnEmptyIndexSaysSo) {
    write("/0.index", {});
    Mismatches mismatches;
    ASSERT_TRUE(dump_offset_index(files, "/0.index", false, print, mismatches));
    EXPECT_EQ(text, "/0.index is empty.\n");
}

/// A log of three batches of one record each, at the offsets and times 100, 101 and 102.
std::vector<std::byte> three_batches() {
    std::vector<std::byte> log;
    for (int i = 100; i < 103; ++i) {
        BatchWriter writer;
        writer.append(ProducedRecord{"k", "v", {}, i}.parts());
        auto batch = *writer.finish(record::Codec::none);
        record::stamp(batch, Offset(i), LeaderEpoch(0));
        log.insert(log.end(), batch.begin(), batch.end());
    }
    return log;
}

TEST_F(SideFilesTest, ATimeIndexIsHeldAgainstItsLogAndEndsAtItsZeros) {
    write("/0100.log", three_batches());
    write("/0100.timeindex",
          file_of(std::int64_t{100}, 0, std::int64_t{102}, 2, std::int64_t{0}, std::int32_t{0}));
    TimeFindings findings;
    ASSERT_TRUE(dump_time_index(files, "/0100.timeindex", false, print, findings));
    EXPECT_EQ(text, "timestamp: 100 offset: 100\ntimestamp: 102 offset: 102\n");
    EXPECT_TRUE(findings.empty());
}

TEST_F(SideFilesTest, AWrongTimeIndexIsToldWithWhatTheLogHas) {
    write("/0100.log", three_batches());
    write("/0100.timeindex", file_of(std::int64_t{100}, 0, std::int64_t{99}, 1, std::int64_t{102},
                                     2, std::int64_t{200}, 7));
    TimeFindings findings;
    ASSERT_TRUE(dump_time_index(files, "/0100.timeindex", true, print, findings));
    EXPECT_EQ(text, "") << "only verified";
    EXPECT_EQ(findings.timestamps, (Mismatches{{99, 101}}));
    EXPECT_EQ(findings.out_of_order, (Mismatches{{99, 100}}));
    EXPECT_EQ(findings.offsets, (Mismatches{{107, -1}}));
}

TEST_F(SideFilesTest, AnIndexIsCheckedForWholeEntriesThatGoUp) {
    write("/0.index", file_of(1, 2));
    EXPECT_TRUE(check_index(files, "/0.index", print));
    EXPECT_EQ(text, "/0.index passed sanity check.\n");
    write("/0.timeindex", file_of(std::int64_t{5}, 0, std::int8_t{1}));
    EXPECT_EQ(
        check_index(files, "/0.timeindex", print).error().why,
        "Time index file /0.timeindex is corrupt, found 13 bytes which is neither positive nor "
        "a multiple of 12");
    write("/0.timeindex", file_of(std::int64_t{5}, 0, std::int64_t{4}, 1));
    EXPECT_EQ(check_index(files, "/0.timeindex", print).error().why,
              "Corrupt time index found, time index file (/0.timeindex) has non-zero size but the "
              "last timestamp is 4 which is less than the first timestamp 5");
}

TEST_F(SideFilesTest, ATransactionIndexHasALineForEachAbort) {
    write("/0.txnindex", file_of(std::int16_t{0}, std::int64_t{5}, std::int64_t{4}, std::int64_t{6},
                                 std::int64_t{7}));
    ASSERT_TRUE(dump_transaction_index(files, "/0.txnindex", print));
    EXPECT_EQ(text, "version: 0 producerId: 5 firstOffset: 4 lastOffset: 6 lastStableOffset: 7\n");
}

TEST_F(SideFilesTest, ASnapshotHasALineForEachProducer) {
    protocol::ProducerSnapshot snapshot;
    std::array<protocol::ProducerSnapshot::ProducerEntry, 2> producers;
    producers[0] = {5, 4, -1, -1, 0, 1795963838928, 0, -1};
    producers[1] = {6, 0, 3, 7, 1, 1795960800020, -1, 2};
    snapshot.producer_entries = producers;
    std::vector<std::byte> bytes = file_of(std::int16_t{1});
    ASSERT_TRUE(protocol::append(snapshot, 1, bytes));
    write("/0.snapshot", bytes);
    ASSERT_TRUE(dump_producers(files, "/0.snapshot", print));
    EXPECT_EQ(text,
              "producerId: 5 producerEpoch: 4 coordinatorEpoch: 0 currentTxnFirstOffset: "
              "OptionalLong.empty lastTimestamp: 1795963838928\n"
              "producerId: 6 producerEpoch: 0 coordinatorEpoch: -1 currentTxnFirstOffset: "
              "OptionalLong[2] lastTimestamp: 1795960800020 firstSequence: 2 lastSequence: 3 "
              "lastOffset: 7 offsetDelta: 1 timestamp: 1795960800020\n");
    write("/1.snapshot", as_bytes(std::string_view("\0\1\0", 3)));
    EXPECT_FALSE(dump_producers(files, "/1.snapshot", print));
}

TEST_F(SideFilesTest, ANameBeginsWithItsOffset) {
    EXPECT_EQ(base_offset_of("/d/00000000000000000191-0000000001.checkpoint"), 191);
    EXPECT_EQ(base_offset_of("/nonexistent.log"), std::nullopt);
}

}  // namespace
}  // namespace milena::cli
