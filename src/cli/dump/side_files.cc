// SPDX-License-Identifier: Apache-2.0
// Entries of fixed size, read in one piece: these files are small.
#include "dump/side_files.h"

#include <charconv>
#include <filesystem>

#include <fmt/format.h>

#include "milena/protocol/codec.h"
#include "milena/protocol/records/log_control.h"

namespace milena::cli {
namespace {

constexpr std::size_t kFileBytesMax = 1U << 30;
constexpr std::size_t kOffsetEntryBytes = 8;
constexpr std::size_t kTimeEntryBytes = 12;
constexpr std::size_t kTransactionEntryBytes = 34;
constexpr std::size_t kVersionBytes = 2;

/// 00000000000000000116.index is of 00000000000000000116.log.
std::string log_of(const std::string& path) {
    return path.substr(0, path.rfind('.')) + ".log";
}

}  // namespace

std::optional<std::int64_t> base_offset_of(std::string_view path) {
    std::string_view name = path.substr(path.rfind('/') + 1);
    name = name.substr(0, name.find_first_of(".-"));
    std::int64_t offset = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), offset);
    if (name.empty() || error != std::errc() || end != name.data() + name.size())
        return std::nullopt;
    return offset;
}

Result<void> dump_offset_index(env::FileSystem& files, const std::string& path, bool verify_only,
                               const Print& print, Mismatches& mismatches) {
    TRY(const std::string text, env::read_file(files, path, kFileBytesMax));
    if (text.empty()) {
        print(fmt::format("{} is empty.\n", path));
        return ok();
    }
    TRY(const auto log, files.open(log_of(path), env::OpenMode::read_only));
    const std::int64_t base = base_offset_of(path).value_or(0);
    ByteReader reader(as_bytes(text));
    for (bool is_first = true; reader.remaining() >= kOffsetEntryBytes; is_first = false) {
        const std::int64_t offset = base + reader.read<std::int32_t>();
        const auto position = reader.read<std::int32_t>();
        // A preallocated index ends in zeros.
        if (offset == base && !is_first) return ok();
        TRY(const auto found, last_offset_at(*log, static_cast<std::uint64_t>(position)));
        if (found.value_or(-1) != offset) mismatches.emplace_back(offset, found.value_or(-1));
        if (!verify_only) print(fmt::format("offset: {} position: {}\n", offset, position));
    }
    return ok();
}

Result<void> dump_time_index(env::FileSystem& files, const std::string& path, bool verify_only,
                             const Print& print, TimeFindings& findings) {
    TRY(const std::string text, env::read_file(files, path, kFileBytesMax));
    TRY(const auto log, files.open(log_of(path), env::OpenMode::read_only));
    BatchSearch batches(*log);
    const std::int64_t base = base_offset_of(path).value_or(0);
    ByteReader reader(as_bytes(text));
    std::int64_t previous = -1;
    for (bool is_first = true; reader.remaining() >= kTimeEntryBytes; is_first = false) {
        const auto timestamp = reader.read<std::int64_t>();
        const std::int64_t offset = base + reader.read<std::int32_t>();
        if (offset == base && !is_first) return ok();
        TRY(const auto found, batches.find(offset));
        if (!found || found->last_offset != offset) {
            findings.offsets.emplace_back(offset, found ? found->last_offset : -1);
        } else {
            if (found->max_timestamp != timestamp)
                findings.timestamps.emplace_back(timestamp, found->max_timestamp);
            if (previous >= timestamp) findings.out_of_order.emplace_back(timestamp, previous);
        }
        previous = timestamp;
        if (!verify_only) print(fmt::format("timestamp: {} offset: {}\n", timestamp, offset));
    }
    return ok();
}

Result<void> check_index(env::FileSystem& files, const std::string& path, const Print& print) {
    TRY(const std::string text, env::read_file(files, path, kFileBytesMax));
    const bool is_of_times = path.ends_with(".timeindex");
    const std::string shown = std::filesystem::absolute(path).string();
    const std::size_t entry_bytes = is_of_times ? kTimeEntryBytes : kOffsetEntryBytes;
    const std::size_t entries = text.size() / entry_bytes;
    const std::byte* const first = as_bytes(text).data();
    const std::byte* const last = first + (entries == 0 ? 0 : (entries - 1) * entry_bytes);
    if (is_of_times && entries != 0 && load<std::int64_t>(last) < load<std::int64_t>(first)) {
        return fail(ErrorCode::corrupt_message,
                    fmt::format("Corrupt time index found, time index file ({}) has non-zero size "
                                "but the last timestamp is {} which is less than the first "
                                "timestamp {}",
                                shown, load<std::int64_t>(last), load<std::int64_t>(first)));
    }
    if (text.size() % entry_bytes != 0) {
        return fail(
            ErrorCode::corrupt_message,
            fmt::format("{} file {} is corrupt, found {} bytes which is neither positive "
                        "nor a multiple of {}",
                        is_of_times ? "Time index" : "Index", shown, text.size(), entry_bytes));
    }
    print(fmt::format("{} passed sanity check.\n", path));
    return ok();
}

Result<void> dump_transaction_index(env::FileSystem& files, const std::string& path,
                                    const Print& print) {
    TRY(const std::string text, env::read_file(files, path, kFileBytesMax));
    ByteReader reader(as_bytes(text));
    while (reader.remaining() >= kTransactionEntryBytes) {
        const auto version = reader.read<std::int16_t>();
        const auto producer_id = reader.read<std::int64_t>();
        const auto first_offset = reader.read<std::int64_t>();
        const auto last_offset = reader.read<std::int64_t>();
        const auto last_stable_offset = reader.read<std::int64_t>();
        print(fmt::format(
            "version: {} producerId: {} firstOffset: {} lastOffset: {} lastStableOffset: {}\n",
            version, producer_id, first_offset, last_offset, last_stable_offset));
    }
    return ok();
}

Result<void> dump_producers(env::FileSystem& files, const std::string& path, const Print& print) {
    TRY(const std::string text, env::read_file(files, path, kFileBytesMax));
    if (text.size() < kVersionBytes)
        return fail(ErrorCode::corrupt_message, fmt::format("{} is no snapshot", path));
    protocol::Arena arena;
    const auto version = load<std::int16_t>(as_bytes(text).data());
    TRY(const auto snapshot, protocol::decode<protocol::ProducerSnapshot>(
                                 as_bytes(text).subspan(kVersionBytes), version, arena));
    for (const auto& producer : snapshot.producer_entries) {
        std::string line = fmt::format(
            "producerId: {} producerEpoch: {} coordinatorEpoch: {} currentTxnFirstOffset: {} "
            "lastTimestamp: {}",
            producer.producer_id, producer.epoch, producer.coordinator_epoch,
            producer.current_txn_first_offset < 0
                ? "OptionalLong.empty"
                : fmt::format("OptionalLong[{}]", producer.current_txn_first_offset),
            producer.timestamp);
        if (producer.last_offset >= 0) {
            line += fmt::format(
                " firstSequence: {} lastSequence: {} lastOffset: {} offsetDelta: {} timestamp: {}",
                producer.last_sequence - producer.offset_delta, producer.last_sequence,
                producer.last_offset, producer.offset_delta, producer.timestamp);
        }
        print(line + "\n");
    }
    return ok();
}

}  // namespace milena::cli
