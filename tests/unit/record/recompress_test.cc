// SPDX-License-Identifier: Apache-2.0
// A batch in another codec is the same batch: records, times, producer.
#include <gtest/gtest.h>

#include "milena/record/compression.h"
#include "support/batches.h"

namespace milena::record {
namespace {

using support::BatchSpec;
using support::TestRecord;

constexpr std::size_t kNoLimit = SIZE_MAX;
constexpr std::array kCodecs{Codec::none, Codec::gzip, Codec::snappy, Codec::lz4, Codec::zstd};

BatchSpec spec(Codec codec) {
    BatchSpec out{.base_offset = 7,
                  .leader_epoch = 3,
                  .codec = codec,
                  .attributes = 0x10,
                  .producer_id = 5,
                  .producer_epoch = 1,
                  .base_sequence = 9};
    for (int i = 0; i < 500; ++i) {
        out.records.push_back({.timestamp = 1'700'000'000'000 + i,
                               .key = i % 3 == 0 ? std::nullopt : std::optional("key"),
                               .value = std::string(200, static_cast<char>('a' + i % 26)),
                               .headers = {{"h", std::nullopt}}});
    }
    return out;
}

TEST(Recompress, KeepsAllButTheWrapping) {
    Scratch scratch;
    for (const Codec from : kCodecs) {
        for (const Codec to : kCodecs) {
            const auto before = support::make_batch(spec(from));
            const auto after = recompress(BatchView(before), to, kNoLimit, scratch);
            ASSERT_TRUE(after);
            const BatchView batch = first_batch(*after).value().value();
            EXPECT_EQ(batch.size(), after->size());
            EXPECT_EQ(batch.codec(), to);
            EXPECT_TRUE(batch.check_crc());
            EXPECT_TRUE(batch.is_transactional());
            EXPECT_EQ(batch.base_offset(), Offset(7));
            EXPECT_EQ(batch.leader_epoch(), LeaderEpoch(3));
            EXPECT_EQ(batch.producer_id(), ProducerId(5));
            EXPECT_EQ(batch.base_sequence(), 9);
            EXPECT_EQ(batch.max_timestamp(), Timestamp(1'700'000'000'499));
            EXPECT_EQ(support::records_of(batch), spec(from).records);
        }
    }
}

TEST(Recompress, StopsWhereTheRecordsExceedTheLimit) {
    Scratch scratch;
    const auto batch = support::make_batch(spec(Codec::zstd));
    const std::size_t plain = support::make_batch(spec(Codec::none)).size() - kBatchHeaderBytes;
    EXPECT_TRUE(recompress(BatchView(batch), Codec::gzip, plain, scratch));
    const auto refused = recompress(BatchView(batch), Codec::gzip, plain - 1, scratch);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::message_too_large);
}

TEST(Recompress, ForgetsAttributesWithoutAMeaning) {
    Scratch scratch;
    auto wanted = spec(Codec::gzip);
    wanted.attributes = static_cast<std::int16_t>(0x7f80 | 0x40 | 0x10);
    const auto batch = support::make_batch(wanted);
    const auto after = recompress(BatchView(batch), Codec::lz4, kNoLimit, scratch);
    ASSERT_TRUE(after);
    EXPECT_EQ(BatchView(*after).attributes(), 0x10 | 3);
}

}  // namespace
}  // namespace milena::record
