// SPDX-License-Identifier: Apache-2.0
// What a leader checks of a produced batch. The order of the checks decides which code a client
// sees for a batch with several faults; it is Kafka's.
#include "milena/record/validate.h"

#include <fmt/format.h>

#include "milena/record/compression.h"
#include "record_scan.h"
#include "window_reader.h"

namespace milena::record {
namespace {

constexpr std::size_t kMagicAt = 16;
/// Shortest entry of any format: what the length of magic 0 must announce.
constexpr std::int32_t kLegacyLengthMin = 14;
constexpr std::int64_t kNoTimestamp = -1;

std::unexpected<Refusal> refuse(ErrorCode code, std::string why,
                                std::vector<RecordError> records = {}) {
    return std::unexpected(Refusal{code, std::move(why), std::move(records)});
}

/// Bytes of the whole entry at the front, of whatever magic; 0 if there is no whole one.
std::expected<std::size_t, Refusal> whole_entry(BytesView bytes) {
    if (bytes.size() < kBatchLengthEnd) return 0;
    const auto length = load<std::int32_t>(bytes.data() + 8);
    if (length < kLegacyLengthMin)
        return refuse(ErrorCode::corrupt_message, fmt::format("batch length {}", length));
    if (bytes.size() <= kMagicAt) return 0;
    const auto magic = load<std::int8_t>(bytes.data() + kMagicAt);
    if (magic < 0 || magic > kMagic)
        return refuse(ErrorCode::corrupt_message, fmt::format("batch magic {}", magic));
    const std::size_t size = kBatchLengthEnd + static_cast<std::size_t>(length);
    return bytes.size() < size ? 0 : size;
}

std::expected<void, Refusal> check_header(const BatchView& batch, const ProduceRules& rules) {
    if (batch.base_offset() != Offset(0)) {
        return refuse(ErrorCode::invalid_record,
                      fmt::format("base offset {} is not 0", batch.base_offset()));
    }
    if (batch.size() > rules.batch_bytes_max) {
        return refuse(ErrorCode::message_too_large,
                      fmt::format("a batch of {} bytes, with {} allowed", batch.size(),
                                  rules.batch_bytes_max));
    }
    if (!batch.check_crc())
        return refuse(ErrorCode::corrupt_message, "the checksum of the batch does not match");
    if (batch.record_count() <= 0 ||
        std::int64_t{batch.last_offset_delta()} + 1 != batch.record_count()) {
        return refuse(ErrorCode::invalid_record,
                      fmt::format("{} records with last offset delta {}", batch.record_count(),
                                  batch.last_offset_delta()));
    }
    if (batch.is_control())
        return refuse(ErrorCode::invalid_record, "a client may not write control records");
    if (batch.producer_id().value >= 0 && batch.base_sequence() < 0) {
        return refuse(ErrorCode::invalid_record, fmt::format("sequence {}", batch.base_sequence()));
    }
    return {};
}

/// Looks at one record after the other and remembers what is wrong with them.
class Inspection {
public:
    Inspection(const BatchView& batch, const ProduceRules& rules, Timestamp now)
        : batch_(batch), rules_(rules), now_(now) {}

    void see(std::int32_t index, const RecordFrame& frame) {
        const Timestamp timestamp = record_timestamp(batch_, frame.timestamp_delta);
        max_timestamp_ = std::max(max_timestamp_, timestamp);
        if (frame.offset_delta != index) [[unlikely]] {
            note(ErrorCode::invalid_record, index, "its offset does not follow the one before");
        } else if (frame.key_length < 0 && rules_.is_compacted) [[unlikely]] {
            note(ErrorCode::invalid_record, index, "a compacted topic needs a key in every record");
        } else if (!timestamp_fits(timestamp)) [[unlikely]] {
            note_timestamp(index, timestamp);
        }
    }

    std::expected<Accepted, Refusal> verdict() && {
        if (failed_ > 0) {
            return refuse(code_,
                          fmt::format("{} of {} records refused", failed_, batch_.record_count()),
                          std::move(errors_));
        }
        return Accepted{.max_timestamp = rules_.timestamp_type == TimestampType::log_append
                                             ? now_
                                             : max_timestamp_};
    }

private:
    bool timestamp_fits(Timestamp timestamp) const {
        if (rules_.timestamp_type == TimestampType::create && timestamp.value != kNoTimestamp) {
            const std::int64_t age = saturated_age(timestamp);
            return age <= rules_.timestamp_before_max_ms && age >= -rules_.timestamp_after_max_ms;
        }
        return batch_.timestamp_type() == TimestampType::create;
    }

    std::int64_t saturated_age(Timestamp timestamp) const {
        std::int64_t age = 0;
        if (!__builtin_sub_overflow(now_.value, timestamp.value, &age)) return age;
        return timestamp.value < 0 ? INT64_MAX : INT64_MIN + 1;
    }

    void note_timestamp(std::int32_t index, Timestamp timestamp) {
        if (rules_.timestamp_type == TimestampType::create && timestamp.value != kNoTimestamp) {
            note(
                ErrorCode::invalid_timestamp, index,
                fmt::format("timestamp {} is more than {} ms before or {} ms after the broker's {}",
                            timestamp, rules_.timestamp_before_max_ms,
                            rules_.timestamp_after_max_ms, now_));
        } else {
            note(ErrorCode::invalid_timestamp, index,
                 "only the broker may mark a batch as LogAppendTime");
        }
    }

