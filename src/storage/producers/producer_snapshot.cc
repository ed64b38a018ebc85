// SPDX-License-Identifier: Apache-2.0
// The bytes of a producer snapshot.
#include "producers/producer_snapshot.h"

#include <fmt/format.h>

#include "milena/base/crc32c.h"
#include "segment.h"

namespace milena::storage {
namespace {

constexpr std::int16_t kVersion = 1;
constexpr std::size_t kChecksummedAt = 6;
constexpr std::size_t kEntryBytes = 46;
/// More than a million producers; of Apache Kafka's, which keeps them all.
constexpr std::size_t kSnapshotBytesMax = 64UL << 20;

void encode_entry(std::byte* at, const ProducerEntry& entry) {
    const ProducedBatch last =
        entry.last_batch() != nullptr ? *entry.last_batch() : ProducedBatch{};
    store(at, entry.id.value);
    store(at + 8, entry.epoch);
    store(at + 10, last.last_sequence);
    store(at + 14, last.last_offset.value);
    store(at + 22, last.offset_delta);
    store(at + 26, entry.last_timestamp.value);
    store(at + 34, entry.coordinator_epoch);
    store(at + 38, entry.transaction_start.value);
}

/// Nothing for numbers that no producer can have come to.
std::optional<ProducerEntry> decode_entry(const std::byte* at) {
    ProducerEntry entry;
    entry.id = ProducerId(load<std::int64_t>(at));
    entry.epoch = load<std::int16_t>(at + 8);
    entry.last_timestamp = Timestamp(load<std::int64_t>(at + 26));
    entry.coordinator_epoch = load<std::int32_t>(at + 34);
    entry.transaction_start = Offset(load<std::int64_t>(at + 38));
    const ProducedBatch last{load<std::int32_t>(at + 10), load<std::int32_t>(at + 22),
                             Offset(load<std::int64_t>(at + 14)), entry.last_timestamp};
    if (last.last_sequence < kNoSequence || last.offset_delta < 0) return std::nullopt;
    if (last.last_offset.value >= 0 && last.offset_delta > last.last_offset.value)
        return std::nullopt;
    if (last.last_offset.value >= 0) entry.add(last);
    return entry;
}

}  // namespace

std::vector<std::byte> encode_snapshot(const ProducerStates& states) {
    std::vector<std::byte> bytes(kEmptySnapshotBytes + states.size() * kEntryBytes);
    store(bytes.data(), kVersion);
    store(bytes.data() + kChecksummedAt, static_cast<std::int32_t>(states.size()));
    std::byte* at = bytes.data() + kEmptySnapshotBytes;
    for (const ProducerEntry* const entry : states.sorted()) {
        encode_entry(at, *entry);
        at += kEntryBytes;
    }
    store(bytes.data() + 2, crc32c(BytesView(bytes).subspan(kChecksummedAt)));
    return bytes;
}

Result<std::vector<ProducerEntry>> decode_snapshot(BytesView bytes) {
    if (bytes.size() < kEmptySnapshotBytes)
        return fail(ErrorCode::corrupt_message, fmt::format("{} bytes", bytes.size()));
    const auto version = load<std::int16_t>(bytes.data());
    if (version != kVersion)
        return fail(ErrorCode::corrupt_message, fmt::format("version {}", version));
    if (crc32c(bytes.subspan(kChecksummedAt)) != load<std::uint32_t>(bytes.data() + 2))
        return fail(ErrorCode::corrupt_message, "its checksum does not match");
    const auto count = load<std::int32_t>(bytes.data() + kChecksummedAt);
    const std::size_t held = (bytes.size() - kEmptySnapshotBytes) / kEntryBytes;
    if (count < 0 || std::cmp_not_equal(count, held))
        return fail(ErrorCode::corrupt_message, fmt::format("{} producers in {}", count, held));
    std::vector<ProducerEntry> entries;
    entries.reserve(held);
    for (std::size_t i = 0; i < held; ++i) {
        const auto entry = decode_entry(bytes.data() + kEmptySnapshotBytes + i * kEntryBytes);
        if (!entry) return fail(ErrorCode::corrupt_message, fmt::format("producer {} of it", i));
        entries.push_back(*entry);
    }
    return entries;
}

FileWrite snapshot_write(const std::string& directory, Offset at, const ProducerStates& states) {
    return {.path = directory + "/" + segment_file_name(at, ".snapshot"),
            .mode = env::OpenMode::create_empty,
            .bytes = encode_snapshot(states)};
}

Result<std::vector<ProducerEntry>> read_snapshot(env::FileSystem& files,
                                                 const std::string& directory, Offset at) {
    const std::string path = directory + "/" + segment_file_name(at, ".snapshot");
    TRY(const auto file, files.open(path, env::OpenMode::read_only));
    TRY(const std::uint64_t size, file->size());
    if (size > kSnapshotBytesMax)
        return fail(ErrorCode::corrupt_message, fmt::format("{}: {} bytes", path, size));
    std::vector<std::byte> bytes(size);
    TRY(const std::size_t count, file->read_at(0, bytes));
    auto entries = decode_snapshot(BytesView(bytes).first(count));
    if (!entries) return fail_at(path, entries.error());
    for (const ProducerEntry& entry : *entries) {
        const Offset last = entry.last_batch() ? entry.last_batch()->last_offset : Offset(-1);
        if (std::max(last, entry.transaction_start) >= at) {
            return fail(ErrorCode::corrupt_message,
                        fmt::format("{}: producer {} is behind it", path, entry.id));
        }
    }
    return entries;
}

}  // namespace milena::storage
