// SPDX-License-Identifier: Apache-2.0
// One coroutine looks what may leave whenever something changes; each request is a coroutine of its
// own until it is answered.
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

Error error_of(const ProduceResponse& answer, std::int32_t wanted) {
    for (const auto& topic : answer.responses) {
        for (const auto& partition : topic.partition_responses) {
            if (partition.index != wanted) continue;
            return partition.error_code == 0
                       ? Error{ErrorCode::none, ""}
                       : answered_error(partition.error_code, partition.error_message.value_or(""));
        }
    }
    return {ErrorCode::corrupt_message, "an answer without the partition"};
}

std::int64_t ms_of(env::Duration duration) {
    return std::chrono::duration_cast<std::chrono::milliseconds>(duration).count();
}

}  // namespace

Producer::Producer(Session& session, std::string topic, ProducerOptions options, OnDone on_done)
    : session_(session),
      topic_(std::move(topic)),
      options_(options),
      on_done_(std::move(on_done)),
      accumulator_(options.limits),
      due_(session.env(), session.executor()),
      settled_(session.env(), session.executor()) {}

Producer::~Producer() {
    INVARIANT(!is_running_, "a producer is closed before it goes");
}

env::Task<Result<void>> Producer::open() {
    CO_TRY_VOID(co_await find_partitions());
    co_await refresh_leaders();
    choose_sticky();
    is_running_ = true;
    env::spawn(session_.executor(), run());
    co_return ok();
}

env::Task<Result<void>> Producer::find_partitions() {
    MetadataRequest request;
    std::array<MetadataRequest::MetadataRequestTopic, 1> topics;
    topics[0].name = topic_;
    request.topics = topics;
    request.allow_auto_topic_creation = true;
    const env::Instant give_up = now() + kTopicPatience;
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
        if (now() >= give_up) {
            co_return fail(ErrorCode::request_timed_out,
                           fmt::format("Topic {} not present in metadata after 60000 ms.", topic_));
        }
        co_await session_.env().sleep(session_.executor(), options_.backoff);
    }
    std::ranges::sort(partitions_);
    co_return ok();
}

void Producer::choose_sticky() {
    sticky_ = partitions_[session_.env().random().next() % partitions_.size()];
}

std::int32_t Producer::choose(const RecordParts& record) const {
    if (!record.key) return sticky_;
    return partitions_[static_cast<std::size_t>(
        partition_of_key(as_bytes(*record.key), partitions_.size()))];
}

void Producer::refuse(const RecordParts& record, const Error& error) {
    const auto size = [](const auto& text) {
        return text ? static_cast<std::int64_t>(text->size()) : -1;
    };
    const RecordReceipt receipt{size(record.key), size(record.value), now()};
    ++figures_.records_failed;
    on_done_(std::span(&receipt, 1), &error);
}

env::Task<bool> Producer::wait_for_room(const RecordParts& record) {
    const env::Instant give_up = now() + options_.block_max;
    while (!accumulator_.has_room(record)) {
        due_.notify();
        if (!co_await settled_.wait_until(give_up) && !accumulator_.has_room(record)) {
            refuse(record, {ErrorCode::request_timed_out,
                            fmt::format("Failed to allocate memory within the configured max "
                                        "blocking time {} ms: buffer.memory is full",
                                        ms_of(options_.block_max))});
            co_return false;
        }
    }
    co_return true;
}

env::Task<void> Producer::send(const RecordParts& record) {
    const std::size_t size = record::kBatchHeaderBytes + BatchWriter().size_of(record);
    if (size > options_.request_bytes_max) {
        refuse(record, {ErrorCode::message_too_large,
                        fmt::format("The message is {} bytes when serialized which is larger than "
                                    "{}, which is the value of the max.request.size configuration.",
                                    size, options_.request_bytes_max)});
        co_return;
    }
    if (!accumulator_.has_room(record) && !co_await wait_for_room(record)) co_return;
    const std::int32_t partition = choose(record);
    const bool was_empty = !accumulator_.due(partition);
    if (!accumulator_.append(partition, record, now())) {
        if (was_empty) due_.notify();
        co_return;
    }
    if (partition == sticky_) choose_sticky();
    due_.notify();
    // What is closed leaves, and answers come in, while the next batch is being filled.
    co_await session_.env().sleep(session_.executor(), env::Duration::zero());
}

env::Task<void> Producer::flush() {
    accumulator_.close_all();
    due_.notify();
    while (!accumulator_.empty()) co_await settled_.wait_until(env::kNever);
}

env::Task<void> Producer::close() {
    if (!is_running_) co_return;
    co_await flush();
    is_closing_ = true;
    due_.notify();
    while (is_running_) co_await settled_.wait_until(env::kNever);
}

env::Task<void> Producer::run() {
    while (!is_closing_) {
        if (now() >= refresh_at_) co_await refresh_leaders();
        const env::Instant next = send_due();
        co_await due_.wait_until(std::min(next, refresh_at_));
    }
    is_running_ = false;
    settled_.notify();
}

