// SPDX-License-Identifier: Apache-2.0
// Batches against the ones that Apache Kafka 4.4 wrote: what they say is found, and what says the
// same has the same bytes.
#include "milena/raft/batches.h"

#include <gtest/gtest.h>

#include "golden.h"

namespace milena::raft::test {
namespace {

record::BatchView first(BytesView bytes) {
    const auto batch = record::first_batch(bytes);
    EXPECT_TRUE(batch && *batch);
    return **batch;
}

AnyControlRecord any(const ControlRecord& record) {
    return std::visit([](const auto& one) -> AnyControlRecord { return one; }, record);
}

TEST(Batches, EncodeTheFirstBatchOfAnEpochAsKafkaDoes) {
    const auto& log = golden_file("00000000000000000000.log");
    const record::BatchView golden = first(log);
    const auto described = describe(golden);
    ASSERT_TRUE(described) << described.error().why;
    EXPECT_EQ(
        described->text(),
        "[0..2]@1 LeaderChange(1 of 1 by 1) KRaftVersion(1) Voters{1@DtP_uNMmSvSxLTXiT9_NfQ}");
    const auto& voter = *std::get<VotersRecord>(described->control[2]).voters.find(BrokerId(1));
    EXPECT_EQ(voter.endpoints, (std::vector<VoterEndpoint>{{"CONTROLLER", "127.0.0.1", 39093}}));

    std::vector<AnyControlRecord> records;
    for (const ControlRecord& record : described->control) records.push_back(any(record));
    const auto ours =
        encode_control_batch(Offset(0), LeaderEpoch(1), golden.base_timestamp(), records);
    EXPECT_EQ(ours, std::vector(golden.bytes().begin(), golden.bytes().end()));
}

TEST(Batches, EncodeDataAsKafkaDoes) {
    const auto& log = golden_file("00000000000000000000.log");
    const record::BatchView golden = first(BytesView(log).subspan(first(log).size()));
    const auto decoded = decode_values(golden);
    ASSERT_TRUE(decoded) << decoded.error().why;
    ASSERT_EQ(decoded->values.size(), 10u);
    std::vector<std::vector<std::byte>> values;
    for (const BytesView value : decoded->values) values.emplace_back(value.begin(), value.end());
    EXPECT_EQ(values[0].size(), 24u) << "BeginTransaction";
    EXPECT_EQ(encode_data_batch(Offset(3), LeaderEpoch(1), golden.base_timestamp(), values),
              std::vector(golden.bytes().begin(), golden.bytes().end()));
}

TEST(Batches, RefuseBatchesWithABitFlipped) {
    auto bytes = encode_control_batch(Offset(0), LeaderEpoch(1), Timestamp(5),
                                      std::vector<AnyControlRecord>{KRaftVersionRecord{1}});
    ASSERT_TRUE(describe(first(bytes)));
    bytes.back() ^= std::byte{1};
    const auto described = describe(first(bytes));
    ASSERT_FALSE(described);
    EXPECT_EQ(described.error().code, ErrorCode::corrupt_message);
}

TEST(Batches, RefuseAVoterThatStandsTwiceInASet) {
    // Encoded by hand from a set of two, the second id overwritten with the first's.
    const VoterSet two(
        {{.key = {BrokerId(1), {}}, .endpoints = {}}, {.key = {BrokerId(2), {}}, .endpoints = {}}});
    auto bytes = encode_control_batch(Offset(0), LeaderEpoch(1), Timestamp(5),
                                      std::vector<AnyControlRecord>{VotersRecord{two}});
    const std::vector<std::byte> second{std::byte{0}, std::byte{0}, std::byte{0}, std::byte{2}};
    const auto at = std::find_end(bytes.begin(), bytes.end(), second.begin(), second.end());
    ASSERT_NE(at, bytes.end());
    *(at + 3) = std::byte{1};
    const auto decoded = decode_control_batch(first(bytes));
    ASSERT_FALSE(decoded);
    EXPECT_EQ(decoded.error().code, ErrorCode::corrupt_message);
}

}  // namespace
}  // namespace milena::raft::test
