// SPDX-License-Identifier: Apache-2.0
// Builds the batch and takes it through the steps of a produce.
#include "group_append.h"

#include "milena/record/records.h"

namespace milena::drivers {
namespace {

using replication::ProducePlace;
using replication::ProduceStep;
using replication::Production;

/// A batch that takes longer to compress than a core's thread should spend.
constexpr std::size_t kCompressedInPlaceMax = 64 * 1024;

/// Records of one decision, which are in memory twice while they are written: more than any request
/// says at once.
constexpr std::size_t kBytesMax = 256UL << 20;

std::size_t bytes_of(std::span<const coordinator::Record> records) {
    std::size_t bytes = 0;
    for (const auto& record : records)
        bytes += record.key.size() + (record.value ? record.value->size() : 0);
    return bytes;
}

std::vector<std::byte> build(std::span<const coordinator::Record> records, env::Timestamp now) {
    record::BatchBuilder builder({.timestamp = now});
    for (const auto& record : records) {
        record::NullableBytes value;
        if (record.value) value = BytesView(*record.value);
        builder.append(BytesView(record.key), value);
    }
    return std::move(builder).finish();
}

Result<std::vector<std::byte>> compress(const std::vector<std::byte>& batch, record::Codec codec) {
    record::Scratch scratch;
    return record::recompress(record::BatchView(batch), {.codec = codec}, scratch);
}

/// Goes on in the pools until the batch is decided.
env::Task<ProduceStep> produce(AppendPlace place, Production& batch) {
    replication::Partition& partition = *place.partition;
    ProduceStep step = partition.produce(batch, ProducePlace::core);
    if (step == ProduceStep::needs_compute) {
        co_await place.env.offload(env::Pool::compute, [&] { partition.prepare(batch); });
        step = partition.produce(batch, ProducePlace::core);
    }
    if (step == ProduceStep::needs_disk) {
        co_await partition.write_lane()->turns().run(place.env, place.owner, [&] {
            step = partition.produce(batch, ProducePlace::disk_pool);
        });
    }
    co_return step;
}

}  // namespace

env::Task<Result<Appended>> append_records(AppendPlace place, AppendRules rules,
                                           std::span<const coordinator::Record> records,
                                           replication::ProduceDone done) {
    if (bytes_of(records) > kBytesMax)
        co_return fail(ErrorCode::message_too_large, "one decision has too many records");
    std::vector<std::byte> bytes = build(records, place.env.clock().wall());
    if (rules.codec != record::Codec::none) {
        Result<std::vector<std::byte>> compressed;
        const auto work = [&] { compressed = compress(bytes, rules.codec); };
        if (bytes.size() <= kCompressedInPlaceMax) {
            work();
        } else {
            co_await place.env.offload(env::Pool::compute, work);
        }
        CO_TRY(bytes, std::move(compressed));
    }
    Production batch;
    batch.records = bytes;
    batch.acks = replication::Acks::all;
    batch.deadline = place.env.clock().now() + rules.timeout;
    batch.done = std::move(done);
    const ProduceStep step = co_await produce(place, batch);
    if (step != ProduceStep::parked && batch.answer.code != ErrorCode::none)
        co_return fail(batch.answer.code, std::move(batch.answer.why));
    co_return Appended{
        .base_offset = record::BatchView(batch.prepared->bytes).base_offset(),
        .expires_at = step == ProduceStep::parked ? batch.deadline : env::kNever,
    };
}

ErrorCode coordinator_code(ErrorCode of_append) {
    switch (of_append) {
        case ErrorCode::unknown_topic_or_partition:
        case ErrorCode::not_enough_replicas:
        case ErrorCode::not_enough_replicas_after_append:
        case ErrorCode::request_timed_out: return ErrorCode::coordinator_not_available;
        case ErrorCode::not_leader_or_follower:
        case ErrorCode::kafka_storage_error: return ErrorCode::not_coordinator;
        default: return ErrorCode::unknown_server_error;
    }
}

}  // namespace milena::drivers
