// SPDX-License-Identifier: Apache-2.0
// Batches of all kinds are appended to a log, which is then read from some offset on.
#include "coordinators/log_tail.h"

#include <gtest/gtest.h>

#include "support/producers.h"
#include "unit/drivers/coordinators/led_partition.h"

namespace milena::drivers {
namespace {

class LogTailTest : public ::testing::Test {
protected:
    LogTailTest() : node_(world_.add_node("n1")) {
        storage::LogOptions options;
        options.segment_bytes = 1 << 20;
        log_ =
            storage::Log::open(node_, Logger(), "/data/__consumer_offsets-3", options, {}).value();
    }

    void append(support::BatchSpec spec) {
        spec.base_offset = log_->log_end_offset().value;
        ASSERT_TRUE(log_->append(support::make_batch(spec)));
    }
    /// One record whose key is `key`, in a transaction of `producer` if there is one.
    void append(const std::string& key, std::int64_t producer = -1) {
        const bool is_transactional = producer >= 0;
        append({.attributes = static_cast<std::int16_t>(is_transactional ? 0x10 : 0),
                .producer_id = producer,
                .producer_epoch = static_cast<std::int16_t>(is_transactional ? 0 : -1),
                .base_sequence = is_transactional ? sequence_++ : -1,
                .records = {{.timestamp = 1000, .key = key, .value = "v"}}});
    }
    void end(std::int64_t producer, bool is_abort) {
        ASSERT_TRUE(log_->append(support::marker_batch(
            log_->log_end_offset().value, {.producer = producer, .is_abort = is_abort})));
    }
    /// "key@offset" of all that is read.
    std::vector<std::string> read(LogRange range) {
        const Offset end = log_->log_end_offset();
        replication::ReplicaParts parts{BrokerId(1), {"__consumer_offsets", PartitionIndex(3)},
                                        Uuid{7, 7},  std::move(log_),
                                        end,         {}};
        const auto partition = replication::Partition::make(node_, Logger(), std::move(parts));
        EXPECT_TRUE(
            partition->become({BrokerId(1), LeaderEpoch(1), PartitionEpoch(1), kAlone, kAlone}));
        std::vector<std::string> out;
        const auto done = read_tail(*partition, range, [&](const coordinator::RecordView& record) {
            out.push_back(fmt::format("{}@{}", as_text(record.key), record.offset));
            return true;
        });
        EXPECT_TRUE(done) << done.error().why;
        return out;
    }

    sim::World world_{1};
    sim::Node& node_;
    std::unique_ptr<storage::Log> log_;
    std::int32_t sequence_ = 0;
};

TEST_F(LogTailTest, ReadsFromTheMiddleOfABatchUpToTheEnd) {
    append({.records = {{.key = "a"}, {.key = "b"}, {.key = "c"}}});
    append("d");
    append("e");
    EXPECT_EQ(read({Offset(1), Offset(4)}), (std::vector<std::string>{"b@1", "c@2", "d@3"}));
}

TEST_F(LogTailTest, ReadsCompressedBatchesOfManyPages) {
    const std::string large(300'000, 'x');
    for (int i = 0; i < 12; ++i) {
        append({.codec = i % 2 == 0 ? record::Codec::none : record::Codec::lz4,
                .records = {{.key = fmt::format("{}", i), .value = large}}});
    }
    const auto got = read({Offset(0), Offset(12)});
    ASSERT_EQ(got.size(), 12U);
    EXPECT_EQ(got.back(), "11@11");
}

TEST_F(LogTailTest, LeavesOutMarkersAndWhatWasAbortedOrIsOpen) {
    append("a");
    append("committed", 7);
    append("aborted", 8);
    end(7, false);
    end(8, true);
    append("committed later", 8);
    end(8, false);
    append("b");
    append("open", 9);
    append("c");
    EXPECT_EQ(read({Offset(0), Offset(10)}),
              (std::vector<std::string>{"a@0", "committed@1", "committed later@5", "b@7", "c@9"}));
}

TEST_F(LogTailTest, PassesOverRecordsWithoutAKey) {
    append({.records = {{.value = "no key"}, {.key = "a"}}});
    EXPECT_EQ(read({Offset(0), Offset(2)}), std::vector<std::string>{"a@1"});
}

}  // namespace
}  // namespace milena::drivers
