// SPDX-License-Identifier: Apache-2.0
// The folder that Apache Kafka 4.4 wrote, after a clean stop and as it was while it ran: opened,
// read to the last record, and compared with what the real broker served from it.
#include "milena/storage/log.h"

#include <set>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "milena/storage/log_directory.h"
#include "sim/world.h"
#include "support/batches.h"
#include "support/golden_archive.h"

namespace milena::storage {
namespace {

using nlohmann::json;
using support::TestRecord;

constexpr const char* kArchive = "kafka-4.4-logdir.tar.zst";

class ApacheLogTest : public ::testing::TestWithParam<const char*> {
protected:
    void SetUp() override {
        const std::string root = fmt::format("kafka-4.4-logdir/{}/", GetParam());
        for (const auto& [name, content] : archive()) {
            if (!name.starts_with(root)) continue;
            const std::string path = "/data/" + name.substr(root.size());
            ASSERT_TRUE(node.files().create_directories(path.substr(0, path.rfind('/'))));
            ASSERT_TRUE((*node.files().open(path, env::OpenMode::create))->write_at(0, content));
        }
        directory = *LogDirectory::open(node, Logger(), "/data");
        clean = directory->take_clean_shutdown()->has_value();
        recovery_points = *directory->read_checkpoint(kRecoveryPointCheckpoint);
        starts = *directory->read_checkpoint(kLogStartCheckpoint);
    }

    static const testing::GoldenFiles& archive() {
        static const testing::GoldenFiles files = testing::read_golden_archive(kArchive);
        return files;
    }
    /// The lines of expected.jsonl of one kind.
    static std::vector<json> expected(std::string_view kind) {
        std::vector<json> found;
        std::string_view text = as_text(archive().at("kafka-4.4-logdir/expected.jsonl"));
        while (!text.empty()) {
            const std::size_t end = text.find('\n');
            json line = json::parse(text.substr(0, end));
            text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
            if (line["kind"] == kind) found.push_back(std::move(line));
        }
        return found;
    }
    static TopicPartition partition_of(const json& line) {
        return {line["topic"].get<std::string>(), PartitionIndex(line["partition"].get<int>())};
    }
    std::unique_ptr<Log> open(const TopicPartition& partition) {
        const LogOptions options{.segment_bytes = 16384, .index_interval_bytes = 1024};
        const Recovery recovery{clean, recovery_points[partition], starts[partition]};
        auto log = Log::open(node, Logger(), "/data/" + partition.text(), options, recovery);
        EXPECT_TRUE(log) << partition.text() << log.error().why;
        return log ? *std::move(log) : nullptr;
    }

