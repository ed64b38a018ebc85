// SPDX-License-Identifier: Apache-2.0
// A batch in another codec is the same batch: records, times, producer.
#include <gtest/gtest.h>

#include "milena/record/compression.h"
#include "support/batches.h"

namespace milena::record {
namespace {

using support::BatchSpec;
using support::TestRecord;

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
            const auto after = recompress(BatchView(before), {.codec = to}, scratch);
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
    EXPECT_TRUE(recompress(BatchView(batch), {Codec::gzip, {}, plain}, scratch));
    const auto refused = recompress(BatchView(batch), {Codec::gzip, {}, plain - 1}, scratch);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::message_too_large);
}

/// Numbers that only a codec that tries hard finds something in.
std::size_t size_at(Codec codec, const CompressionLevels& levels) {
    BatchSpec wanted{.codec = Codec::none};
    std::uint64_t state = 1;
    for (int i = 0; i < 500; ++i) {
        std::string value;
        for (int word = 0; word < 40; ++word) {
            state = state * 6364136223846793005U + 1442695040888963407U;
            value += std::to_string((state >> 33) % 5000) + ",";
        }
        wanted.records.push_back({.timestamp = 1'700'000'000'000 + i, .value = value});
    }
    Scratch scratch;
    const auto batch = support::make_batch(wanted);
    const auto after = recompress(BatchView(batch), {.codec = codec, .levels = levels}, scratch);
    EXPECT_TRUE(after);
    EXPECT_EQ(support::records_of(BatchView(*after)), wanted.records);
    return after->size();
}

TEST(Recompress, AHigherLevelMakesASmallerBatch) {
    EXPECT_LT(size_at(Codec::gzip, {.gzip = 9}), size_at(Codec::gzip, {.gzip = 1}));
    EXPECT_EQ(size_at(Codec::gzip, {}), size_at(Codec::gzip, {.gzip = 6}));
    EXPECT_LT(size_at(Codec::lz4, {.lz4 = 17}), size_at(Codec::lz4, {.lz4 = 1}));
    // The fast compressor is the default, and worse than the least of the high ones.
    EXPECT_LT(size_at(Codec::lz4, {.lz4 = 1}), size_at(Codec::lz4, {}));
    EXPECT_LT(size_at(Codec::zstd, {.zstd = 19}), size_at(Codec::zstd, {}));
    EXPECT_LT(size_at(Codec::zstd, {}), size_at(Codec::zstd, {.zstd = -131072}));
}

TEST(Recompress, ForgetsAttributesWithoutAMeaning) {
    Scratch scratch;
    auto wanted = spec(Codec::gzip);
    wanted.attributes = static_cast<std::int16_t>(0x7f80 | 0x40 | 0x10);
    const auto batch = support::make_batch(wanted);
    const auto after = recompress(BatchView(batch), {.codec = Codec::lz4}, scratch);
    ASSERT_TRUE(after);
    EXPECT_EQ(BatchView(*after).attributes(), 0x10 | 3);
}

}  // namespace
}  // namespace milena::record
