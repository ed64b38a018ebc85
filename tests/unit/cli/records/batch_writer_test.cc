// SPDX-License-Identifier: Apache-2.0
// A producer's batches, read back by the broker's own reader and validator.
#include "records/batch_writer.h"

#include <gtest/gtest.h>

#include "milena/record/records.h"
#include "milena/record/validate.h"

namespace milena::cli {
namespace {

class BatchWriterTest : public testing::TestWithParam<std::string_view> {};

TEST_P(BatchWriterTest, IsReadBackAsItWasWritten) {
    BatchWriter writer;
    writer.append(ProducedRecord{"k", "v", {{"h", "x"}, {"i", std::nullopt}}, 1000}.parts());
    writer.append(ProducedRecord{std::nullopt, std::string(2000, 'a'), {}, 990}.parts());
    EXPECT_EQ(writer.count(), 2);
    const auto batch = writer.finish(*parse_codec(GetParam()));
    ASSERT_TRUE(batch);
    EXPECT_EQ(writer.count(), 0);
    const auto view = record::first_batch(*batch);
    ASSERT_TRUE(view && *view);
    EXPECT_TRUE((*view)->check_crc());
    EXPECT_EQ((*view)->record_count(), 2);
    EXPECT_EQ((*view)->max_timestamp().value, 1000);
    std::vector<std::string> seen;
    ASSERT_TRUE(record::for_each_record(**view, {}, [&seen](const record::RecordView& one) {
        seen.push_back(fmt::format("{} {} {} {}", one.timestamp, one.key ? 1 : 0, one.value->size(),
                                   one.header_count));
        return true;
    }));
    EXPECT_EQ(seen, (std::vector<std::string>{"1000 1 1 2", "990 0 2000 0"}));
}

INSTANTIATE_TEST_SUITE_P(Codecs, BatchWriterTest,
                         testing::Values("none", "gzip", "snappy", "lz4", "zstd"),
                         [](const auto& info) { return std::string(info.param); });

TEST(BatchWriter, ACodecThatIsNoneIsNamed) {
    EXPECT_EQ(parse_codec("rar").error().why,
              "Invalid value rar for configuration compression.type: String must be one of: none, "
              "gzip, snappy, lz4, zstd");
}

}  // namespace
}  // namespace milena::cli
