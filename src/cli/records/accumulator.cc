// SPDX-License-Identifier: Apache-2.0
// Memory is charged as a record is taken, uncompressed, and given back with its batch.
#include "records/accumulator.h"

namespace milena::cli {
namespace {

std::int64_t size_or_none(const std::optional<std::string_view>& text) {
    return text ? static_cast<std::int64_t>(text->size()) : -1;
}

}  // namespace

bool Accumulator::has_room(const RecordParts& record) const {
    const std::size_t size = record::kBatchHeaderBytes + BatchWriter().size_of(record);
    return bytes_ == 0 || (bytes_ < limits_.buffer_bytes && size <= limits_.buffer_bytes - bytes_);
}

void Accumulator::close(std::int32_t index, Partition& partition) {
    ClosedBatch batch;
    batch.partition = index;
    batch.charged_bytes = partition.writer.size();
    batch.records = std::exchange(partition.records, {});
    batch.began = batch.not_before = partition.began;
    auto bytes = partition.writer.finish(limits_.codec);
    INVARIANT(bytes.has_value(), "a codec takes any bytes");
    batch.bytes = *std::move(bytes);
    partition.closed.push_back(std::move(batch));
}

bool Accumulator::append(std::int32_t index, const RecordParts& record, env::Instant now) {
    Partition& partition = partitions_[index];
    const bool is_full =
        partition.writer.count() != 0 &&
        partition.writer.size() + partition.writer.size_of(record) > limits_.batch_bytes;
    if (is_full) close(index, partition);
    const std::size_t before = partition.writer.count() == 0 ? 0 : partition.writer.size();
    if (partition.writer.count() == 0) partition.began = now;
    partition.writer.append(record);
    partition.records.push_back({size_or_none(record.key), size_or_none(record.value), now});
    bytes_ += partition.writer.size() - before;
    return is_full;
}

void Accumulator::close_all() {
    for (auto& [index, partition] : partitions_) {
        if (partition.writer.count() != 0) close(index, partition);
    }
}

std::optional<env::Instant> Accumulator::due(std::int32_t index) const {
    const auto found = partitions_.find(index);
    if (found == partitions_.end()) return std::nullopt;
    const Partition& partition = found->second;
    if (!partition.closed.empty()) return partition.closed.front().not_before;
    if (partition.writer.count() == 0) return std::nullopt;
    return partition.began + limits_.linger;
}

ClosedBatch Accumulator::take(std::int32_t index) {
    Partition& partition = partitions_.at(index);
    if (partition.closed.empty()) close(index, partition);
    ClosedBatch batch = std::move(partition.closed.front());
    partition.closed.pop_front();
    return batch;
}

void Accumulator::give_back(ClosedBatch batch) {
    Partition& partition = partitions_[batch.partition];
    partition.closed.push_front(std::move(batch));
}

void Accumulator::release(const ClosedBatch& batch) {
    INVARIANT(batch.charged_bytes <= bytes_, "a batch gives back what it was charged");
    bytes_ -= batch.charged_bytes;
}

}  // namespace milena::cli
