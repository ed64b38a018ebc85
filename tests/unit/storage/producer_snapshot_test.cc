// SPDX-License-Identifier: Apache-2.0
// Producer snapshots in Kafka's bytes: those that Apache Kafka 4.4 wrote are read and written back.
#include "producers/producer_snapshot.h"

#include <gtest/gtest.h>

#include "sim/world.h"
#include "support/golden_archive.h"
#include "support/producers.h"

namespace milena::storage {
namespace {

ProducerStates states_of(const std::vector<ProducerEntry>& entries) {
    ProducerStates states;
    for (const ProducerEntry& entry : entries) states.restore(entry);
    return states;
}

TEST(ProducerSnapshot, ThoseOfApacheKafkaAreWrittenBackByteByByte) {
    int found = 0;
    for (const auto& [name, content] : testing::read_golden_archive("kafka-4.4-logdir.tar.zst")) {
        if (!name.ends_with(".snapshot")) continue;
        const auto entries = decode_snapshot(content);
        ASSERT_TRUE(entries) << name << entries.error().why;
        ASSERT_EQ(encode_snapshot(states_of(*entries)), content) << name;
        found += entries->empty() ? 0 : 1;
    }
    EXPECT_GT(found, 10);
}

ProducerStates three_producers() {
    ProducerStates states;
    const auto first = support::sent_batch(10, {.producer = 5, .sequence = 3, .records = 4});
    const auto second = support::sent_batch(14, {.producer = 2, .is_transactional = true});
    const auto third = support::marker_batch(15, {.producer = 9, .epoch = 4});
    states.note(record::BatchView(first));
    states.note(record::BatchView(second));
    states.note(*end_marker_of(record::BatchView(third)));
    return states;
}

TEST(ProducerSnapshot, HoldsTheLastBatchAndTheOpenTransaction) {
    const auto entries = decode_snapshot(encode_snapshot(three_producers()));
    ASSERT_TRUE(entries);
    ASSERT_EQ(entries->size(), 3U);
    const ProducerEntry& open = (*entries)[0];
    EXPECT_EQ(open.id, ProducerId(2));
    EXPECT_EQ(open.transaction_start, Offset(14));
    const ProducerEntry& idempotent = (*entries)[1];
    EXPECT_EQ(idempotent.last_sequence(), 6);
    EXPECT_EQ(idempotent.last_batch()->base_offset(), Offset(10));
    EXPECT_EQ(idempotent.last_batch()->first_sequence(), 3);
    const ProducerEntry& ended = (*entries)[2];
    EXPECT_EQ(ended.epoch, 4);
    EXPECT_EQ(ended.last_batch(), nullptr);
}

TEST(ProducerSnapshot, NoPartOfOneIsTakenForTheWhole) {
    const auto bytes = encode_snapshot(three_producers());
    for (std::size_t length = 0; length < bytes.size(); ++length)
        EXPECT_FALSE(decode_snapshot(BytesView(bytes).first(length))) << length;
    for (std::size_t at = 0; at < bytes.size(); ++at) {
        auto changed = bytes;
        changed[at] ^= std::byte{4};
        EXPECT_FALSE(decode_snapshot(changed)) << at;
    }
}

TEST(ProducerSnapshot, ACountThatIsNotThatOfTheEntriesIsDamage) {
    auto bytes = encode_snapshot(three_producers());
    store(bytes.data() + 6, std::int32_t{INT32_MAX});
    store(bytes.data() + 2, crc32c(BytesView(bytes).subspan(6)));
    EXPECT_FALSE(decode_snapshot(bytes));
}

TEST(ProducerSnapshot, NumbersThatNoProducerCanHaveAreDamage) {
    const auto good = encode_snapshot(three_producers());
    constexpr std::size_t kSecondEntryAt = 10 + 46;
    for (const auto& [at, number] :
         {std::pair<std::size_t, std::int32_t>(10, -2), {22, -1}, {22, 14}}) {
        auto bytes = good;
        store(bytes.data() + kSecondEntryAt + at, number);
        store(bytes.data() + 2, crc32c(BytesView(bytes).subspan(6)));
        EXPECT_FALSE(decode_snapshot(bytes)) << at;
    }
}

TEST(ProducerSnapshot, IsFoundUnderItsOffset) {
    sim::World world(1);
    sim::Node& node = world.add_node("n1");
    ASSERT_TRUE(node.files().create_directories("/data"));
    ASSERT_TRUE(snapshot_write("/data", Offset(16), three_producers()).run(node.files()));
    EXPECT_TRUE(node.files().exists("/data/00000000000000000016.snapshot"));
    EXPECT_EQ(read_snapshot(node.files(), "/data", Offset(16))->size(), 3U);
}

TEST(ProducerSnapshot, OffsetsThatLieBehindItAreDamage) {
    sim::World world(1);
    sim::Node& node = world.add_node("n1");
    ASSERT_TRUE(node.files().create_directories("/data"));
    ProducerStates batch_at_13;
    batch_at_13.note(record::BatchView(support::sent_batch(10, {.producer = 5, .records = 4})));
    ProducerStates open_at_13;
    ProducerEntry open;
    open.id = ProducerId(5);
    open.epoch = 0;
    open.transaction_start = Offset(13);
    open_at_13.restore(open);
    for (const ProducerStates* const states : {&batch_at_13, &open_at_13}) {
        ASSERT_TRUE(snapshot_write("/data", Offset(14), *states).run(node.files()));
        EXPECT_TRUE(read_snapshot(node.files(), "/data", Offset(14)));
        ASSERT_TRUE(snapshot_write("/data", Offset(13), *states).run(node.files()));
        const auto read = read_snapshot(node.files(), "/data", Offset(13));
        ASSERT_FALSE(read);
        EXPECT_EQ(read.error().code, ErrorCode::corrupt_message);
    }
}

}  // namespace
}  // namespace milena::storage
