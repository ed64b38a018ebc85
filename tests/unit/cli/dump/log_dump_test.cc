// SPDX-License-Identifier: Apache-2.0
// Logs as kafka-dump-log prints them.
#include "dump/log_dump.h"

#include <gtest/gtest.h>

#include "records/batch_writer.h"
#include "sim/world.h"

namespace milena::cli {
namespace {

class LogDumpTest : public testing::Test {
protected:
    LogDumpTest() {
        BatchWriter writer;
        writer.append(ProducedRecord{"k0", "v0", {}, 1000}.parts());
        writer.append(
            ProducedRecord{std::nullopt, "v1", {{"h1", "x"}, {"h2", std::nullopt}}, 1001}.parts());
        writer.append(ProducedRecord{"k2", std::nullopt, {}, 1002}.parts());
        bytes = *writer.finish(record::Codec::gzip);
    }

    std::string dumped(const DumpOptions& options) {
        std::string text;
        EXPECT_TRUE(env::replace_file(files, "/0.log", as_text(bytes)));
        const auto file = files.open("/0.log", env::OpenMode::read_only);
        EXPECT_TRUE(
            dump_log(**file, options, [&text](std::string_view line) { text += line; }, gaps));
        return text;
    }
    std::string batch_line() { return batch_text(record::BatchView(bytes), 0) + "\n"; }

    sim::World world{1};
    env::FileSystem& files = world.add_node("n").files();
    std::vector<std::byte> bytes;
    Gaps gaps;
};

TEST_F(LogDumpTest, ABatchIsALine) {
    const auto crc = record::BatchView(bytes).crc();
    EXPECT_EQ(
        dumped({}),
        fmt::format("baseOffset: 0 lastOffset: 2 count: 3 baseSequence: -1 lastSequence: -1 "
                    "producerId: -1 producerEpoch: -1 partitionLeaderEpoch: -1 isTransactional: "
                    "false isControl: false deleteHorizonMs: OptionalLong.empty position: 0 "
                    "CreateTime: 1002 size: {} magic: 2 compresscodec: gzip crc: {} isvalid: "
                    "true\n",
                    bytes.size(), crc));
}

TEST_F(LogDumpTest, RecordsFollowTheirBatch) {
    EXPECT_EQ(dumped({.records = true, .contents = true}),
              batch_line() +
                  "| offset: 0 CreateTime: 1000 keySize: 2 valueSize: 2 sequence: -1 headerKeys: "
                  "[] key: k0 payload: v0\n"
                  "| offset: 1 CreateTime: 1001 keySize: -1 valueSize: 2 sequence: -1 headerKeys: "
                  "[h1,h2] payload: v1\n"
                  "| offset: 2 CreateTime: 1002 keySize: 2 valueSize: -1 sequence: -1 headerKeys: "
                  "[] key: k2\n");
}

TEST_F(LogDumpTest, MetadataOfRecordsMayBeLeftOut) {
    EXPECT_EQ(dumped({.records = true, .contents = true, .record_metadata = false}),
              batch_line() + "| key: k0 payload: v0\n| payload: v1\n| key: k2\n");
    EXPECT_EQ(dumped({.records = true, .record_metadata = false}), batch_line() + "\n\n\n");
}

TEST_F(LogDumpTest, ATornEndIsCounted) {
    const std::string whole = batch_line();
    const auto first = bytes;
    bytes.insert(bytes.end(), first.begin(), first.end() - 5);
    EXPECT_EQ(dumped({}), whole + fmt::format("Found {} invalid bytes at the end of 0.log\n",
                                              first.size() - 5));
}

TEST_F(LogDumpTest, AGapBetweenOffsetsIsRemembered) {
    auto second = bytes;
    record::stamp(second, Offset(10), LeaderEpoch(0));
    bytes.insert(bytes.end(), second.begin(), second.end());
    dumped({.records = true});
    EXPECT_EQ(gaps, (Gaps{{2, 10}}));
}

TEST_F(LogDumpTest, AWrongChecksumIsTold) {
    bytes[25] ^= std::byte{1};
    EXPECT_NE(dumped({}).find("isvalid: false"), std::string::npos);
}

}  // namespace
}  // namespace milena::cli