    void note(ErrorCode code, std::int32_t index, std::string message) {
        ++failed_;
        // One timestamp out of range gives the whole its code, whatever else is wrong.
        if (code_ != ErrorCode::invalid_timestamp) code_ = code;
        if (errors_.size() < kRecordErrorsMax) errors_.push_back({index, std::move(message)});
    }

    const BatchView& batch_;
    const ProduceRules& rules_;
    Timestamp now_;
    Timestamp max_timestamp_{kNoTimestamp};
    std::int32_t failed_ = 0;
    ErrorCode code_ = ErrorCode::none;
    std::vector<RecordError> errors_;
};

template <class Source>
std::expected<void, Refusal> inspect_records(const BatchView& batch, const ReadLimits& limits,
                                             Source& in, Inspection& inspection) {
    for (std::int32_t index = 0; index < batch.record_count(); ++index) {
        const std::int32_t length = in.read_varint();
        if (!in.ok() || length < 0) {
            return refuse(ErrorCode::invalid_record, fmt::format("record {} has no length", index));
        }
        if (static_cast<std::size_t>(length) > limits.record_bytes_max) {
            return refuse(ErrorCode::invalid_record,
                          fmt::format("record {} has {} bytes, with {} allowed", index, length,
                                      limits.record_bytes_max));
        }
        RecordFrame frame;
        if (!scan_body(in, static_cast<std::size_t>(length), frame)) {
            return refuse(ErrorCode::invalid_record, fmt::format("record {} is malformed", index));
        }
        inspection.see(index, frame);
    }
    return {};
}

std::expected<void, Refusal> inspect_plain(const BatchView& batch, Inspection& inspection) {
    // The limit is one of decompression.
    const ReadLimits unlimited{.record_bytes_max = batch.size()};
    ByteReader in(batch.payload());
    if (auto seen = inspect_records(batch, unlimited, in, inspection); !seen) return seen;
    if (in.remaining() != 0)
        return refuse(ErrorCode::invalid_record, "bytes after the last record");
    return {};
}

/// The checksum was right, so the client has sent a damaged block and would again: no
/// CORRUPT_MESSAGE, which clients retry.
std::unexpected<Refusal> refuse_damaged(const Error& damage) {
    const bool is_clients = damage.code == ErrorCode::corrupt_message;
    return refuse(is_clients ? ErrorCode::invalid_record : damage.code, damage.why);
}

/// What a compressed batch is read with.
struct Reading {
    ReadLimits limits;
    std::uint64_t expanded_bytes_max = UINT64_MAX;
};

/// False if it was not read to its end for want of leave.
std::expected<bool, Refusal> inspect_compressed(const BatchView& batch, const Reading& reading,
                                                Inspection& inspection, Scratch& scratch) {
    const Result<Decompressor*> decompressor =
        scratch.decompress(batch.codec_bits(), batch.payload());
    if (!decompressor) return refuse(decompressor.error().code, decompressor.error().why);
    WindowReader in(**decompressor, scratch.window(), reading.expanded_bytes_max);
    const auto seen = inspect_records(batch, reading.limits, in, inspection);
    const bool at_end = !seen || in.at_end();
    if (in.damage()) return refuse_damaged(*in.damage());
    if (in.is_over_limit()) return false;
    if (!seen) return std::unexpected(seen.error());
    if (!at_end) return refuse(ErrorCode::invalid_record, "bytes after the last record");
    return true;
}

}  // namespace

std::expected<BatchView, Refusal> sole_batch(BytesView records) {
    const auto first = whole_entry(records);
    if (!first) return std::unexpected(first.error());
    if (*first == 0) return refuse(ErrorCode::invalid_record, "no whole record batch");
    if (load<std::int8_t>(records.data() + kMagicAt) != kMagic) {
        return refuse(ErrorCode::invalid_record, "only record batches of magic 2 may be produced");
    }
    if (*first < kBatchHeaderBytes)
        return refuse(ErrorCode::corrupt_message, "a batch shorter than its header");
    const auto second = whole_entry(records.subspan(*first));
    if (!second) return std::unexpected(second.error());
    if (*second != 0) return refuse(ErrorCode::invalid_record, "more than one record batch");
    return BatchView(records.first(*first));
}

std::expected<Accepted, Refusal> validate_produced(BatchView batch, const ProduceRules& rules,
                                                   Timestamp now, Scratch* scratch,
                                                   std::uint64_t expanded_bytes_max) {
    if (auto header = check_header(batch, rules); !header)
        return std::unexpected(std::move(header).error());
    Inspection inspection(batch, rules, now);
    if (batch.codec_bits() == 0) {
        if (auto seen = inspect_plain(batch, inspection); !seen)
            return std::unexpected(std::move(seen).error());
        return std::move(inspection).verdict();
    }
    std::optional<Scratch> own;
    auto seen = inspect_compressed(batch, {rules.limits, expanded_bytes_max}, inspection,
                                   scratch == nullptr ? own.emplace() : *scratch);
    if (!seen) return std::unexpected(std::move(seen).error());
    if (!*seen) return Accepted{.max_timestamp = Timestamp(kNoTimestamp), .is_inspected = false};
    return std::move(inspection).verdict();
}

}  // namespace milena::record
