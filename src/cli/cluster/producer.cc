// SPDX-License-Identifier: Apache-2.0
// Records to batches, batches to leaders.
#include "cluster/producer.h"

#include <fmt/format.h>

#include "cluster/offsets.h"
#include "milena/protocol/messages/produce.h"
#include "records/partitioner.h"
#include "text/exceptions.h"

namespace milena::cli {
namespace {

using protocol::MetadataRequest;
using protocol::MetadataResponse;
using protocol::ProduceRequest;
using protocol::ProduceResponse;

/// The last version that names topics.
constexpr std::int16_t kVersionMax = 12;
constexpr env::Duration kTopicPatience = std::chrono::seconds(60);

Result<std::int16_t> parse_acks(std::string_view text) {
    if (text == "all" || text == "-1") return std::int16_t{-1};
    if (text == "0") return std::int16_t{0};
    if (text == "1") return std::int16_t{1};
    return fail(ErrorCode::invalid_config,
                fmt::format("Invalid value {} for configuration acks: String must be one of: all, "
                            "-1, 0, 1",
                            text));
}

/// What the answer says of its one partition.
Error error_of(const ProduceResponse& answer) {
    for (const auto& topic : answer.responses) {
        for (const auto& partition : topic.partition_responses) {
            return partition.error_code == 0
                       ? Error{ErrorCode::none, ""}
                       : answered_error(partition.error_code, partition.error_message.value_or(""));
        }
    }
    return {ErrorCode::corrupt_message, "an answer without the partition"};
}

}  // namespace

Result<ProducerOptions> producer_options(const ClientProperties& properties) {
    ProducerOptions options;
    TRY(options.acks, parse_acks(text_property(properties, "acks", "-1")));
    TRY(options.codec, parse_codec(text_property(properties, "compression.type", "none")));
    TRY(const auto batch_bytes, number_property(properties, "batch.size", 16'384));
    TRY(const auto timeout_ms, number_property(properties, "request.timeout.ms", 1'500));
    TRY(options.retries, number_property(properties, "retries", options.retries));
    TRY(const auto backoff_ms, number_property(properties, "retry.backoff.ms", 100));
    options.batch_bytes = static_cast<std::size_t>(std::max<std::int64_t>(batch_bytes, 0));
    options.timeout_ms = static_cast<std::int32_t>(timeout_ms);
    options.backoff = std::chrono::milliseconds(backoff_ms);
    return options;
}

Producer::Producer(Session& session, std::string topic, ProducerOptions options,
                   OnFailure on_failure)
    : session_(session),
      topic_(std::move(topic)),
      options_(options),
      on_failure_(std::move(on_failure)) {}

env::Task<Result<void>> Producer::open() {
    MetadataRequest request;
    std::array<MetadataRequest::MetadataRequestTopic, 1> topics;
    topics[0].name = topic_;
    request.topics = topics;
    request.allow_auto_topic_creation = true;
    const env::Instant give_up = session_.env().clock().now() + kTopicPatience;
    for (;;) {
        CO_TRY(const auto answer,
               co_await session_.ask<MetadataResponse>(wire::Target::any(), request));
        for (const auto& topic : answer->topics) {
            const auto code = static_cast<ErrorCode>(topic.error_code);
            if (code != ErrorCode::none && !is_retriable(code))
                co_return std::unexpected(answered_error(topic.error_code, ""));
            for (const auto& partition : topic.partitions)
                partitions_.push_back(partition.partition_index);
        }
        if (!partitions_.empty()) break;
        if (session_.env().clock().now() >= give_up) {
            co_return fail(ErrorCode::request_timed_out,
                           fmt::format("Topic {} not present in metadata after 60000 ms.", topic_));
        }
        co_await session_.env().sleep(session_.executor(), options_.backoff);
    }
    std::ranges::sort(partitions_);
    sticky_ = partitions_[session_.env().random().next() % partitions_.size()];
    co_return ok();
}

std::int32_t Producer::choose(const ProducedRecord& record) {
    if (!record.key) return sticky_;
    return partition_of_key(as_bytes(*record.key), partitions_.size());
}

env::Task<void> Producer::send(ProducedRecord record) {
    const std::int32_t partition = choose(record);
    Pending& pending = pending_[partition];
    pending.writer.append(record);
    pending.records.push_back(std::move(record));
    if (pending.writer.size() >= options_.batch_bytes) co_await send_batch(partition);
}

env::Task<void> Producer::flush() {
    for (const std::int32_t partition : partitions_) co_await send_batch(partition);
}

env::Task<void> Producer::send_batch(std::int32_t partition) {
    Pending& pending = pending_[partition];
    if (pending.writer.count() == 0) co_return;
    if (partition == sticky_)
        sticky_ = partitions_[session_.env().random().next() % partitions_.size()];
    const auto records = std::exchange(pending.records, {});
    auto batch = pending.writer.finish(options_.codec);
    Result<void> sent;
    if (batch) {
        sent = co_await produce(partition, *batch);
    } else {
        sent = std::unexpected(batch.error());
    }
    if (!sent) on_failure_(records, sent.error());
}

env::Task<Result<void>> Producer::produce(std::int32_t partition, BytesView batch) {
    std::array<ProduceRequest::PartitionProduceData, 1> partitions;
    partitions[0].index = partition;
    partitions[0].records = protocol::Records(batch);
    std::array<ProduceRequest::TopicProduceData, 1> topics;
    topics[0].name = topic_;
    topics[0].partition_data = partitions;
    ProduceRequest request;
    request.acks = options_.acks;
    request.timeout_ms = options_.timeout_ms;
    request.topic_data = topics;
    const std::vector<TopicPartition> wanted{{topic_, partition}};
    Error last;
    for (std::int64_t attempt = 0; attempt <= options_.retries; ++attempt) {
        if (attempt != 0) co_await session_.env().sleep(session_.executor(), options_.backoff);
        CO_TRY(const auto leaders, co_await by_leader(session_, wanted));
        const auto target = wire::Target::broker(leaders.begin()->first);
        if (options_.acks == 0)
            co_return co_await session_.client().send(target, request, kVersionMax);
        const auto answer =
            co_await session_.client().call<ProduceResponse>(target, request, kVersionMax);
        if (!answer) {
            last = answer.error();
            continue;
        }
        last = error_of(**answer);
        if (last.code == ErrorCode::none) co_return ok();
        if (!is_retriable(last.code)) break;
    }
    co_return std::unexpected(last);
}

}  // namespace milena::cli
