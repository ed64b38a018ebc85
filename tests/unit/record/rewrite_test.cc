// SPDX-License-Identifier: Apache-2.0
// Batches that are encoded anew: what was told to stay, and nothing else, has changed.
#include "milena/record/rewrite.h"

#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include "support/batches.h"

namespace milena::record {
namespace {

using support::TestRecord;

RC_GTEST_PROP(RewriteProperty, WhatStaysIsAsItWas, ()) {
    support::BatchSpec spec{.base_offset = *rc::gen::inRange<std::int64_t>(0, 1000),
                            .leader_epoch = *rc::gen::inRange(0, 9),
                            .codec = static_cast<Codec>(*rc::gen::inRange(0, 5)),
                            .producer_id = *rc::gen::inRange<std::int64_t>(-1, 9),
                            .base_sequence = *rc::gen::inRange(-1, 99)};
    const int count = *rc::gen::inRange(1, 20);
    for (int i = 0; i < count; ++i) {
        TestRecord record{.timestamp = *rc::gen::inRange<std::int64_t>(-1, 1'000'000)};
        if (*rc::gen::inRange(0, 4) > 0) record.key = *rc::gen::string<std::string>();
        if (*rc::gen::inRange(0, 4) > 0) record.value = *rc::gen::string<std::string>();
        if (*rc::gen::inRange(0, 4) == 0) record.headers = {{"a", "b"}, {"c", std::nullopt}};
        spec.records.push_back(record);
    }
    const auto bytes = support::make_batch(spec);
    const BatchView original(bytes);
    const auto horizon = *rc::gen::inRange(0, 2) == 0
                             ? std::optional<Timestamp>()
                             : std::optional(Timestamp(*rc::gen::inRange<std::int64_t>(0, 99999)));
    BatchRewriter rewriter(original, horizon);
    std::vector<TestRecord> expected;
    std::vector<Offset> offsets;
    Timestamp greatest(-1);
    std::size_t index = 0;
    RC_ASSERT(for_each_record(original, {}, [&](const RecordView& record) {
                  const TestRecord& written = spec.records[index];
                  const bool stays = index++ == 0 || *rc::gen::inRange(0, 2) == 0;
                  if (!stays) return true;
                  rewriter.keep(record);
                  expected.push_back(written);
                  offsets.push_back(record.offset);
                  greatest = std::max(greatest, record.timestamp);
                  return true;
              }).has_value());
    const auto rewritten = std::move(rewriter).finish();
    RC_ASSERT(rewritten.has_value());
    const auto batch = first_batch(*rewritten);
    RC_ASSERT(batch && *batch && (*batch)->size() == rewritten->size());
    const BatchView view = **batch;
    RC_ASSERT(view.check_crc());
    RC_ASSERT(view.base_offset() == original.base_offset());
    RC_ASSERT(view.last_offset() == original.last_offset());
    RC_ASSERT(view.leader_epoch() == original.leader_epoch());
    RC_ASSERT(view.producer_id() == original.producer_id());
    RC_ASSERT(view.base_sequence() == original.base_sequence());
    RC_ASSERT(view.codec() == original.codec());
    RC_ASSERT(view.max_timestamp() == greatest);
    RC_ASSERT(delete_horizon(view) == horizon);
    RC_ASSERT(*support::records_of(view) == expected);
    std::vector<Offset> got;
    RC_ASSERT(for_each_record(view, {}, [&](const RecordView& record) {
                  got.push_back(record.offset);
                  return true;
              }).has_value());
    RC_ASSERT(got == offsets);
}

TEST(Rewrite, AnEmptyBatchSaysWhatItSaidOfItsProducer) {
    const auto bytes = support::make_batch(
        {.base_offset = 4,
         .leader_epoch = 2,
         .codec = Codec::zstd,
         .attributes = 0x10,
         .producer_id = 8,
         .producer_epoch = 1,
         .base_sequence = 9,
         .records = {{.timestamp = 3, .value = "x"}, {.timestamp = 2, .value = "y"}}});
    const auto empty = empty_batch(BatchView(bytes));
    const BatchView view(empty);
    EXPECT_EQ(view.size(), kBatchHeaderBytes);
    EXPECT_TRUE(view.check_crc());
    EXPECT_EQ(view.record_count(), 0);
    EXPECT_EQ(view.attributes(), 0x10);
    EXPECT_EQ(view.base_offset(), Offset(4));
    EXPECT_EQ(view.last_offset(), Offset(5));
    EXPECT_EQ(view.base_timestamp(), Timestamp(-1));
    EXPECT_EQ(view.max_timestamp(), Timestamp(3));
    EXPECT_EQ(view.producer_id(), ProducerId(8));
    EXPECT_EQ(view.base_sequence(), 9);
    EXPECT_TRUE(for_each_record(view, {}, [](const RecordView&) { return true; }));
}

}  // namespace
}  // namespace milena::record
