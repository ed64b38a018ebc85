// SPDX-License-Identifier: Apache-2.0
// Batches are read one at a time, however long the file is.
#include "dump/log_dump.h"

#include <fmt/format.h>

namespace milena::cli {
namespace {

/// Bits of a batch's attributes that say the codec, by name.
constexpr std::array<std::string_view, 5> kCodecNames{"none", "gzip", "snappy", "lz4", "zstd"};
/// A batch is not longer than this: what a length in a damaged file can make us read.
constexpr std::uint64_t kBatchBytesMax = 1ULL << 30;

std::string_view time_name(record::BatchView batch) {
    return batch.timestamp_type() == record::TimestampType::log_append ? "LogAppendTime"
                                                                       : "CreateTime";
}

/// A sequence `delta` after the first, which goes on with 0 after the greatest.
std::int32_t sequence_after(std::int32_t base, std::int32_t delta) {
    if (base < 0) return -1;
    const std::int64_t sequence = std::int64_t{base} + delta;
    return static_cast<std::int32_t>(sequence > INT32_MAX ? sequence - INT32_MAX - 1 : sequence);
}

/// The whole batch at `position`, in `bytes`; nothing where the file ends before it does.
Result<std::optional<record::BatchView>> read_batch(const env::File& file, std::uint64_t position,
                                                    std::vector<std::byte>& bytes) {
    bytes.resize(record::kBatchLengthEnd);
    TRY(const std::size_t head, file.read_at(position, bytes));
    if (head < bytes.size()) return std::nullopt;
    TRY(const auto size, record::announced_size(bytes));
    TRY(const std::uint64_t file_size, file.size());
    if (!size || *size > kBatchBytesMax || *size > file_size - position) return std::nullopt;
    bytes.resize(*size);
    TRY(const std::size_t count, file.read_at(position, bytes));
    if (count < bytes.size()) return std::nullopt;
    return record::first_batch(bytes);
}

std::string record_metadata(record::BatchView batch, const record::RecordView& record) {
    const auto size = [](const record::NullableBytes& bytes) {
        return bytes ? static_cast<std::int64_t>(bytes->size()) : -1;
    };
    const auto delta = static_cast<std::int32_t>(record.offset - batch.base_offset());
    return fmt::format(" offset: {} {}: {} keySize: {} valueSize: {} sequence: {} headerKeys: [{}]",
                       record.offset, time_name(batch), record.timestamp, size(record.key),
                       size(record.value), sequence_after(batch.base_sequence(), delta),
                       header_keys(record));
}

Result<void> dump_records(record::BatchView batch, const DumpOptions& options, const Print& print,
                          Gaps& gaps, std::int64_t& last_offset) {
    Result<void> done;
    TRY_VOID(record::for_each_record(batch, {}, [&](const record::RecordView& record) {
        if (record.offset.value != last_offset + 1)
            gaps.emplace_back(last_offset, record.offset.value);
        last_offset = record.offset.value;
        std::string line;
        if (options.record_metadata) {
            line = "|" + record_metadata(batch, record);
            if (batch.is_control()) line += control_text(record);
        }
        std::string contents;
        if (options.contents && !batch.is_control()) {
            auto text = contents_text(record, options.decoding);
            if (!text) {
                print(line);
                done = std::unexpected(text.error());
                return false;
            }
            contents = *std::move(text);
        }
        if (line.empty() && !contents.empty()) line = "|";
        line += contents;
        print(line + "\n");
        return true;
    }));
    return done;
}

}  // namespace

std::string batch_text(record::BatchView batch, std::uint64_t position) {
    const auto crc = load<std::uint32_t>(batch.bytes().data() + 17);
    return fmt::format(
        "baseOffset: {} lastOffset: {} count: {} baseSequence: {} lastSequence: {} producerId: {} "
        "producerEpoch: {} partitionLeaderEpoch: {} isTransactional: {} isControl: {} "
        "deleteHorizonMs: {} position: {} {}: {} size: {} magic: {} compresscodec: {} crc: {} "
        "isvalid: {}",
        batch.base_offset(), batch.last_offset(), batch.record_count(), batch.base_sequence(),
        sequence_after(batch.base_sequence(), batch.last_offset_delta()), batch.producer_id(),
        batch.producer_epoch(), batch.leader_epoch(), batch.is_transactional(), batch.is_control(),
        batch.has_delete_horizon() ? fmt::format("OptionalLong[{}]", batch.base_timestamp())
                                   : "OptionalLong.empty",
        position, time_name(batch), batch.max_timestamp(), batch.size(), batch.magic(),
        batch.codec_bits() < kCodecNames.size() ? kCodecNames[batch.codec_bits()] : "unknown", crc,
        batch.check_crc());
}

Result<void> dump_log(const env::File& file, const DumpOptions& options, const Print& print,
                      Gaps& gaps) {
    TRY(const std::uint64_t file_size, file.size());
    const std::uint64_t end = std::min(file_size, options.bytes_max);
    std::vector<std::byte> bytes;
    std::uint64_t position = 0;
    std::int64_t last_offset = -1;
    while (position < end) {
        if (options.on_position) options.on_position(position);
        const auto batch = read_batch(file, position, bytes);
        if (!batch || !*batch || position + (*batch)->size() > end) break;
        print(batch_text(**batch, position) + "\n");
        if (options.records) TRY_VOID(dump_records(**batch, options, print, gaps, last_offset));
        position += (*batch)->size();
    }
    if (position < file_size && options.bytes_max >= file_size) {
        const std::string& path = file.path();
        print(fmt::format("Found {} invalid bytes at the end of {}\n", file_size - position,
                          path.substr(path.rfind('/') + 1)));
    }
    return ok();
}

Result<std::optional<std::int64_t>> last_offset_at(const env::File& file, std::uint64_t position) {
    std::vector<std::byte> bytes;
    TRY(const auto batch, read_batch(file, position, bytes));
    if (!batch) return std::nullopt;
    return batch->last_offset().value;
}

Result<std::optional<BatchSearch::Found>> BatchSearch::find(std::int64_t offset) {
    if (offset <= passed_) {
        position_ = 0;
        passed_ = -1;
        found_.reset();
    }
    while (!found_ || found_->last_offset < offset) {
        if (found_) passed_ = found_->last_offset;
        TRY(const auto batch, read_batch(file_, position_, bytes_));
        found_.reset();
        if (!batch) break;
        found_ = Found{batch->last_offset().value, batch->max_timestamp().value};
        position_ += batch->size();
    }
    return found_;
}

}  // namespace milena::cli