    sim::World world{1};
    sim::Node& node{world.add_node("n1")};
    std::unique_ptr<LogDirectory> directory;
    bool clean = false;
    OffsetCheckpoint recovery_points;
    OffsetCheckpoint starts;
};

std::optional<std::string> text_of(const json& value) {
    return value.is_null() ? std::nullopt : std::optional(value.get<std::string>());
}

TestRecord record_of(const json& line) {
    TestRecord record{
        line["ts"].get<std::int64_t>(), text_of(line["key"]), text_of(line["value"]), {}};
    for (const json& header : line["headers"])
        record.headers.emplace_back(header[0].get<std::string>(), text_of(header[1]));
    return record;
}

/// Data records from the log's start on, by offset, as a consumer that reads uncommitted records
/// sees them.
std::map<std::int64_t, TestRecord> read_all(Log& log) {
    std::map<std::int64_t, TestRecord> found;
    for (Offset at = log.log_start_offset(); at < log.log_end_offset();) {
        const FileRange range = *log.read(at, log.log_end_offset(), 3000, true);
        std::vector<std::byte> bytes(range.length);
        EXPECT_EQ(range.file->read_at(range.position, bytes), range.length);
        for (BytesView left = bytes; const auto batch = *record::first_batch(left);) {
            EXPECT_TRUE(batch->check_crc());
            std::int64_t offset = -1;
            const auto records = *support::records_of(*batch);
            std::size_t index = 0;
            EXPECT_TRUE(record::for_each_record(*batch, {}, [&](const record::RecordView& record) {
                offset = record.offset.value;
                if (offset >= log.log_start_offset().value && !batch->is_control())
                    found[offset] = records[index];
                ++index;
                return true;
            }));
            at = batch->next_offset();
            left = left.subspan(batch->size());
        }
    }
    return found;
}

TEST_P(ApacheLogTest, EveryPartitionIsFoundWithItsTopicId) {
    std::map<TopicPartition, Uuid> ids;
    for (const FoundPartition& found : *directory->find_partitions())
        ids[found.partition] = found.topic_id;
    EXPECT_EQ(ids.size(), 23U);
    for (const json& line : expected("topic-id")) {
        EXPECT_EQ(ids[partition_of(line)].text(), line["id"].get<std::string>());
    }
    EXPECT_EQ(directory->take_deleted(),
              std::vector<std::string>{"/data/gone-0.a01cbbd60521471fb8197a9e646a0ffd-delete"});
}

TEST_P(ApacheLogTest, EveryLogBeginsAndEndsWhereTheBrokerSaidItDoes) {
    for (const json& line : expected("offsets")) {
        const auto log = open(partition_of(line));
        ASSERT_NE(log, nullptr);
        EXPECT_EQ(log->log_start_offset(), Offset(line["start"].get<std::int64_t>())) << line;
        EXPECT_EQ(log->log_end_offset(), Offset(line["hw"].get<std::int64_t>())) << line;
        EXPECT_EQ(log->durable_end_offset(),
                  clean ? log->log_end_offset() : recovery_points[partition_of(line)]);
    }
}

TEST_P(ApacheLogTest, EveryProducerIsInTheStateTheBrokerSaidItIs) {
    for (const json& line : expected("producer-state")) {
        const auto log = open(*TopicPartition::parse(line["tp"].get<std::string>()));
        ASSERT_NE(log, nullptr);
        const ActiveProducer served{
            .id = ProducerId(line["producerId"].get<std::int64_t>()),
            .epoch = line["epoch"].get<std::int16_t>(),
            .last_sequence = line["lastSequence"].get<std::int32_t>(),
            .last_timestamp = Timestamp(line["lastTimestamp"].get<std::int64_t>()),
            .coordinator_epoch = line["coordinatorEpoch"].get<std::int32_t>(),
            .transaction_start = Offset(line["txnStart"].get<std::int64_t>())};
        const auto active = log->active_producers();
        EXPECT_NE(std::ranges::find(active, served), active.end()) << line;
    }
}

TEST_P(ApacheLogTest, CommittedDataEndsWhereTheBrokerSaidItDoes) {
    for (const json& line : expected("offsets")) {
        const auto log = open(partition_of(line));
        ASSERT_NE(log, nullptr);
        const Offset end = log->log_end_offset();
        EXPECT_EQ(log->first_unstable_offset(end).value_or(end),
                  Offset(line["lso"].get<std::int64_t>()))
            << line;
    }
}

TEST_P(ApacheLogTest, WhatReadersOfCommittedDataLeaveOutIsWhatTheBrokerDidNotServeThem) {
    const TopicPartition partition{"txn", PartitionIndex(0)};
    const auto log = open(partition);
    const FileRange range = *log->read(Offset(0), log->log_end_offset(), 100'000, true);
    EXPECT_EQ(
        log->aborted_transactions(Offset(0), range),
        (std::vector<AbortedTransaction>{{ProducerId(5), Offset(4)}, {ProducerId(5), Offset(10)}}));
    std::set<std::int64_t> left_out;
    for (const auto& [offset, record] : read_all(*log)) left_out.insert(offset);
    for (const json& line : expected("read_committed")) {
        if (partition_of(line) == partition) left_out.erase(line["offset"].get<std::int64_t>());
    }
    EXPECT_EQ(left_out, (std::set<std::int64_t>{4, 5, 10}));
}

TEST_P(ApacheLogTest, TheGreatestTimestampIsTheOneTheBrokerFound) {
    for (const json& line : expected("offsets")) {
        const auto log = open(partition_of(line));
        ASSERT_NE(log, nullptr);
        const auto found = log->find_max_timestamp(log->log_end_offset());
        ASSERT_TRUE(found) << found.error().why;
        EXPECT_EQ(*found ? (*found)->offset : Offset(-1),
                  Offset(line["maxTimestampOffset"].get<std::int64_t>()))
            << line;
        EXPECT_EQ(*found ? (*found)->timestamp : Timestamp(-1),
                  Timestamp(line["maxTimestamp"].get<std::int64_t>()));
    }
}

TEST_P(ApacheLogTest, EveryRecordIsTheOneTheBrokerServed) {
    std::map<TopicPartition, std::map<std::int64_t, TestRecord>> served;
    std::map<TopicPartition, std::map<std::int64_t, std::int32_t>> epochs;
    for (const json& line : expected("read_uncommitted")) {
        const auto offset = line["offset"].get<std::int64_t>();
        served[partition_of(line)][offset] = record_of(line);
        epochs[partition_of(line)][offset] = line["leaderEpoch"].get<std::int32_t>();
    }
    for (const json& line : expected("offsets")) {
        const TopicPartition partition = partition_of(line);
        const auto log = open(partition);
        ASSERT_NE(log, nullptr);
        EXPECT_EQ(read_all(*log), served[partition]) << partition.text();
        for (const auto& [offset, epoch] : epochs[partition]) {
            EXPECT_EQ(log->epoch_at(Offset(offset)), LeaderEpoch(epoch))
                << partition.text() << " " << offset;
        }
    }
}

TEST_P(ApacheLogTest, EveryTimestampIsFoundAtItsFirstRecord) {
    std::map<TopicPartition, std::map<std::int64_t, std::int64_t>> timestamps;
    for (const json& line : expected("read_uncommitted")) {
        timestamps[partition_of(line)][line["offset"].get<std::int64_t>()] =
            line["ts"].get<std::int64_t>();
    }
    for (const auto& [partition, by_offset] : timestamps) {
        const auto log = open(partition);
        ASSERT_NE(log, nullptr);
        if (partition.topic == "txn")
            continue;  // markers have timestamps too, and are not in the list
        for (const auto& [offset, timestamp] : by_offset) {
            const auto first = std::ranges::find_if(
                by_offset, [&](const auto& entry) { return entry.second >= timestamp; });
            const auto found = log->find_timestamp(Timestamp(timestamp), log->log_end_offset());
            ASSERT_TRUE(found && *found) << partition.text();
            EXPECT_EQ((*found)->offset, Offset(first->first))
                << partition.text() << " " << timestamp;
        }
    }
}

TEST_P(ApacheLogTest, TheLogGoesOnWhereApacheKafkaLeftIt) {
    const TopicPartition partition{"segments", PartitionIndex(0)};
    auto log = open(partition);
    const auto before = read_all(*log);
    ASSERT_TRUE(log->append(support::plain_batch(400, 3, 1'795'960'900'000, 3)));
    EXPECT_EQ(log->end_of_epoch(LeaderEpoch(0)), (EpochEnd{LeaderEpoch(0), Offset(400)}));
    ASSERT_TRUE(log->close());
    clean = true;
    log = open(partition);
    EXPECT_EQ(log->log_end_offset(), Offset(403));
    EXPECT_EQ(read_all(*log).size(), before.size() + 3);
}

TEST_P(ApacheLogTest, MetaPropertiesNameTheCluster) {
    const auto meta = directory->meta();
    ASSERT_TRUE(meta && *meta);
    EXPECT_EQ((*meta)->cluster_id, "5L6g3nShT-eMCtK--X86sw");
    EXPECT_EQ((*meta)->node_id, BrokerId(1));
    EXPECT_FALSE((*meta)->directory_id.is_zero());
}

INSTANTIATE_TEST_SUITE_P(AfterAStop, ApacheLogTest, ::testing::Values("clean", "unclean"),
                         [](const auto& instance) { return std::string(instance.param); });

}  // namespace
}  // namespace milena::storage