env::Task<void> Producer::refresh_leaders() {
    refresh_at_ = env::kNever;
    const std::vector<std::string> topics{topic_};
    const auto answer = co_await session_.client().refresh(&topics);
    bool is_complete = answer.has_value();
    for (const std::int32_t partition : partitions_) {
        const auto leader = session_.client().leader_of(topic_, PartitionIndex(partition));
        leaders_[partition] = leader.value_or(kNoBroker);
        is_complete = is_complete && leader;
    }
    if (!is_complete) refresh_at_ = now() + options_.backoff;
}

/// Sends what may leave; gives when something else may.
env::Instant Producer::send_due() {
    struct Request {
        Batches batches;
        std::size_t bytes = 0;
    };
    std::map<BrokerId, Request> requests;
    env::Instant next = env::kNever;
    first_ = (first_ + 1) % partitions_.size();
    for (std::size_t i = 0; i < partitions_.size(); ++i) {
        const std::int32_t partition = partitions_[(first_ + i) % partitions_.size()];
        const auto due = accumulator_.due(partition);
        if (!due) continue;
        if (*due > now()) {
            next = std::min(next, *due);
            continue;
        }
        const BrokerId leader = leaders_[partition];
        if (leader == kNoBroker) {
            refresh_at_ = std::min(refresh_at_, now() + options_.backoff);
            give_up_late(partition, now());
            continue;
        }
        Request& request = requests[leader];
        if (under_way_[leader] >= options_.requests_max ||
            request.bytes >= options_.request_bytes_max)
            continue;
        request.batches.push_back(accumulator_.take(partition));
        request.bytes += request.batches.back().bytes.size();
    }
    for (auto& [leader, request] : requests) {
        if (request.batches.empty()) continue;
        ++under_way_[leader];
        env::spawn(session_.executor(), deliver(leader, std::move(request.batches)));
        next = now();  // there may be more for it
    }
    return next;
}

void Producer::give_up_late(std::int32_t partition, env::Instant now) {
    while (accumulator_.due(partition).value_or(env::kNever) <= now) {
        ClosedBatch batch = accumulator_.take(partition);
        if (now - batch.began < options_.delivery_timeout)
            return accumulator_.give_back(std::move(batch));
        const Error late{
            ErrorCode::request_timed_out,
            fmt::format("Expiring {} record(s) for {}-{}:{} ms has passed since "
                        "batch creation",
                        batch.records.size(), topic_, partition, ms_of(now - batch.began))};
        batch.attempts = options_.retries;
        settle(std::move(batch), late);
    }
}

env::Task<void> Producer::deliver(BrokerId leader, Batches batches) {
    const env::Instant begin = now();
    std::vector<Error> errors(batches.size(), Error{ErrorCode::none, ""});
    const auto sent = co_await produce(leader, batches, errors);
    const env::Duration latency = now() - begin;
    ++figures_.requests;
    figures_.latency += latency;
    figures_.latency_max = std::max(figures_.latency_max, latency);
    --under_way_[leader];
    // The last first: what goes back to a partition goes before what is there.
    for (std::size_t i = batches.size(); i-- > 0;)
        settle(std::move(batches[i]), sent ? errors[i] : sent.error());
    settled_.notify();
    due_.notify();
}

env::Task<Result<void>> Producer::produce(BrokerId leader, const Batches& batches,
                                          std::vector<Error>& errors) {
    std::vector<ProduceRequest::PartitionProduceData> partitions(batches.size());
    for (std::size_t i = 0; i < batches.size(); ++i) {
        partitions[i].index = batches[i].partition;
        partitions[i].records = protocol::Records(batches[i].bytes);
    }
    std::array<ProduceRequest::TopicProduceData, 1> topics;
    topics[0].name = topic_;
    topics[0].partition_data = partitions;
    ProduceRequest request;
    request.acks = options_.acks;
    request.timeout_ms = options_.timeout_ms;
    request.topic_data = topics;
    const auto target = wire::Target::broker(leader);
    if (options_.acks == 0) co_return co_await session_.client().send(target, request, kVersionMax);
    CO_TRY(const auto answer,
           co_await session_.client().call<ProduceResponse>(target, request, kVersionMax));
    for (std::size_t i = 0; i < batches.size(); ++i)
        errors[i] = error_of(*answer, batches[i].partition);
    co_return ok();
}

void Producer::settle(ClosedBatch batch, const Error& error) {
    const env::Instant time = now();
    const bool failed = error.code != ErrorCode::none;
    if (failed && is_retriable(error.code) && batch.attempts < options_.retries &&
        time - batch.began < options_.delivery_timeout) {
        ++batch.attempts;
        ++figures_.retries;
        batch.not_before = time + options_.backoff;
        refresh_at_ = time;
        accumulator_.give_back(std::move(batch));
        return;
    }
    const auto records = static_cast<std::int64_t>(batch.records.size());
    const auto bytes = static_cast<std::int64_t>(batch.bytes.size());
    (failed ? figures_.records_failed : figures_.records) += records;
    ++figures_.batches;
    figures_.batch_bytes += bytes;
    figures_.batch_bytes_max = std::max(figures_.batch_bytes_max, bytes);
    figures_.uncompressed_bytes += static_cast<std::int64_t>(batch.charged_bytes);
    accumulator_.release(batch);
    on_done_(batch.records, failed ? &error : nullptr);
    settled_.notify();
}

}  // namespace milena::cli
